/** Values of codes, a number each, each found once. */

/** Marks a code whose value is not read yet. */
const UNKNOWN = Infinity;
const CODES_LEAST = 4096;

export class CodeValues {
  #known: Float64Array = new Float64Array(CODES_LEAST).fill(UNKNOWN);
  readonly #read: (code: number) => number;

  /** @param read finite, or NaN */
  constructor(read: (code: number) => number) {
    this.#read = read;
  }

  of(code: number): number {
    const known = this.#known[code] ?? UNKNOWN;
    return known === UNKNOWN ? this.#learn(code) : known;
  }

  /** Writes the value of each row; NaN becomes 0 where the target has whole numbers. */
  each(codes: Uint32Array, target: Float64Array | Uint32Array): void {
    for (let row = 0; row < codes.length; row++) target[row] = this.of(codes[row] ?? 0);
  }

  forget(): void {
    this.#known.fill(UNKNOWN);
  }

  #learn(code: number): number {
    if (code >= this.#known.length) {
      const known = new Float64Array(2 ** Math.ceil(Math.log2(code + 1))).fill(UNKNOWN);
      known.set(this.#known);
      this.#known = known;
    }
    return (this.#known[code] = this.#read(code));
  }
}
