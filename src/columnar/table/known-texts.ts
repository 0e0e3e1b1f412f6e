/** Decodes texts among bytes, each different text once. */
import { KnownBytes } from './known-bytes.ts';

export class KnownTexts {
  readonly #bytes: Buffer;
  readonly #known: KnownBytes;
  /** By number. */
  readonly #texts: string[] = [];

  /** @param bytes must not change where decoded texts are */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#known = new KnownBytes(bytes);
  }

  /** The UTF-8 text at [start, end); equal texts are one string. */
  text(start: number, end: number): string {
    if (start === end) return '';
    const number = this.#known.number(start, end, this.#hash(start, end));
    return (this.#texts[number] ??= this.#bytes.toString('utf8', start, end));
  }

  /** FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). */
  #hash(start: number, end: number): number {
    const bytes = this.#bytes;
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
    return hash;
  }
}
