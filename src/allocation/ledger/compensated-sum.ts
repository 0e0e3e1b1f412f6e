/** A sum with its rounding errors kept apart (Neumaier 1974). */
export class Sum {
  #high: number = 0;
  #low: number = 0;

  get value(): number {
    return this.#high + this.#low;
  }

  add(amount: number): void {
    const high = this.#high + amount;
    const isSmaller = Math.abs(amount) <= Math.abs(this.#high);
    this.#low += isSmaller ? this.#high - high + amount : amount - high + this.#high;
    this.#high = high;
  }

  copy(): Sum {
    const copy = new Sum();
    copy.#high = this.#high;
    copy.#low = this.#low;
    return copy;
  }

  /** What was added since `earlier` was copied from it. */
  since(earlier: Sum): number {
    return this.#high - earlier.#high + (this.#low - earlier.#low);
  }
}
