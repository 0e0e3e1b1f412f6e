/** Ids that may not be used again, as long as they could be. */
const SPENT_MAX = 10_000;

export class Spent {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Those that were spent first are forgotten beyond ten thousand. */
  add(id: string): void {
    if (this.#ids.size >= SPENT_MAX) this.#ids.delete(this.#ids.keys().next().value ?? '');
    this.#ids.add(id);
  }
}
