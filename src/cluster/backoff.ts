/** Pauses between tries: from 0.8 s, doubling up to 30 s, each half fixed and half random. */

const FIRST_MS = 800;
const MOST_MS = 30_000;

export class Backoff {
  readonly #random: () => number;
  #tries = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** In [0.8 s, 30 s]. */
  nextMs(): number {
    const wholeMs = Math.min(MOST_MS, 2 * FIRST_MS * 2 ** this.#tries++);
    return Math.max(FIRST_MS, wholeMs * (0.5 + this.#random() / 2));
  }

  reset(): void {
    this.#tries = 0;
  }
}
