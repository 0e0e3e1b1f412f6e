// Writes rows of columns as text: JSON, CSV, whatever a list of items says. An item is bytes that
// stand in every row, and a value after them.

import { VALUE_BYTES } from "./digits";
import { writeFixed } from "./fixed";
import { writeMoment } from "./moments";
import { writeShortest } from "./shortest";

/** Kinds of items; src/columnar/row-program.ts mirrors them. */
const LITERAL: u32 = 0;
const NUMBER: u32 = 1;
const FIXED: u32 = 2;
const TEXT: u32 = 3;
/** As TEXT; at code 0 `missing`. */
const TEXT_OR_MISSING: u32 = 4;
/** As TEXT; at code 0 not even the literal. After an opening brace its first byte, a comma, is left out. */
const MEMBER: u32 = 5;
const MOMENT: u32 = 6;

const OPENING_BRACE: u8 = 123;
/** Beyond it toFixed answers with an exponent. */
const FIXED_MAX: f64 = 1e21;

/** 8 u32, with up to 16 bytes readable after each literal. */
@unmanaged
class Item {
  kind: u32;
  /** One f64 a row, or for texts one u32 code. */
  column: u32;
  literal: u32;
  literalBytes: u32;
  /** One u32 a code, and one more: where its text starts in `texts`. For FIXED the places. */
  offsets: u32;
  texts: u32;
  /** At most 16 bytes: what NaN, infinities and code 0 are. */
  missing: u32;
  missingBytes: u32;
}
const ITEM_BYTES: u32 = 32;

/** 3 u32, then the items. */
@unmanaged
class Program {
  items: u32;
  /** Stands before each row but row 0: at most 16 bytes. */
  separator: u32;
  separatorBytes: u32;
}
const ITEMS_AT: u32 = 16;

/**
 * Writes rows [from, to) at out … outEnd until they end or one does not fit.
 * @returns the row to go on with << 32 | bytes written
 */
export function writeRows(program: u32, from: u32, to: u32, out: u32, outEnd: u32): u64 {
  const s = changetype<Program>(<usize>program);
  const first = program + ITEMS_AT;
  const end = first + s.items * ITEM_BYTES;
  let written = out;
  let row = from;
  for (; row < to; row++) {
    let p = written;
    if (row > 0 && s.separatorBytes > 0) {
      if (outEnd - p < 16) break;
      v128.store(p, v128.load(s.separator));
      p += s.separatorBytes;
    }
    p = writeRow(first, end, row, p, outEnd);
    if (p == 0) break;
    written = p;
  }
  return <u64>row << 32 | <u64>(written - out);
}

/** @returns the end, 0 when the row does not fit */
function writeRow(first: u32, end: u32, row: u32, at: u32, outEnd: u32): u32 {
  let p = at;
  for (let i = first; i < end; i += ITEM_BYTES) {
    const item = changetype<Item>(<usize>i);
    const kind = item.kind;
    let literal = item.literal, literalBytes = item.literalBytes;
    let code: u32 = 0;
    if (kind >= TEXT && kind <= MEMBER) {
      code = load<u32>(item.column + (row << 2));
      if (kind == MEMBER) {
        if (code == 0) continue;
        const skipped = <u32>(p > at && load<u8>(p - 1) == OPENING_BRACE);
        literal += skipped;
        literalBytes -= skipped;
      }
    }
    if (literalBytes + VALUE_BYTES > outEnd - p) return 0;
    for (let j: u32 = 0; j < literalBytes; j += 16) v128.store(p + j, v128.load(literal + j));
    p += literalBytes;
    if (kind == NUMBER || kind == FIXED) {
      const x = load<f64>(item.column + (row << 3));
      if (!isFinite(x)) p = writeMissing(p, item);
      else if (kind == NUMBER || abs(x) >= FIXED_MAX) p = <u32>writeShortest(p, x);
      else p = <u32>writeFixed(p, x, item.offsets);
    } else if (kind == MOMENT) {
      p = <u32>writeMoment(p, load<f64>(item.column + (row << 3)));
    } else if (kind == TEXT_OR_MISSING && code == 0) {
      p = writeMissing(p, item);
    } else if (kind != LITERAL) {
      const text = load<u32>(item.offsets + (code << 2));
      const bytes = load<u32>(item.offsets + (code << 2), 4) - text;
      if (bytes + VALUE_BYTES > outEnd - p) return 0;
      p = copyText(p, item.texts + text, bytes);
    }
  }
  return p;
}

// @ts-ignore: decorator
@inline function writeMissing(p: u32, item: Item): u32 {
  v128.store(p, v128.load(item.missing));
  return p + item.missingBytes;
}

/** Copies to p, where 16 bytes more may be touched. @returns the end */
// @ts-ignore: decorator
@inline export function copyText(p: u32, from: u32, bytes: u32): u32 {
  if (bytes >= 16) {
    for (let j: u32 = 0; j + 16 <= bytes; j += 16) v128.store(p + j, v128.load(from + j));
    v128.store(p + bytes - 16, v128.load(from + bytes - 16));
  } else if ((from & 0xffff) <= 0xfff0) {
    v128.store(p, v128.load(from)); // what is read too far is in the same page, so it is there
  } else {
    for (let j: u32 = 0; j < bytes; j++) store<u8>(p + j, load<u8>(from + j));
  }
  return p + bytes;
}
