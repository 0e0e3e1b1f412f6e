/**
 * Texts of many dictionaries as codes of one, compared as bytes by kernels
 * (workers/kernels/text/texts.ts): sets with their own dictionaries are joined without decoding a text.
 * Code 0 is the empty text, then 1, 2, … in the order in which texts first appear.
 */
import type { Arena, Owner } from '../memory/arena.ts';
import type { Workspace } from './codes.ts';
import {
  Dictionary,
  DictionaryBuilder,
  layDictionary,
  type GrowingTexts,
  type StorableTexts,
  type Texts,
  type TextsAt,
} from '../table/dictionary.ts';
import type { Engine } from '../kernels.ts';
import { structAt, type Struct } from '../memory/struct.ts';
import { TEXTS_FULL } from './layout/constants.ts';
import { TEXT_TABLE } from './layout/text.ts';
import { growRun, slotsFor } from './number-table.ts';

const TEXTS_LEAST = 4096;

export class TextIndex implements StorableTexts, GrowingTexts {
  /** Address of the index, for kernels. */
  readonly state: number;
  readonly #space: Workspace;
  /** The room, in texts and bytes. */
  #texts = 0;
  #bytes = 0;

  /** @param owner of the index's memory, until `free` */
  constructor(engine: Engine, owner: Owner) {
    const { arena } = engine;
    this.#space = { engine, owner };
    this.state = arena.allocateZeroed(TEXT_TABLE.bytes, owner);
    this.#reserve(TEXTS_LEAST, 16 * TEXTS_LEAST);
    this.clear();
  }

  get size(): number {
    return this.#fields.count;
  }

  /** Bytes of all texts. */
  get bytes(): number {
    const { count, offsets } = this.#fields;
    return this.#space.engine.arena.u32(offsets + 4 * count, 1)[0];
  }

  /** Valid until the index grows. */
  get at(): TextsAt {
    const { count: size, offsets, bytes } = this.#fields;
    return { offsets, bytes, size, length: this.bytes };
  }

  text(code: number): string {
    const { at, length } = this.place(code);
    return this.#space.engine.arena.text(at, length).toString();
  }

  /** The place of a text's bytes, valid until the index grows. */
  place(code: number): { readonly at: number; readonly length: number } {
    const { count, offsets, bytes } = this.#fields;
    if (!(code >= 0 && code < count)) throw new Error(`BUG: text ${code} of ${count}`);
    const [from, to] = this.#space.engine.arena.u32(offsets + 4 * code, 2);
    return { at: bytes + from, length: to - from };
  }

