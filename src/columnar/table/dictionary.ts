/**
 * Texts as codes. Code 0 is the empty text, which also stands for an absent label. In the arena:
 *
 *   0               count u32, code 0 included
 *   4               count + 1 offsets u32 into the bytes below, the first 0, as in Arrow's utf8
 *   8 + 4 x count   the texts, UTF-8, one after the other
 */
import type { Arena, Owner } from '../memory/arena.ts';
import { spendHeap } from '../memory/heap.ts';

/** Longer dictionaries are decoded text by text, as only few texts may be needed. */
const WHOLE_BYTES_MAX = 65536;

/** Heap that a text takes on top of its characters: an entry by code and one for look-ups. */
const TEXT_BYTES = 32;
const FOUND_BYTES = 40;

/** Texts by code, as both a dictionary and its builder have them. */
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

/** Texts that grow. */
export interface GrowingTexts extends Texts {
  /** The codes of texts, new ones of those that are new. @throws {HeapFull | ArenaFull} */
  codes(texts: readonly string[]): Uint32Array;
}

/** Addresses of texts by code: u32 offsets, one more than there are codes, into the bytes. */
export interface TextsAt {
  readonly offsets: number;
  readonly bytes: number;
  /** Codes are in [0, size). */
  readonly size: number;
  /** Bytes of all texts. */
  readonly length: number;
}

const COUNT_BYTES = 4;

/** Where a dictionary of so many texts has its offsets and its texts. */
export function dictionaryPlaces(
  address: number,
  size: number,
): Pick<TextsAt, 'offsets' | 'bytes'> {
  const offsets = address + COUNT_BYTES;
  return { offsets, bytes: offsets + 4 * (size + 1) };
}

/** @param textBytes of all texts */
export function dictionaryBytes(size: number, textBytes: number): number {
  return dictionaryPlaces(0, size).bytes + textBytes;
}

/** Room for a dictionary, in a run of its own. */
export interface LaidDictionary extends Pick<TextsAt, 'offsets' | 'bytes'> {
  readonly address: number;
  readonly runBytes: number;
}

/** All but the first offset and the texts are to be filled. @throws {ArenaFull} */
export function layDictionary(
  arena: Arena,
  owner: Owner,
  size: number,
  textBytes: number,
): LaidDictionary {
  const runBytes = dictionaryBytes(size, textBytes);
  const address = arena.allocate(runBytes, owner);
  const places = dictionaryPlaces(address, size);
  arena.u32(address, 1)[0] = size;
  arena.u32(places.offsets, 1)[0] = 0;
  return { address, runBytes, ...places };
}

/** Gives codes to texts: 0 to the empty one, then 1, 2, … in the order in which they first appear. */
export class DictionaryBuilder implements StorableTexts, GrowingTexts {
  readonly #codes: Map<string, number> = new Map([['', 0]]);
  readonly #texts: string[] = [''];

  get size(): number {
    return this.#texts.length;
  }

  text(code: number): string {
    return this.#texts[code] ?? unknown(code, this.size);
  }

  /** The code of `text`, a new one if it is new. @throws {HeapFull} */
  code(text: string): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    this.#codes.set(text, this.#texts.length);
    const code = this.#texts.push(text) - 1;
    spendHeap(text.length + TEXT_BYTES + FOUND_BYTES);
    return code;
  }

  codes(texts: readonly string[]): Uint32Array {
    return Uint32Array.from(texts, (text) => this.code(text));
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

  /** A copy in a run of its own. Fast where all texts are ASCII, as each byte is a character. */
  store(arena: Arena, owner: Owner): Dictionary {
    const joined = this.#texts.join('');
    const bytes = Buffer.byteLength(joined);
    if (bytes !== joined.length) return this.#storeEach(arena, owner);
    const laid = layDictionary(arena, owner, this.size, bytes);
    const offsets = arena.u32(laid.offsets, this.size + 1);
    for (let code = 0, end = 0; code < this.size; code++) {
      end += this.#texts[code].length;
      offsets[code + 1] = end;
    }
    arena.text(laid.bytes, bytes).write(joined, 'latin1');
    return new Dictionary(arena, laid.address);
  }

  #storeEach(arena: Arena, owner: Owner): Dictionary {
    const bytes = this.#texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const laid = layDictionary(arena, owner, this.size, bytes);
    const offsets = arena.u32(laid.offsets, this.size + 1);
    const target = arena.text(laid.bytes, bytes);
    this.#texts.forEach((text, code) => {
      offsets[code + 1] = offsets[code] + target.write(text, offsets[code]);
    });
    return new Dictionary(arena, laid.address);
  }
}

/** A dictionary in the arena; any thread can open it by its address. */
export class Dictionary implements StorableTexts {
  readonly address: number;
  readonly size: number;
  /** The start of each text in `bytes`, and the end of the last one. */
  readonly offsets: Uint32Array;
  /** All texts, UTF-8. */
  readonly bytes: Uint8Array;
  /** The addresses of both. */
  readonly at: TextsAt;
  readonly #buffer: Buffer;
  readonly #texts: string[] = [];
  #whole: string | undefined;
  #codes: Map<string, number> | undefined;

  constructor(arena: Arena, address: number) {
    this.address = address;
    this.size = arena.u32(address, 1)[0];
    const { size } = this;
    const at = dictionaryPlaces(address, size);
    this.offsets = arena.u32(at.offsets, size + 1);
    this.bytes = arena.u8(at.bytes, this.offsets[size]);
    this.at = { ...at, size, length: this.bytes.length };
    this.#buffer = arena.text(at.bytes, this.bytes.length);
  }

  text(code: number): string {
    if (!(code >= 0 && code < this.size)) return unknown(code, this.size);
    return (this.#texts[code] ??= this.#decode(this.offsets[code], this.offsets[code + 1]));
  }

  /** Short ASCII dictionaries are decoded as a whole and then sliced, as each byte is a character. */
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
