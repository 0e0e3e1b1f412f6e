/** A map that mostly has one entry, in a fifth of the memory that a Map takes for it. */
export class FewMap<Value extends object> {
  #key = '';
  #value: Value | undefined;
  /** All entries, where there were several. */
  #all: Map<string, Value> | undefined;

  get size(): number {
    return this.#all?.size ?? (this.#value === undefined ? 0 : 1);
  }

  get(key: string): Value | undefined {
    if (this.#all) return this.#all.get(key);
    return this.#key === key ? this.#value : undefined;
  }

  set(key: string, value: Value): void {
    const only = this.#value;
    if (this.#all) this.#all.set(key, value);
    else if (only === undefined || this.#key === key) {
      this.#key = key;
      this.#value = value;
    } else {
      this.#all = new Map([
        [this.#key, only],
        [key, value],
      ]);
    }
  }

  /** In the order of their coming, as entries are. */
  values(): Iterable<Value> {
    if (this.#all) return this.#all.values();
    return this.#value === undefined ? [] : [this.#value];
  }

  forEach(visit: (value: Value, key: string) => void): void {
    if (this.#all) this.#all.forEach(visit);
    else if (this.#value !== undefined) visit(this.#value, this.#key);
  }
}
