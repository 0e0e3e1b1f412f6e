/**
 * Texts as codes. Code 0 is the empty text, which is also what an absent label is. In the arena:
 *
 *   0               count u32, code 0 included
 *   4               count + 1 offsets u32 into the bytes below, the first 0, as in Arrow's utf8
 *   8 + 4 x count   the texts, UTF-8, one after the other
 */
import type { Arena, Owner } from './arena.ts';
import { spendHeap } from './heap.ts';

/** Of a longer dictionary, few texts may be looked at. */
const WHOLE_BYTES_MAX = 65536;

/** What a text takes of the heap beside its characters, by code, and to be found by. */
const TEXT_BYTES = 32;
const FOUND_BYTES = 40;

/** Texts by code: what a dictionary and its builder have in common. */
export interface Texts {
  /** Codes are in [0, size). */
  readonly size: number;
  /** @throws {Error} for a code that is not in the dictionary */
  text(code: number): string;
}

/** Texts that can be copied into the arena. */
export interface StorableTexts extends Texts {
  store(arena: Arena, owner: Owner): Dictionary;
}

/** Where texts by code are: u32 offsets, one more than there are codes, into the bytes. */
export interface TextsAt {
  readonly offsets: number;
  readonly bytes: number;
  /** Codes are in [0, size). */
  readonly size: number;
  /** Bytes of all texts. */
  readonly length: number;
}

/** Gives texts their codes: 0 for the empty one, then 1, 2, … in the order of their coming. */
export class DictionaryBuilder implements StorableTexts {
  readonly #codes: Map<string, number> = new Map([['', 0]]);
  readonly #texts: string[] = [''];

  get size(): number {
    return this.#texts.length;
  }

  text(code: number): string {
    return this.#texts[code] ?? unknown(code, this.size);
  }

  /** The code of `text`, a new one if it has none. @throws {HeapFull} */
  code(text: string): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    this.#codes.set(text, this.#texts.length);
    const code = this.#texts.push(text) - 1;
    spendHeap(text.length + TEXT_BYTES + FOUND_BYTES);
    return code;
  }

  /** The code of `text`, or undefined if it has none. */
  find(text: string): number | undefined {
    return this.#codes.get(text);
  }

  /**
   * Adds the texts of another dictionary.
   * @returns their codes here, by their codes there
   */
  merge(other: Texts): Uint32Array {
    const codes = new Uint32Array(other.size);
    for (let code = 1; code < codes.length; code++) codes[code] = this.code(other.text(code));
    return codes;
  }

  /** A copy in the arena, in a run of its own. Where all is ASCII, bytes are characters. */
  store(arena: Arena, owner: Owner): Dictionary {
    const joined = this.#texts.join('');
    const bytes = Buffer.byteLength(joined);
    if (bytes !== joined.length) return this.#storeEach(arena, owner);
    const bytesOffset = 8 + 4 * this.size;
    const address = arena.allocate(bytesOffset + bytes, owner);
    const header = arena.u32(address, this.size + 2);
    header.set([this.size, 0]);
    for (let code = 0, end = 0; code < this.size; code++) {
      end += this.#texts[code].length;
      header[code + 2] = end;
    }
    arena.text(address + bytesOffset, bytes).write(joined, 'latin1');
    return new Dictionary(arena, address);
  }

  #storeEach(arena: Arena, owner: Owner): Dictionary {
    const bytes = this.#texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const bytesOffset = 8 + 4 * this.size;
    const address = arena.allocate(bytesOffset + bytes, owner);
    const header = arena.u32(address, this.size + 2);
    const target = arena.text(address + bytesOffset, bytes);
    header.set([this.size, 0]);
    this.#texts.forEach((text, code) => {
      header[code + 2] = header[code + 1] + target.write(text, header[code + 1]);
    });
    return new Dictionary(arena, address);
  }
}

/** A dictionary in the arena; any thread can open it by its address. */
export class Dictionary implements StorableTexts {
  readonly address: number;
  readonly size: number;
  /** Where each text starts in `bytes`, and where the last one ends. */
  readonly offsets: Uint32Array;
  /** All texts, UTF-8. */
  readonly bytes: Uint8Array;
  /** Where both are in the arena. */
  readonly at: TextsAt;
  readonly #buffer: Buffer;
  readonly #texts: string[] = [];
  #whole: string | undefined;
  #codes: Map<string, number> | undefined;

  constructor(arena: Arena, address: number) {
    this.address = address;
    this.size = arena.u32(address, 1)[0];
    this.offsets = arena.u32(address + 4, this.size + 1);
    const bytesAt = address + 8 + 4 * this.size;
    this.bytes = arena.u8(bytesAt, this.offsets[this.size]);
    const { size, bytes } = this;
    this.at = { offsets: address + 4, bytes: bytesAt, size, length: bytes.length };
    this.#buffer = arena.text(bytesAt, this.bytes.length);
  }

  text(code: number): string {
    if (!(code >= 0 && code < this.size)) return unknown(code, this.size);
    return (this.#texts[code] ??= this.#decode(this.offsets[code], this.offsets[code + 1]));
  }

  /** Short dictionaries are decoded at once: where all is ASCII, bytes are characters. */
  #decode(start: number, end: number): string {
    spendHeap(end - start + TEXT_BYTES);
    if (this.#buffer.length > WHOLE_BYTES_MAX) return this.#buffer.toString('utf8', start, end);
    const whole = (this.#whole ??= this.#buffer.toString());
    const isAscii = whole.length === this.#buffer.length;
    return isAscii ? whole.slice(start, end) : this.#buffer.toString('utf8', start, end);
  }

  /** A copy in a run of its own. */
  store(arena: Arena, owner: Owner): Dictionary {
    const bytes = this.at.bytes + this.bytes.length - this.address;
    const address = arena.allocate(bytes, owner);
    arena.u8(address, bytes).set(arena.u8(this.address, bytes));
    return new Dictionary(arena, address);
  }

  /** The code of `text`, or undefined if it has none. */
  find(text: string): number | undefined {
    this.#codes ??= new Map(
      Array.from({ length: this.size }, (_, code) => [this.text(code), code]),
    );
    return this.#codes.get(text);
  }
}

function unknown(code: number, size: number): never {
  throw new Error(`BUG: code ${code} in a dictionary of ${size}`);
}
