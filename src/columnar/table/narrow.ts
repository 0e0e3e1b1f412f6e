/**
 * Columns in as few bytes as possible without loss, as stored in files, and back to f64 and u32 in the
 * arena. Whole numbers become the narrowest of u8, u16, u32 and i32; all others stay f64. Codes are
 * renumbered, so that a column's own dictionary has only its own texts.
 */
import type { Arena } from '../memory/arena.ts';
import type { TextColumn } from './table.ts';

export type NarrowArray = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;
export type NarrowType = 'f64' | 'i32' | 'u32' | 'u16' | 'u8';

export interface NarrowTexts {
  /** One code for each row, in [0, texts.length). */
  readonly codes: NarrowArray;
  /** By code; the first is the empty text. */
  readonly texts: readonly string[];
}

/** Texts as in Arrow's utf8: text i is bytes [offsets[i], offsets[i + 1]). */
export interface Utf8Texts {
  /** One more than there are texts, the first 0. */
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

type ArrayType = new (buffer: ArrayBufferLike, at: number, length: number) => NarrowArray;

const ARRAYS: Readonly<Record<NarrowType, ArrayType>> = {
  f64: Float64Array,
  i32: Int32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
};

/** Bytes of one value. */
export const NARROW_BYTES: Readonly<Record<NarrowType, number>> = {
  f64: 8,
  i32: 4,
  u32: 4,
  u16: 2,
  u8: 1,
};

/** Lossless: widening gives the same bits. @returns a copy, or `values` itself where f64 is needed */
export function narrowNumbers(values: Float64Array): NarrowArray {
  let [least, most] = [0, 0];
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    const isWhole = value === Math.trunc(value) && !(value === 0 && 1 / value < 0);
    if (!isWhole || value > 0xffffffff || value < -0x80000000) return values;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (least < 0) return most < 0x80000000 ? Int32Array.from(values) : values;
  if (most < 256) return Uint8Array.from(values);
  return most < 65536 ? Uint16Array.from(values) : Uint32Array.from(values);
}

/** The finite number that all rows have, or undefined; -0 and 0 are different. */
export function constantNumber(values: Float64Array): number | undefined {
  const first = values[0];
  const isPlain = values.length > 0 && Number.isFinite(first) && !Object.is(first, -0);
  if (!isPlain) return undefined;
  for (let row = 1; row < values.length; row++) {
    if (!Object.is(values[row], first)) return undefined;
  }
  return first;
}

/** The texts in use in the order of their codes; the empty text comes first, in use or not. */
export function narrowTexts({ codes, texts }: TextColumn): NarrowTexts {
  const used = new Uint32Array(texts.size);
  for (let row = 0; row < codes.length; row++) used[codes[row]] = 1;
  const own = [''];
  used[0] = 0;
  for (let code = 1; code < used.length; code++) {
    if (used[code] === 1) used[code] = own.push(texts.text(code)) - 1;
  }
  const narrow =
    own.length <= 256
      ? new Uint8Array(codes.length)
      : own.length <= 65536
        ? new Uint16Array(codes.length)
        : new Uint32Array(codes.length);
  for (let row = 0; row < codes.length; row++) narrow[row] = used[codes[row]];
  return { codes: narrow, texts: own };
}

export function utf8Of(texts: readonly string[]): Utf8Texts {
  const bytes = Buffer.alloc(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  const offsets = new Int32Array(texts.length + 1);
  let at = 0;
  texts.forEach((text, i) => (offsets[i + 1] = at += bytes.write(text, at)));
  return { offsets, bytes };
}

/**
 * Room for `rows` narrow values at the far end of a column of f64 or u32 at `address`, from where
 * `widen` spreads them over all of it.
 */
export function narrowEnd(
  arena: Arena,
  address: number,
  rows: number,
  types: { readonly from: NarrowType; readonly to: 'f64' | 'u32' },
): Uint8Array {
  const bytes = rows * NARROW_BYTES[types.from];
  return arena.u8(address + rows * NARROW_BYTES[types.to] - bytes, bytes);
}

/** Widens in place. */
export function widen(
  narrow: Uint8Array,
  wide: Float64Array | Uint32Array,
  from: NarrowType,
): void {
  if (narrow.length === wide.byteLength) return;
  const { buffer, byteOffset } = narrow;
  if (byteOffset % NARROW_BYTES[from] !== 0) throw new Error(`BUG: ${from} at ${byteOffset}`);
  const values = new ARRAYS[from](buffer, byteOffset, wide.length);
  // `set` copies within one buffer as if there were two.
  wide.set(values);
}

/** @throws {Error} for an array of another type */
export function narrowType(values: NarrowArray): NarrowType {
  const found = Object.entries(ARRAYS).find(([, type]) => values instanceof type);
  if (found === undefined) throw new Error('BUG: an array of no narrow type');
  return found[0] as NarrowType;
}
