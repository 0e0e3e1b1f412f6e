// Records of CSV (RFC 4180) as columns: a code a row of cells that are texts, an f64 of those that are
// numbers. Sixty-four bytes at a time become masks of quotes and separators; what is within quotes
// is known from the parity of the quotes before it. After simdjson and simdcsv
// (Langdale and Lemire, https://arxiv.org/abs/1902.08318).

import { readNumber } from "./csv-number";

/** u32 fields; src/columnar/csv.ts mirrors the order. */
@unmanaged
export class CsvTable {
  /** the records, after which 64 bytes may be read */
  bytes: u32;
  length: u32;
  /** cells of a record */
  columns: u32;
  /** i32 a column: -1 it is left alone, 2k text k, 2k + 1 number k */
  targets: u32;
  /** a CsvText each */
  texts: u32;
  /** room f64 each, one after the other */
  numbers: u32;
  /** for so many rows */
  room: u32;
  /** 4 u32 each: row, k, address and bytes of a cell that is no plain number */
  odd: u32;
  /** 2 u32 each: row and cells of a record that has not `columns` of them */
  uneven: u32;
  /** results */
  rows: u32;
  odds: u32;
  unevens: u32;
}

/** Different texts of a column; src/columnar/csv.ts mirrors the order. */
@unmanaged
export class CsvText {
  /** a u32 a row */
  codes: u32;
  /** 3 u32 a code: address, bytes, hash; one a row suffices */
  entries: u32;
  /** mask + 1 u32, zero: code + 1 */
  slots: u32;
  mask: u32;
  /** result */
  count: u32;
}

export const READ: u32 = 0;
/** There are more rows than room. */
export const FULL: u32 = 1;
/** A quote stands where none can, in the record after the last row. */
export const MISQUOTED: u32 = 2;

const QUOTE: u8 = 34;
const COMMA: u8 = 44;
const LINE_FEED: u8 = 10;
const RETURN: u8 = 13;

/** How often the byte is among `length` bytes. */
export function countByte(from: u32, length: u32, byte: u32): u32 {
  const wanted = i8x16.splat(<i8>byte);
  let count: u32 = 0;
  let p = from;
  const end = from + length;
  for (; p + 64 <= end; p += 64) count += <u32>popcnt(bits(p, wanted));
  for (; p < end; p++) count += <u32>(load<u8>(p) == <u8>byte);
  return count;
}

/** Fills the columns. @returns READ, FULL or MISQUOTED */
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
      if (!take(table, column, cell, at, isLast)) return FULL;
      if (!isLast) column++;
      else column = 0;
      cell = at + 1;
    }
    if (wrong != 0) return MISQUOTED;
  }
  if (inside != 0) return MISQUOTED;
  if (cell == end && column == 0) return READ;
  return take(table, column, cell, end, true) ? READ : FULL;
}

/** @returns whether there was room */
// @ts-ignore: decorator
@inline function take(table: CsvTable, column: u32, from: u32, to: u32, isLast: bool): bool {
  if (isLast && to > from && load<u8>(to - 1) == RETURN) to--;
  if (isLast && column == 0 && to == from) return true; // an empty line
  const row = table.rows;
  if (row == table.room) return false;
  if (column < table.columns) {
    const target = load<i32>(table.targets + (column << 2));
    if (target >= 0) put(table, <u32>target, from, to);
  }
  if (!isLast) return true;
  if (column + 1 != table.columns) {
    const uneven = table.uneven + (table.unevens << 3);
    store<u32>(uneven, row);
    store<u32>(uneven, column + 1, 4);
    table.unevens++;
  }
  table.rows = row + 1;
  return true;
}

function put(table: CsvTable, target: u32, from: u32, to: u32): void {
  if (to > from && load<u8>(from) == QUOTE) {
    from++;
    to--;
  }
  const row = table.rows, k = target >> 1;
  if ((target & 1) == 0) {
    const text = changetype<CsvText>(<usize>(table.texts + k * offsetof<CsvText>()));
    store<u32>(text.codes + (row << 2), codeOf(text, from, to - from));
    return;
  }
  const place = table.numbers + (k * table.room + row << 3);
  if (readNumber(from, to, place)) return;
  const odd = table.odd + (table.odds << 4);
  store<u32>(odd, row);
  store<u32>(odd, k, 4);
  store<u32>(odd, from, 8);
  store<u32>(odd, to - from, 12);
  table.odds++;
}

function codeOf(text: CsvText, from: u32, bytes: u32): u32 {
  const hash = hashOf(from, bytes);
  const mask = text.mask;
  let slot = hash & mask;
  for (;;) {
    const known = load<u32>(text.slots + (slot << 2));
    if (known == 0) break;
    const entry = text.entries + (known - 1) * 12;
    if (load<u32>(entry, 8) == hash && load<u32>(entry, 4) == bytes && same(load<u32>(entry), from, bytes)) {
      return known - 1;
    }
    slot = (slot + 1) & mask;
  }
  const code = text.count++;
  const entry = text.entries + code * 12;
  store<u32>(entry, from);
  store<u32>(entry, bytes, 4);
  store<u32>(entry, hash, 8);
  store<u32>(text.slots + (slot << 2), code + 1);
  return code;
}

// @ts-ignore: decorator
@inline function tail(at: u32, bytes: u32): u64 { // the next 1 to 7 bytes
  return load<u64>(at) & (((<u64>1) << (bytes << 3)) - 1);
}

/** Words mixed by products, as in FxHash, and the high bits brought down. */
function hashOf(from: u32, bytes: u32): u32 {
  const factor: u64 = 0x9e3779b97f4a7c15;
  let hash: u64 = <u64>bytes * factor;
  let i: u32 = 0;
  for (; i + 8 <= bytes; i += 8) hash = rotl<u64>(hash ^ load<u64>(from + i), 23) * factor;
  if (i < bytes) hash = rotl<u64>(hash ^ tail(from + i, bytes - i), 23) * factor;
  hash ^= hash >> 29;
  hash *= 0xbf58476d1ce4e5b9;
  return <u32>(hash >> 32);
}

function same(a: u32, b: u32, bytes: u32): bool {
  let i: u32 = 0;
  for (; i + 8 <= bytes; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  return i == bytes || tail(a + i, bytes - i) == tail(b + i, bytes - i);
}

/** Of 64 bytes those that are as wanted, the first in the lowest bit. */
// @ts-ignore: decorator
@inline function bits(p: u32, wanted: v128): u64 {
  const a = <u64>i8x16.bitmask(i8x16.eq(v128.load(p), wanted));
  const b = <u64>i8x16.bitmask(i8x16.eq(v128.load(p, 16), wanted));
  const c = <u64>i8x16.bitmask(i8x16.eq(v128.load(p, 32), wanted));
  const d = <u64>i8x16.bitmask(i8x16.eq(v128.load(p, 48), wanted));
  return a | b << 16 | c << 32 | d << 48;
}

/** Bit i: whether bits 0 to i have an odd number of ones. */
// @ts-ignore: decorator
@inline function parities(x: u64): u64 {
  x ^= x << 1;
  x ^= x << 2;
  x ^= x << 4;
  x ^= x << 8;
  x ^= x << 16;
  return x ^ x << 32;
}
