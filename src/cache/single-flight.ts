/** Shares one run among concurrent callers of one key, also within one tick. */
export class SingleFlight<Value> {
  readonly #underWay: Map<string, Promise<Value>> = new Map();

  has(key: string): boolean {
    return this.#underWay.has(key);
  }

  /** @throws {Error} what `make` throws: all callers get it, and the next one runs `make` again */
  run(key: string, make: () => Promise<Value>): Promise<Value> {
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const making = make().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, making);
    return making;
  }
}
