/** Numbers for texts that are read as bytes (UTF-8): a text becomes a string only where it is shown. */
import { spendHeap } from '../../columnar/index.ts';

/** Heap that a text takes besides its bytes: its places in tables, and the string it may become. */
const TEXT_BYTES = 100;

export class ByteTexts {
  /** Number of the text + 1, by its hash. */
  #slots: Int32Array = new Int32Array(256);
  /** The texts, one after the other; where each ends, from #ends[number + 1] on. */
  #bytes: Buffer = Buffer.alloc(4096);
  #ends: Uint32Array = new Uint32Array(128);
  #hashes: Int32Array = new Int32Array(128);
  readonly #texts: (string | undefined)[] = [];

  /** How many there are; the next one that is new has this number. */
  get size(): number {
    return this.#texts.length;
  }

  text(number: number): string {
    const [from, to] = [this.#ends[number], this.#ends[number + 1]];
    return (this.#texts[number] ??= this.#bytes.toString('utf8', from, to));
  }

  /** The number of the text in [start, end). @throws {HeapFull} */
  number(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOf(bytes, start, end);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let found = this.#slots[slot]; found; found = this.#slots[slot]) {
      const number = found - 1;
      if (this.#hashes[number] === hash && this.#isAt(number, bytes, start, end)) return number;
      slot = (slot + 1) & mask;
    }
    return this.#add(hash, bytes.subarray(start, end));
  }

  #isAt(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#ends[number] ?? 0;
    if ((this.#ends[number + 1] ?? 0) - from !== end - start) return false;
    const own = this.#bytes;
    for (let i = start, at = from; i < end; i++, at++) if (own[at] !== bytes[i]) return false;
    return true;
  }

  #add(hash: number, text: Uint8Array): number {
    spendHeap(TEXT_BYTES + 2 * text.length);
    const number = this.size;
    const from = this.#ends[number] ?? 0;
    const to = from + text.length;
    if (to > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(to)]);
    this.#bytes.set(text, from);
    this.#texts.push(undefined);
    if (number + 1 >= this.#ends.length) this.#grow();
    this.#ends[number + 1] = to;
    this.#hashes[number] = hash;
    this.#place(number);
    return number;
  }

  #grow(): void {
    const ends = new Uint32Array(2 * this.#ends.length);
    const hashes = new Int32Array(2 * this.#hashes.length);
    ends.set(this.#ends);
    hashes.set(this.#hashes);
    [this.#ends, this.#hashes] = [ends, hashes];
    this.#slots = new Int32Array(2 * ends.length);
    for (let number = 0; number < this.size - 1; number++) this.#place(number);
  }

  #place(number: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#hashes[number] ?? 0) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = number + 1;
  }
}

/** FNV-1a of 32 bits. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}
