/** A number for each group, however many there come to be. */
export class ByGroup {
  readonly #blank: number;
  #values: Float64Array;

  /** @param blank of groups of which nothing is known yet */
  constructor(blank: number) {
    this.#blank = blank;
    this.#values = new Float64Array(64).fill(blank);
  }

  of(group: number): number {
    return this.#values[group] ?? this.#blank;
  }

  /** Values to be written, at least `count` of them; good until it is asked again. */
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
