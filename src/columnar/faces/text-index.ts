/**
 * Texts of many dictionaries as codes of one, compared as bytes by kernels
 * (workers/kernels/text/texts.ts): sets with their own dictionaries are joined without decoding a text.
 * Code 0 is the empty text, then 1, 2, … in the order in which texts first appear.
 */
import type { Owner } from '../memory/arena.ts';
import type { Workspace } from './codes.ts';
import {
  Dictionary,
  DictionaryBuilder,
  layDictionary,
  type Texts,
  type TextsAt,
} from '../table/dictionary.ts';
import type { Engine } from '../kernels.ts';
import { structAt, type Struct } from '../memory/struct.ts';
import { TEXTS_FULL } from './layout/constants.ts';
import { TEXT_TABLE } from './layout/text.ts';
import { growRun, slotsFor } from './number-table.ts';

const TEXTS_LEAST = 4096;

export class TextIndex implements Texts {
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
    if (other instanceof Dictionary) return this.#merge(other, owner);
    const { arena } = this.#space.engine;
    const copy = new DictionaryBuilder();
    const codes = copy.merge(other);
    const stored = copy.store(arena, owner);
    const merged = this.#merge(stored, owner);
    return codes.map((code) => merged[code]);
  }

  /** A copy in a run of its own. */
  store(owner: Owner): Dictionary {
    const { arena } = this.#space.engine;
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

  #merge({ size, bytes, at }: Dictionary, owner: Owner): Uint32Array {
    const { arena, kernels } = this.#space.engine;
    const { count, offsets } = this.#fields;
    const used = arena.u32(offsets + 4 * count, 1)[0];
    this.#reserve(count + size, used + bytes.length);
    const out = arena.allocate(4 * size, owner);
    kernels.mergeTexts(this.state, at.offsets, at.bytes, size, out);
    return arena.u32(out, size);
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
