// Records of CSV (RFC 4180) as columns: cells of text as numbers of a table of texts, cells of numbers
// as f64. Sixty-four bytes at a time become masks of quotes and separators; whether a byte is within
// quotes follows from the parity of the quotes before it. After simdjson and simdcsv
// (Langdale and Lemire, https://arxiv.org/abs/1902.08318).

import { readNumber } from "./csv-number";
import { addText, FULL as TEXTS_FULL, isText, TextTable } from "../text/texts";

/** Input, targets and results. */
@unmanaged
export class CsvTable {
  /** the records, after which 64 bytes may be read */
  bytes: u32;
  length: u32;
  /** cells of a record */
  columns: u32;
  /** i32 a column: -1 ignored, 2k text k, 2k + 1 number k */
  targets: u32;
  /** a u32 each: the address of a u32 a row, the text's number in `index` */
  texts: u32;
  index: TextTable;
  /** room f64 each, one after the other */
  numbers: u32;
  /** in rows */
  room: u32;
  /** an OddCell each */
  odd: u32;
  /** an UnevenRow each */
  uneven: u32;
  /** results */
  rows: u32;
  odds: u32;
  unevens: u32;
}

/** A cell that is no plain number. */
@unmanaged
export class OddCell {
  row: u32;
  /** among the numbers */
  number: u32;
  address: u32;
  bytes: u32;
}

/** A record with more or fewer than `columns` cells. */
@unmanaged
export class UnevenRow {
  row: u32;
  cells: u32;
}

export const READ: u32 = 0;
/** There are more rows than room. */
export const FULL: u32 = 1;
/** The record after the last row has a quote in a wrong place. */
export const MISQUOTED: u32 = 2;
/** There is no room for another text: the bytes must be read again with more. */
export const CROWDED: u32 = 3;

const QUOTE: u8 = 34;
const COMMA: u8 = 44;
const LINE_FEED: u8 = 10;
const RETURN: u8 = 13;

/** Counts a byte among `length` bytes. */
export function countByte(from: u32, length: u32, byte: u32): u32 {
  const wanted = i8x16.splat(<i8>byte);
  let count: u32 = 0;
  let p = from;
  const end = from + length;
  for (; p + 64 <= end; p += 64) count += <u32>popcnt(bits(p, wanted));
  for (; p < end; p++) count += <u32>(load<u8>(p) == <u8>byte);
  return count;
}

/** Fills the columns. @returns READ, FULL, MISQUOTED or CROWDED */
export function readCsv(table: CsvTable): u32 {
  const quotes = i8x16.splat(QUOTE), commas = i8x16.splat(COMMA);
  const feeds = i8x16.splat(LINE_FEED), returns = i8x16.splat(RETURN);
  const end = table.bytes + table.length;
  const columns = table.columns;
  let cell = table.bytes;
  let column: u32 = 0;
  let inside: u64 = 0; // all ones while a quote is open
  let started: u64 = 1; // the byte before ended a cell, or a quote
  let closed: u64 = 0; // the byte before closed a quote
  for (let p = table.bytes; p < end; p += 64) {
    const valid: u64 = end - p >= 64 ? ~(<u64>0) : ((<u64>1) << (end - p)) - 1;
    const quote = bits(p, quotes) & valid;
    const feed = bits(p, feeds);
    const within = parities(quote) ^ inside;
    inside = <u64>((<i64>within) >> 63);
    let ends = (bits(p, commas) | feed) & ~within & valid;
    const opening = quote & within, closing = quote & ~within;
    const after = (closing << 1) | closed;
    const before = ((ends | closing) << 1) | started;
    const wrong = (opening & ~before) | (after & ~(ends | opening | bits(p, returns)) & valid);
    started = (ends | closing) >> 63;
    closed = closing >> 63;
    if (wrong != 0) ends &= (wrong & (0 - wrong)) - 1;
    while (ends != 0) {
      const bit = ctz(ends);
      ends &= ends - 1;
      const at = p + <u32>bit;
      const isLast = (feed >> bit & 1) != 0;
      const status = take(table, column, cell, at, isLast);
      if (status != READ) return status;
      if (!isLast) column++;
      else column = 0;
      cell = at + 1;
    }
    if (wrong != 0) return MISQUOTED;
  }
  if (inside != 0) return MISQUOTED;
  if (cell == end && column == 0) return READ;
  return take(table, column, cell, end, true);
}

/** @returns READ, FULL or CROWDED */
@inline function take(table: CsvTable, column: u32, from: u32, to: u32, isLast: bool): u32 {
  if (isLast && to > from && load<u8>(to - 1) == RETURN) to--;
  if (isLast && column == 0 && to == from) return READ; // an empty line
  const row = table.rows;
  if (row == table.room) return FULL;
  if (column < table.columns) {
    const target = load<i32>(table.targets + (column << 2));
    if (target >= 0 && !put(table, <u32>target, from, to)) return CROWDED;
  }
  if (!isLast) return READ;
  if (column + 1 != table.columns) {
    const at = table.uneven + table.unevens * <u32>offsetof<UnevenRow>();
    const uneven = changetype<UnevenRow>(<usize>at);
    uneven.row = row;
    uneven.cells = column + 1;
    table.unevens++;
  }
  table.rows = row + 1;
  return READ;
}

/** @returns whether there was room */
function put(table: CsvTable, target: u32, from: u32, to: u32): bool {
  if (to > from && load<u8>(from) == QUOTE) {
    from++;
    to--;
  }
  const row = table.rows, k = target >> 1;
  if ((target & 1) == 0) {
    const codes = load<u32>(table.texts + (k << 2)) + (row << 2);
    const index = table.index;
    // Most are empty or equal to the row above, which has any number if it lacks the cell.
    let number: u32 = from == to || row == 0 ? 0 : load<u32>(codes - 4);
    if (from != to && (number >= index.count || !isText(index, number, from, to - from))) {
      number = addText(index, from, to - from);
    }
    store<u32>(codes, number);
    return number != TEXTS_FULL;
  }
  const place = table.numbers + (k * table.room + row << 3);
  if (readNumber(from, to, place)) return true;
  const odd = changetype<OddCell>(<usize>(table.odd + table.odds * <u32>offsetof<OddCell>()));
  odd.row = row;
  odd.number = k;
  odd.address = from;
  odd.bytes = to - from;
  table.odds++;
  return true;
}

/** A mask of the 64 bytes that equal `wanted`, the first in the lowest bit. */
@inline function bits(p: u32, wanted: v128): u64 {
  const a = <u64>i8x16.bitmask(i8x16.eq(v128.load(p), wanted));
  const b = <u64>i8x16.bitmask(i8x16.eq(v128.load(p, 16), wanted));
  const c = <u64>i8x16.bitmask(i8x16.eq(v128.load(p, 32), wanted));
  const d = <u64>i8x16.bitmask(i8x16.eq(v128.load(p, 48), wanted));
  return a | b << 16 | c << 32 | d << 48;
}

/** Bit i: whether bits 0 to i have an odd number of ones. */
@inline function parities(x: u64): u64 {
  x ^= x << 1;
  x ^= x << 2;
  x ^= x << 4;
  x ^= x << 8;
  x ^= x << 16;
  return x ^ x << 32;
}
