/**
 * Texts of many dictionaries as codes of one, told apart by their bytes: nothing is decoded, so that
 * sets of which each has a dictionary of its own are brought together in 50 ns a text. Code 0 is the
 * empty text, then 1, 2, … in the order of their coming. FNV-1a into a table of open addresses.
 */
import type { Arena, Owner } from './arena.ts';
import { Dictionary, type Texts } from './dictionary.ts';

const SLOTS_LEAST = 1024;
const BYTES_LEAST = 16_384;
const BASIS = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

export class TextIndex implements Texts {
  size = 0;
  #bytes: Buffer = Buffer.alloc(BYTES_LEAST);
  /** One more than there are texts. */
  #offsets: Uint32Array = new Uint32Array(SLOTS_LEAST);
  #hashes: Int32Array = new Int32Array(SLOTS_LEAST);
  /** Codes + 1 by hash; 0: free. At least twice as many as texts. */
  #slots: Int32Array = new Int32Array(SLOTS_LEAST);

  constructor() {
    this.#code(this.#bytes, 0, 0);
  }

  text(code: number): string {
    if (!(code >= 0 && code < this.size)) throw new Error(`BUG: code ${code} of ${this.size}`);
    return this.#bytes.toString('utf8', this.#offsets[code], this.#offsets[code + 1]);
  }

  /**
   * Adds the texts of another dictionary.
   * @returns their codes here, by their codes there
   */
  merge(other: Texts): Uint32Array {
    const codes = new Uint32Array(other.size);
    for (let code = 0; code < codes.length; code++) {
      if (other instanceof Dictionary) {
        codes[code] = this.#code(other.bytes, other.offsets[code], other.offsets[code + 1]);
      } else {
        const bytes = Buffer.from(other.text(code));
        codes[code] = this.#code(bytes, 0, bytes.length);
      }
    }
    return codes;
  }

  /** A copy in the arena, in a run of its own. */
  store(arena: Arena, owner: Owner): Dictionary {
    const bytes = this.#offsets[this.size];
    const bytesOffset = 8 + 4 * this.size;
    const address = arena.allocate(bytesOffset + bytes, owner);
    arena.u32(address, 1)[0] = this.size;
    arena.u32(address + 4, this.size + 1).set(this.#offsets.subarray(0, this.size + 1));
    arena.u8(address + bytesOffset, bytes).set(this.#bytes.subarray(0, bytes));
    return new Dictionary(arena, address);
  }

  /** The code of bytes [from, to). */
  #code(bytes: Uint8Array, from: number, to: number): number {
    let hash = BASIS;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], PRIME);
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const code = this.#slots[slot] - 1;
      if (this.#hashes[code] === hash && this.#isText(code, bytes, from, to)) return code;
    }
    this.#slots[slot] = this.size + 1;
    return this.#add(hash, bytes, from, to);
  }

  #isText(code: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#offsets[code];
    if (this.#offsets[code + 1] - start !== to - from) return false;
    for (let i = 0; i < to - from; i++) {
      if (this.#bytes[start + i] !== bytes[from + i]) return false;
    }
    return true;
  }

  #add(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const code = this.size++;
    const start = this.#offsets[code];
    const end = start + to - from;
    if (end > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], Math.max(2 * this.#bytes.length, end));
    }
    this.#bytes.set(bytes.subarray(from, to), start);
    if (this.size >= this.#offsets.length) this.#grow();
    this.#offsets[code + 1] = end;
    this.#hashes[code] = hash;
    if (2 * this.size > this.#slots.length) this.#spread();
    return code;
  }

  #grow(): void {
    const room = 2 * this.#offsets.length;
    const [offsets, hashes] = [new Uint32Array(room), new Int32Array(room)];
    offsets.set(this.#offsets);
    hashes.set(this.#hashes);
    this.#offsets = offsets;
    this.#hashes = hashes;
  }

  #spread(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let code = 0; code < this.size; code++) {
      const hash = this.#hashes[code];
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = code + 1;
    }
    this.#slots = slots;
  }
}
