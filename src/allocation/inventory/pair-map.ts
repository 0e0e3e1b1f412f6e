/** Values by two texts: asked for each pod, where a joined key would be made each time. */
export class PairMap<Value> {
  readonly #byFirst: Map<string, Map<string, Value>> = new Map();

  get(first: string, second: string): Value | undefined {
    return this.#byFirst.get(first)?.get(second);
  }

  set(first: string, second: string, value: Value): void {
    const bySecond = this.#byFirst.get(first);
    if (bySecond) bySecond.set(second, value);
    else this.#byFirst.set(first, new Map([[second, value]]));
  }

  /** What there is, made when there is nothing yet. */
  at(first: string, second: string, make: (first: string, second: string) => Value): Value {
    const known = this.get(first, second);
    if (known !== undefined) return known;
    const made = make(first, second);
    this.set(first, second, made);
    return made;
  }
}
