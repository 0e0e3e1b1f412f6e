/**
 * Texts of many dictionaries as codes of one, told apart by their bytes in kernels
 * (workers/kernels/texts.ts): sets of which each has dictionaries of its own come together without a
 * text being decoded. Code 0 is the empty text, then 1, 2, … in the order of their coming.
 *
 *   0   slots u32, mask u32, count u32, offsets u32, bytes u32, hashes u32, room u32 for texts, for bytes
 */
import type { Owner } from './arena.ts';
import type { Workspace } from './codes.ts';
import { Dictionary, DictionaryBuilder, type Texts, type TextsAt } from './dictionary.ts';
import type { Engine } from './kernels.ts';
import { growRun, slotsFor } from './number-table.ts';

const STATE_BYTES = 32;
const TEXTS_LEAST = 4096;
const FULL = -1;

export class TextIndex implements Texts {
  /** What kernels know it by. */
  readonly state: number;
  readonly #space: Workspace;
  /** What there is room for. */
  #texts = 0;
  #bytes = 0;

  /** @param owner of what the index needs, until `free` */
  constructor(engine: Engine, owner: Owner) {
    const { arena } = engine;
    this.#space = { engine, owner };
    this.state = arena.allocateZeroed(STATE_BYTES, owner);
    this.#reserve(TEXTS_LEAST, 16 * TEXTS_LEAST);
    this.clear();
  }

  get size(): number {
    return this.#fields[2];
  }

  /** Of all texts. */
  get bytes(): number {
    const [, , count, offsets] = this.#fields;
    return this.#space.engine.arena.u32(offsets + 4 * count, 1)[0];
  }

  /** Until it grows. */
  get at(): TextsAt {
    const [, , size, offsets, bytes] = this.#fields;
    return { offsets, bytes, size, length: this.bytes };
  }

  text(code: number): string {
    const { at, length } = this.place(code);
    return this.#space.engine.arena.text(at, length).toString();
  }

  /** Where the bytes of a text are, until it grows. */
  place(code: number): { readonly at: number; readonly length: number } {
    const [, , count, offsets, bytes] = this.#fields;
    if (!(code >= 0 && code < count)) throw new Error(`BUG: text ${code} of ${count}`);
    const [from, to] = this.#space.engine.arena.u32(offsets + 4 * code, 2);
    return { at: bytes + from, length: to - from };
  }

  /** The code of a text, a new one if it has none. */
  code(text: string): number {
    const { arena } = this.#space.engine;
    const bytes = Buffer.byteLength(text);
    const at = arena.allocate(bytes, this.#space.owner);
    arena.text(at, bytes).write(text);
    const code = this.codeAt(at, bytes);
    arena.free(at, bytes);
    return code;
  }

  /** The code of a text somewhere else in the arena. */
  codeAt(at: number, length: number): number {
    const { kernels } = this.#space.engine;
    const code = kernels.addText(this.state, at, length);
    if (code !== FULL) return code;
    this.#reserve(this.size + 1, this.bytes + length);
    return kernels.addText(this.state, at, length);
  }

  /** Makes room for as many texts again. */
  grow(): void {
    this.#reserve(2 * this.#texts, 2 * this.#bytes);
  }

  /** Forgets all texts but the empty one, and keeps their room. */
  clear(): void {
    const { arena, kernels } = this.#space.engine;
    const fields = this.#fields;
    const [slots, mask, , offsets] = fields;
    arena.u32(slots, mask + 1).fill(0);
    fields[2] = 0;
    arena.u32(offsets, 1)[0] = 0;
    kernels.addText(this.state, 0, 0);
  }

  /**
   * Adds the texts of another dictionary.
   * @param owner of what is returned
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
    const [, , count, offsets, from] = this.#fields;
    const bytes = arena.u32(offsets, count + 1)[count];
    const bytesOffset = 8 + 4 * count;
    const address = arena.allocate(bytesOffset + bytes, owner);
    arena.u32(address, 1)[0] = count;
    arena.u32(address + 4, count + 1).set(arena.u32(offsets, count + 1));
    arena.u8(address + bytesOffset, bytes).set(arena.u8(from, bytes));
    return new Dictionary(arena, address);
  }

  /** Nothing may be called after it. */
  free(): void {
    const { arena } = this.#space.engine;
    const [slots, mask, , offsets, bytes, hashes] = this.#fields;
    arena.free(slots, 4 * (mask + 1));
    arena.free(offsets, 4 * (this.#texts + 1));
    arena.free(bytes, this.#bytes);
    arena.free(hashes, 4 * this.#texts);
    arena.free(this.state, STATE_BYTES);
  }

  get #fields(): Uint32Array {
    return this.#space.engine.arena.u32(this.state, STATE_BYTES / 4);
  }

  #merge({ size, bytes, at }: Dictionary, owner: Owner): Uint32Array {
    const { arena, kernels } = this.#space.engine;
    const [, , count, offsets] = this.#fields;
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
      fields[4] = growRun(this.#space, fields[4], this.#bytes, room);
      fields[7] = this.#bytes = room;
    }
    if (texts <= this.#texts) return;
    const room = Math.max(texts, 2 * this.#texts);
    const before = this.#texts === 0 ? 0 : 4 * (this.#texts + 1);
    fields[3] = growRun(this.#space, fields[3], before, 4 * (room + 1));
    fields[5] = growRun(this.#space, fields[5], 4 * this.#texts, 4 * room);
    if (this.#texts > 0) arena.free(fields[0], 4 * (fields[1] + 1));
    const { slots, mask } = slotsFor(this.#space, fields[5], fields[2], room);
    fields[0] = slots;
    fields[1] = mask;
    fields[6] = this.#texts = room;
  }
}
