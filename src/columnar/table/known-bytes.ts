/** Numbers for byte strings, in the order in which they first appear, such as pod names in series. */
const FIRST_SLOTS = 4096;
const EMPTY = -1;

export class KnownBytes {
  readonly #bytes: Uint8Array;
  /** The same bytes as words, with those before and after up to whole words. */
  readonly #words: Int32Array;
  /** Numbers by hash, open addressing; at most half of it is in use. */
  #slots: Int32Array = new Int32Array(FIRST_SLOTS).fill(EMPTY);
  /** By number: the place of the string's first appearance. */
  #starts: Uint32Array = new Uint32Array(FIRST_SLOTS / 2);
  #lengths: Uint32Array = new Uint32Array(FIRST_SLOTS / 2);
  #hashes: Int32Array = new Int32Array(FIRST_SLOTS / 2);
  #size = 0;

  /** @param bytes must not change where numbered strings are */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer, 0, Math.floor(bytes.buffer.byteLength / 4));
  }

  /** Numbers are in [0, size). */
  get size(): number {
    return this.#size;
  }

  /**
   * The number of the bytes at [start, end), a new one if they are new.
   * @param hash of the bytes, 32 bits: equal for equal bytes
   */
  number(start: number, end: number, hash: number): number {
    const length = end - start;
    const mask = this.#slots.length - 1;
    let slot = slotOf(hash) & mask;
    for (let number = this.#slots[slot]; number !== EMPTY; number = this.#slots[slot]) {
      if (this.#hashes[number] === (hash | 0) && this.#isSame(number, start, length)) return number;
      slot = (slot + 1) & mask;
    }
    return this.#add(slot, hash, start, length);
  }

  #add(slot: number, hash: number, start: number, length: number): number {
    const number = this.#size++;
    this.#slots[slot] = number;
    this.#starts[number] = start;
    this.#lengths[number] = length;
    this.#hashes[number] = hash;
    if (2 * this.#size === this.#slots.length) this.#grow();
    return number;
  }

  #isSame(number: number, start: number, length: number): boolean {
    if (this.#lengths[number] !== length) return false;
    const bytes = this.#bytes;
    const words = this.#words;
    const known = this.#starts[number];
    const { byteOffset } = bytes;
    let i = 0;
    if ((known + byteOffset) % 4 === 0 && (start + byteOffset) % 4 === 0) {
      const from = (start + byteOffset) / 4;
      const ahead = (known + byteOffset) / 4 - from;
      const end = from + Math.floor(length / 4);
      for (let at = from; at < end; at++) if (words[at] !== words[at + ahead]) return false;
      i = length - (length % 4);
    }
    for (; i < length; i++) if (bytes[known + i] !== bytes[start + i]) return false;
    return true;
  }

  #grow(): void {
    const slots = new Int32Array(2 * this.#slots.length).fill(EMPTY);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let slot = slotOf(this.#hashes[number]) & mask;
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.#slots = slots;
    this.#starts = grown(this.#starts);
    this.#lengths = grown(this.#lengths);
    const hashes = new Int32Array(slots.length / 2);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
  }
}

/** Mixes the hash's high bits into the low ones. */
function slotOf(hash: number): number {
  return hash ^ (hash >>> 15);
}

function grown(values: Uint32Array): Uint32Array {
  const twice = new Uint32Array(2 * values.length);
  twice.set(values);
  return twice;
}
