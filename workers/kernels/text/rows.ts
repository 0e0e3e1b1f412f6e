// Writes rows of columns as text, such as JSON or CSV, by a list of items. An item is a literal that is
// the same in each row, and a value after it. Numbers and moments are prepared eight rows at a time,
// column by column; then rows are assembled.

import { takeDecimal, writeDecimal } from "./decimals";
import { VALUE_BYTES } from "./digits";
import { writeFixed } from "./fixed";
import { writeMoment } from "./moments";
import { writeShortest } from "./shortest";

/** Kinds of items. */
export const KIND_LITERAL: u32 = 0;
export const KIND_NUMBER: u32 = 1;
export const KIND_FIXED: u32 = 2;
export const KIND_TEXT: u32 = 3;
/** As TEXT; at code 0 `missing`. */
export const KIND_TEXT_OR_MISSING: u32 = 4;
/** As TEXT; at code 0 not even the literal. After an opening brace its first byte, a comma, is left out. */
export const KIND_MEMBER: u32 = 5;
export const KIND_MOMENT: u32 = 6;

const OPENING_BRACE: u8 = 123;
/** Beyond it toFixed writes an exponent. */
const FIXED_MAX: f64 = 1e21;

/** A part of a row, with up to 16 bytes readable after each literal. */
@unmanaged
export class Item {
  kind: u32;
  /** One f64 a row, or for texts one u32 code. */
  column: u32;
  literal: u32;
  literalBytes: u32;
  /** One u32 a code, and one more: the start of its text in `texts`. For FIXED the places. */
  offsets: u32;
  texts: u32;
  /** At most 16 bytes: the text for NaN, infinities and code 0. */
  missing: u32;
  missingBytes: u32;
  /** The number of texts and their bytes: larger codes and offsets are damage. */
  codes: u32;
  textBytes: u32;
  /** Pads to a third of a cache line. */
  unused0: u32;
  unused1: u32;
}
const ITEM_BYTES: u32 = <u32>offsetof<Item>();

/** The head of a program; its items follow. */
@unmanaged
export class Program {
  items: u32;
  /** Written before each row but row 0: at most 16 bytes. */
  separator: u32;
  separatorBytes: u32;
  /** the number of rows it was compiled for */
  rows: u32;
  /** runs of the arena that the items address, and the offset of their list from here on */
  runs: u32;
  runsAt: u32;
  unused0: u32;
  unused1: u32;
}
const ITEMS_AT: u32 = <u32>offsetof<Program>();

/** Instead of a row's end: the row does not fit; it has a text that is not among those of its column. */
const FULL: u32 = 0;
const BROKEN: u32 = 1;

/** Rows whose numbers and moments are prepared together: a line of each column. */
const BLOCK_ROWS: u32 = 8;
const BLOCK_MASK: u32 = BLOCK_ROWS - 1;
/**
 * A prepared value: the result of `takeDecimal` in the last 16 bytes, of which the last 4 are not 0. Or
 * a text, with its length 8 bytes before the end and 4 zeros after that.
 */
const CELL_BYTES: u32 = 64;
const TAKEN_AT: u32 = CELL_BYTES - 16;
const LENGTH_AT: u32 = CELL_BYTES - 8;
export const COLUMN_CELLS: u32 = BLOCK_ROWS * CELL_BYTES;
/** Rows whose columns are fetched together. */
const TOUCHED_ROWS: u32 = 128;
const LINE_BYTES: u32 = 64;

/**
 * Writes rows [from, to) at out … outEnd until they end or one does not fit. `cells` is scratch
 * space of COLUMN_CELLS bytes for each number and moment of a row.
 * @returns the row to go on with << 32 | bytes written; all ones where a row is broken: what it addresses
 * is not what it was compiled from
 */
export function writeRows(program: u32, from: u32, to: u32, out: u32, outEnd: u32, cells: u32): u64 {
  const s = changetype<Program>(<usize>program);
  const first = program + ITEMS_AT;
  const end = first + s.items * ITEM_BYTES;
  let written = out;
  let row = from;
  let made = from;
  let touched = from;
  for (; row < to; row++) {
    if (row == touched) {
      touched = min(to, row + TOUCHED_ROWS);
      touch(first, end, row, touched, cells);
    }
    if (row == made) {
      made = min(to, (row | BLOCK_MASK) + 1);
      fillCells(first, end, from, row, made, cells);
    }
    let p = written;
    if (row > 0 && s.separatorBytes > 0) {
      if (<u64>p + 16 > <u64>outEnd) break;
      v128.store(p, v128.load(s.separator));
      p += s.separatorBytes;
    }
    p = writeRow(first, end, row, p, outEnd, cells);
    if (p == BROKEN) return u64.MAX_VALUE;
    if (p == FULL) break;
    written = p;
  }
  return <u64>row << 32 | <u64>(written - out);
}

/**
 * Reads a byte of each cache line of the columns' rows [row, to), column by column, so that the processor
 * prefetches them; blocks of a few rows would wait for each line.
 */
function touch(first: u32, end: u32, row: u32, to: u32, cells: u32): void {
  let sum: u32 = 0;
  for (let i = first; i < end; i += ITEM_BYTES) {
    const item = changetype<Item>(<usize>i);
    if (item.kind == KIND_LITERAL) continue;
    const shift: u32 = isCell(item.kind) ? 3 : 2;
    const last = item.column + (to << shift);
    for (let at = item.column + (row << shift); at < last; at += LINE_BYTES) sum ^= load<u8>(at);
  }
  store<u32>(cells, sum); // so that the compiler cannot leave the reads out
}