  /** The code of a text, a new one if it is new. */
  code(text: string): number {
    const { arena } = this.#space.engine;
    const bytes = Buffer.byteLength(text);
    const at = arena.allocate(bytes, this.#space.owner);
    arena.text(at, bytes).write(text);
    const code = this.codeAt(at, bytes);
    arena.free(at, bytes);
    return code;
  }

  /** The code of a text, or undefined if it has none. */
  find(text: string): number | undefined {
    const { arena, kernels } = this.#space.engine;
    const bytes = Buffer.byteLength(text);
    const at = arena.allocate(bytes, this.#space.owner);
    arena.text(at, bytes).write(text);
    const code = kernels.findText(this.state, at, bytes) >>> 0;
    arena.free(at, bytes);
    return code === TEXTS_FULL ? undefined : code;
  }

  /**
   * Lets a kernel add texts, and grows where there is no room.
   * @param add begins with a place, and returns the one that found no room, or `count` or more
   */
  addAll(count: number, add: (from: number) => number): number {
    for (let from = 0; ; this.grow()) {
      from = add(from) >>> 0;
      if (from >= count) return from;
    }
  }

  /** The codes of many texts, in their order. @returns in the arena, with the owner of the index */
  codes(texts: readonly string[]): Uint32Array {
    const { arena } = this.#space.engine;
    const size = texts.length;
    const length = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const bytes = 4 * (size + 1);
    const offsets = arena.allocate(bytes + length, this.#space.owner);
    const ends = arena.u32(offsets, size + 1);
    const target = arena.text(offsets + bytes, length);
    ends[0] = 0;
    texts.forEach((text, i) => (ends[i + 1] = ends[i] + target.write(text, ends[i])));
    const at = { offsets, bytes: offsets + bytes, size, length };
    const codes = this.mergeAt(at, this.#space.owner);
    arena.free(offsets, bytes + length);
    return codes;
  }

  /** The code of a text elsewhere in the arena. */
  codeAt(at: number, length: number): number {
    const { kernels } = this.#space.engine;
    const code = kernels.addText(this.state, at, length) >>> 0;
    if (code !== TEXTS_FULL) return code;
    this.#reserve(this.size + 1, this.bytes + length);
    return kernels.addText(this.state, at, length);
  }

  /** Doubles the room. */
  grow(): void {
    this.#reserve(2 * this.#texts, 2 * this.#bytes);
  }

  /** Removes all texts but the empty one; the room stays. */
  clear(): void {
    const { arena, kernels } = this.#space.engine;
    const fields = this.#fields;
    const { slots, mask, offsets } = fields;
    arena.u32(slots, mask + 1).fill(0);
    fields.count = 0;
    arena.u32(offsets, 1)[0] = 0;
    kernels.addText(this.state, 0, 0);
  }

  /**
   * Adds the texts of another dictionary.
   * @param owner of the result
   * @returns their codes here, by their codes there; in the arena
   */
  merge(other: Texts, owner: Owner): Uint32Array {
    if (other instanceof Dictionary) return this.mergeAt(other.at, owner);
    const { arena } = this.#space.engine;
    const copy = new DictionaryBuilder();
    const codes = copy.merge(other);
    const stored = copy.store(arena, owner);
    const merged = this.mergeAt(stored.at, owner);
    return codes.map((code) => merged[code]);
  }

  /** As `merge`, of texts elsewhere in the arena. */
  mergeAt({ offsets, bytes, size, length }: TextsAt, owner: Owner): Uint32Array {
    const { arena, kernels } = this.#space.engine;
    this.#reserve(this.size + size, this.bytes + length);
    const out = arena.allocate(4 * size, owner);
    kernels.mergeTexts(this.state, offsets, bytes, size, out);
    return arena.u32(out, size);
  }

  /** A copy in a run of its own. */
  store(arena: Arena, owner: Owner): Dictionary {
    const { size, length, offsets, bytes } = this.at;
    const laid = layDictionary(arena, owner, size, length);
    arena.u32(laid.offsets, size + 1).set(arena.u32(offsets, size + 1));
    arena.u8(laid.bytes, length).set(arena.u8(bytes, length));
    return new Dictionary(arena, laid.address);
  }

  /** Frees the index, which must not be used afterwards. */
  free(): void {
    const { arena } = this.#space.engine;
    const { slots, mask, offsets, bytes, hashes } = this.#fields;
    arena.free(slots, 4 * (mask + 1));
    arena.free(offsets, 4 * (this.#texts + 1));
    arena.free(bytes, this.#bytes);
    arena.free(hashes, 4 * this.#texts);
    arena.free(this.state, TEXT_TABLE.bytes);
  }

  get #fields(): Struct<typeof TEXT_TABLE> {
    return structAt(this.#space.engine.arena, this.state, TEXT_TABLE);
  }

  #reserve(texts: number, bytes: number): void {
    const fields = this.#fields;
    const { arena } = this.#space.engine;
    if (bytes > this.#bytes) {
      const room = Math.max(bytes, 2 * this.#bytes);
      fields.bytes = growRun(this.#space, fields.bytes, this.#bytes, room);
      fields.bytesRoom = this.#bytes = room;
    }
    if (texts <= this.#texts) return;
    const room = Math.max(texts, 2 * this.#texts);
    const before = this.#texts === 0 ? 0 : 4 * (this.#texts + 1);
    fields.offsets = growRun(this.#space, fields.offsets, before, 4 * (room + 1));
    fields.hashes = growRun(this.#space, fields.hashes, 4 * this.#texts, 4 * room);
    if (this.#texts > 0) arena.free(fields.slots, 4 * (fields.mask + 1));
    const { slots, mask } = slotsFor(this.#space, fields.hashes, fields.count, room);
    fields.slots = slots;
    fields.mask = mask;
    fields.textsRoom = this.#texts = room;
  }
}

/** A copy of texts in a run of its own, instead of them: an index is freed. */
export function storeTexts(texts: StorableTexts, arena: Arena, owner: Owner): Dictionary {
  const stored = texts.store(arena, owner);
  if (texts instanceof TextIndex) texts.free();
  return stored;
}
