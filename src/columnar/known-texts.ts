/** Texts among bytes, each decoded once: a pod's name comes with every series of the pod. */
const FIRST_SLOTS = 4096;
const EMPTY = -1;

export class KnownTexts {
  readonly #bytes: Buffer;
  /** Places of texts by hash, open addressing; at most half of it is in use. */
  #slots: Int32Array = new Int32Array(FIRST_SLOTS).fill(EMPTY);
  readonly #texts: string[] = [];
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  readonly #hashes: number[] = [];

  /** @param bytes must not change where texts were decoded */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The UTF-8 text at [start, end); equal texts are one string. */
  text(start: number, end: number): string {
    const length = end - start;
    if (length === 0) return '';
    const hash = this.#hash(start, end);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let place = this.#slots[slot]; place !== EMPTY; place = this.#slots[slot]) {
      if (this.#hashes[place] === hash && this.#isSame(place, start, length))
        return this.#texts[place];
      slot = (slot + 1) & mask;
    }
    return this.#add(slot, hash, start, end);
  }

  #add(slot: number, hash: number, start: number, end: number): string {
    const text = this.#bytes.toString('utf8', start, end);
    this.#slots[slot] = this.#texts.push(text) - 1;
    this.#starts.push(start);
    this.#lengths.push(end - start);
    this.#hashes.push(hash);
    if (2 * this.#texts.length > this.#slots.length) this.#grow();
    return text;
  }

  /** FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), its high bits mixed into the low ones. */
  #hash(start: number, end: number): number {
    const bytes = this.#bytes;
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
    return hash ^ (hash >>> 15);
  }

  #isSame(place: number, start: number, length: number): boolean {
    if (this.#lengths[place] !== length) return false;
    const bytes = this.#bytes;
    const known = this.#starts[place];
    for (let i = 0; i < length; i++) if (bytes[known + i] !== bytes[start + i]) return false;
    return true;
  }

  #grow(): void {
    const slots = new Int32Array(2 * this.#slots.length).fill(EMPTY);
    const mask = slots.length - 1;
    this.#hashes.forEach((hash, place) => {
      let slot = hash & mask;
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
      slots[slot] = place;
    });
    this.#slots = slots;
  }
}
