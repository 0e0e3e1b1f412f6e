/** The texts of a block, each once, numbered as they come; in the file they are sorted. */

export class Symbols {
  /** By bytes as latin-1, which sorts as the bytes do. */
  readonly #numbers: Map<string, number> = new Map();
  readonly #texts: string[] = [];

  get size(): number {
    return this.#texts.length;
  }

  /** The number of bytes [from, to). */
  add(bytes: Buffer, from: number, to: number): number {
    const text = bytes.toString('latin1', from, to);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const added = this.#texts.length;
    this.#numbers.set(text, added);
    this.#texts.push(text);
    return added;
  }

  text(number: number): string {
    return this.#texts[number] ?? '';
  }

  /** @returns texts in order, and each number's place among them */
  sorted(): { readonly texts: readonly string[]; readonly places: Uint32Array } {
    const texts = this.#texts.toSorted();
    const places = new Uint32Array(texts.length);
    for (const [place, text] of texts.entries()) places[this.#numbers.get(text) ?? 0] = place;
    return { texts, places };
  }
}
