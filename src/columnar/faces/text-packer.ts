/**
 * Columns of texts as stored in files, from codes of an index: as `narrowTexts`, but with bytes instead of
 * strings (workers/kernels/columns/codes.ts, texts.ts). Codes are renumbered in the order in which they
 * first appear, so that a column's own dictionary has only its own texts.
 */
import type { Arena } from '../memory/arena.ts';
import type { KernelExports } from '../kernels.ts';
import type { NarrowArray, Utf8Texts } from '../table/narrow.ts';
import type { Scratch } from '../memory/scratch.ts';
import type { TextIndex } from './text-index.ts';

export interface PackedTexts {
  /** One code for each row. */
  readonly codes: NarrowArray;
  /** By code; the first is the empty text. */
  readonly texts: Utf8Texts;
}

/** Packs columns of one index, which must not get further texts meanwhile. */
export class TextPacker {
  readonly #kernels: KernelExports;
  readonly #scratch: Scratch;
  readonly #index: TextIndex;
  /** Numbers by code, all 0 between columns. */
  readonly #numbers: Uint32Array;

  constructor(kernels: KernelExports, scratch: Scratch, index: TextIndex) {
    this.#kernels = kernels;
    this.#scratch = scratch;
    this.#index = index;
    this.#numbers = scratch.u32(index.size);
  }

  /** @param codes in the arena @returns arrays in the arena, which stay as long as the scratch */
  pack(codes: Uint32Array): PackedTexts {
    const scratch = this.#scratch;
    const { arena } = scratch;
    const rows = codes.length;
    const listed = scratch.take(4 * (rows + 1));
    const numbered = scratch.take(4 * rows);
    const numbers = this.#numbers.byteOffset;
    const count = this.#kernels.numberCodes(codes.byteOffset, rows, numbers, listed, numbered);
    const { offsets, bytes } = this.#index.at;
    const own = scratch.take(4 * (count + 1));
    const length = this.#kernels.placeTexts(offsets, listed, count, own) >>> 0;
    const copied = scratch.take(length);
    this.#kernels.copyTexts(offsets, bytes, listed, count, copied);
    const width = count <= 256 ? 1 : count <= 65_536 ? 2 : 4;
    const narrow = scratch.take(width * rows);
    this.#kernels.narrowCodes(numbered, rows, width, narrow);
    return {
      codes: narrowAt(arena, narrow, rows, width),
      texts: { offsets: arena.i32(own, count + 1), bytes: arena.u8(copied, length) },
    };
  }
}

function narrowAt(arena: Arena, at: number, rows: number, width: 1 | 2 | 4): NarrowArray {
  if (width === 1) return arena.u8(at, rows);
  return width === 2 ? arena.u16(at, rows) : arena.u32(at, rows);
}