@inline function isCell(kind: u32): bool {
  return kind == KIND_NUMBER || kind == KIND_FIXED || kind == KIND_MOMENT;
}

/** Prepares the numbers and moments of rows [row, to), column by column. */
function fillCells(first: u32, end: u32, from: u32, row: u32, to: u32, cells: u32): void {
  let at = cells;
  for (let i = first; i < end; i += ITEM_BYTES) {
    const item = changetype<Item>(<usize>i);
    if (!isCell(item.kind)) continue;
    fillColumn(item, from, row, to, at);
    at += COLUMN_CELLS;
  }
}

/** A value equal to that of the row before is copied, unless that row is before `from`. */
function fillColumn(item: Item, from: u32, row: u32, to: u32, cells: u32): void {
  const kind = item.kind;
  for (let r = row; r < to; r++) {
    const at = item.column + (r << 3);
    const cell = cells + (r & BLOCK_MASK) * CELL_BYTES;
    const bits = load<u64>(at);
    if (r > from && bits == load<u64>(at - 8)) {
      copyCell(cell, cells + ((r - 1) & BLOCK_MASK) * CELL_BYTES);
      continue;
    }
    if (kind == KIND_NUMBER && takeDecimal(bits, cell + TAKEN_AT)) continue;
    const end = writeOther(cell, kind, item, reinterpret<f64>(bits));
    store<u64>(cell, <u64>(end - cell), LENGTH_AT);
  }
}

function writeOther(p: u32, kind: u32, item: Item, x: f64): u32 {
  if (kind == KIND_MOMENT) return <u32>writeMoment(p, x);
  if (!isFinite(x)) return writeMissing(p, item);
  if (kind == KIND_NUMBER || abs(x) >= FIXED_MAX) return <u32>writeShortest(p, x);
  return <u32>writeFixed(p, x, item.offsets);
}

@inline function copyCell(to: u32, from: u32): void {
  for (let j: u32 = 0; j < CELL_BYTES; j += 16) v128.store(to + j, v128.load(from + j));
}

/** @returns the end, FULL or BROKEN */
function writeRow(first: u32, end: u32, row: u32, at: u32, outEnd: u32, cells: u32): u32 {
  let cell = cells + (row & BLOCK_MASK) * CELL_BYTES;
  let p = at;
  for (let i = first; i < end; i += ITEM_BYTES) {
    const item = changetype<Item>(<usize>i);
    const kind = item.kind;
    let literal = item.literal, literalBytes = item.literalBytes;
    if (isCell(kind)) {
      if (!fits(literalBytes, p, outEnd)) return FULL;
      for (let j: u32 = 0; j < literalBytes; j += 16) v128.store(p + j, v128.load(literal + j));
      p += literalBytes;
      const other = load<u64>(cell, LENGTH_AT);
      if (other >> 32 != 0) p = <u32>writeDecimal(p, cell + TAKEN_AT);
      else {
        for (let j: u32 = 0; j < TAKEN_AT; j += 16) v128.store(p + j, v128.load(cell + j));
        p += <u32>other;
      }
      cell += COLUMN_CELLS;
      continue;
    }
    let code: u32 = 0;
    if (kind != KIND_LITERAL) {
      code = load<u32>(item.column + (row << 2));
      if (kind == KIND_MEMBER) {
        if (code == 0) continue;
        const skipped = <u32>(p > at && load<u8>(p - 1) == OPENING_BRACE);
        literal += skipped;
        literalBytes -= skipped;
      }
    }
    if (!fits(literalBytes, p, outEnd)) return FULL;
    for (let j: u32 = 0; j < literalBytes; j += 16) v128.store(p + j, v128.load(literal + j));
    p += literalBytes;
    if (kind == KIND_TEXT_OR_MISSING && code == 0) {
      p = writeMissing(p, item);
    } else if (kind != KIND_LITERAL) {
      if (code >= item.codes) return BROKEN;
      const text = load<u32>(item.offsets + (code << 2));
      const textEnd = load<u32>(item.offsets + (code << 2), 4);
      if (text > textEnd || textEnd > item.textBytes) return BROKEN;
      const bytes = textEnd - text;
      if (!fits(bytes, p, outEnd)) return FULL;
      p = copyText(p, item.texts + text, bytes);
    }
  }
  return p;
}

/** Whether bytes fit at p, and a value behind them. In 64 bits: a length near 2^32 must not overflow. */
@inline function fits(bytes: u32, p: u32, outEnd: u32): bool {
  return <u64>p + bytes + VALUE_BYTES <= <u64>outEnd;
}

@inline function writeMissing(p: u32, item: Item): u32 {
  v128.store(p, v128.load(item.missing));
  return p + item.missingBytes;
}

/** Copies to p; up to 16 bytes behind the end may be touched. @returns the end */
@inline export function copyText(p: u32, from: u32, bytes: u32): u32 {
  if (bytes >= 16) {
    for (let j: u32 = 0; j + 16 <= bytes; j += 16) v128.store(p + j, v128.load(from + j));
    v128.store(p + bytes - 16, v128.load(from + bytes - 16));
  } else if ((from & 0xffff) <= 0xfff0) {
    v128.store(p, v128.load(from)); // bytes read too far are in the same page, so they are readable
  } else {
    for (let j: u32 = 0; j < bytes; j++) store<u8>(p + j, load<u8>(from + j));
  }
  return p + bytes;
}
