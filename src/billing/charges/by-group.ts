/** A number for each group; it grows with the number of groups. */
export class ByGroup {
  readonly #blank: number;
  #values: Float64Array;

  /** @param blank the number of new groups */
  constructor(blank: number) {
    this.#blank = blank;
    this.#values = new Float64Array(64).fill(blank);
  }

  of(group: number): number {
    return this.#values[group] ?? this.#blank;
  }

  /** Values to be written, at least `count` of them; valid until the next call. */
  upTo(count: number): Float64Array {
    const { length } = this.#values;
    if (count > length) {
      const values = new Float64Array(Math.max(count, 2 * length)).fill(this.#blank, length);
      values.set(this.#values);
      this.#values = values;
    }
    return this.#values;
  }
}
