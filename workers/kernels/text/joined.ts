// Names that are the texts of several columns joined by '/', a row after the other.
//
//   columns   a JoinedColumn each, a part of the name
//   offsets   of the names, one u32 a row and one more, counted from `bytes`

const SLASH: u8 = 47;
/** Addresses of codes, and of the offsets and the bytes of their dictionary. */
@unmanaged
export class JoinedColumn {
  codes: u32;
  offsets: u32;
  bytes: u32;
}
const COLUMN_BYTES: usize = offsetof<JoinedColumn>();

/** Results of `markRepeats`: no other row has the name; it is the first row with it; a further one. */
export const NAME_UNIQUE: u32 = 0;
export const NAME_FIRST: u32 = 1;
export const NAME_REPEAT: u32 = 2;

@inline function placeOf(column: usize, row: usize): usize {
  const c = changetype<JoinedColumn>(column);
  return <usize>c.offsets + (<usize>load<u32>(<usize>c.codes + (row << 2)) << 2);
}

/** @returns the bytes of all names */
export function measureJoined(columns: usize, parts: usize, rows: usize): u32 {
  const end = columns + parts * COLUMN_BYTES;
  let bytes: u32 = <u32>(rows * (parts - 1));
  for (let column = columns; column < end; column += COLUMN_BYTES) {
    for (let row: usize = 0; row < rows; row++) {
      const place = placeOf(column, row);
      bytes += load<u32>(place, 4) - load<u32>(place);
    }
  }
  return bytes;
}

/**
 * Writes the names from bytes + offsets[0] on, and all offsets but that one. Up to 16 bytes
 * after the last name may be written, and read after any text.
 * @returns 1 where each name is greater than the one before it, byte by byte
 */
export function joinTexts(columns: usize, parts: usize, rows: usize, offsets: usize, bytes: usize): u32 {
  const end = columns + parts * COLUMN_BYTES;
  let isAscending: u32 = 1;
  let start = bytes + load<u32>(offsets);
  let before = start;
  for (let row: usize = 0; row < rows; row++) {
    let out = start;
    for (let column = columns; column < end; column += COLUMN_BYTES) {
      if (column != columns) store<u8>(out++, SLASH);
      const place = placeOf(column, row);
      const from = <usize>changetype<JoinedColumn>(column).bytes + load<u32>(place);
      const length = <usize>(load<u32>(place, 4) - load<u32>(place));
      for (let i: usize = 0; i < length; i += 16) v128.store(out + i, v128.load(from + i));
      out += length;
    }
    if (row > 0 && !isGreater(start, out - start, before, start - before)) isAscending = 0;
    before = start;
    start = out;
    store<u32>(offsets + (row << 2), <u32>(out - bytes), 4);
  }
  return isAscending;
}

/**
 * Writes the texts of two columns joined by `separator`: the second alone where the first is empty, and another text where
 * the second is. From `bytes` on, and all offsets; bytes beyond as above.
 */
export function joinPairs(
  columns: usize, rows: usize, separator: u32, other: usize, otherBytes: usize, offsets: usize, bytes: usize,
): void {
  const second = columns + COLUMN_BYTES;
  let out = bytes;
  store<u32>(offsets, 0);
  for (let row: usize = 0; row < rows; row++) {
    const length = lengthOf(columns, row), secondLength = lengthOf(second, row);
    if (secondLength == 0) {
      memory.copy(out, other, otherBytes);
      out += otherBytes;
    } else {
      if (length > 0) {
        out = copyText(columns, row, length, out);
        store<u8>(out++, <u8>separator);
      }
      out = copyText(second, row, secondLength, out);
    }
    store<u32>(offsets + (row << 2), <u32>(out - bytes), 4);
  }
}

@inline function copyText(column: usize, row: usize, length: usize, out: usize): usize {
  const from = <usize>changetype<JoinedColumn>(column).bytes + load<u32>(placeOf(column, row));
  for (let i: usize = 0; i < length; i += 16) v128.store(out + i, v128.load(from + i));
  return out + length;
}

/**
 * Marks each row, one u32, by whether other rows have its name. Names must be in order, and are compared where
 * their parts are: none is written.
 * @returns the number of names that several rows have; -1 where a name is less than the one before it
 */
export function markRepeats(columns: usize, parts: usize, rows: usize, out: usize): i32 {
  let names: i32 = 0;
  if (rows > 0) store<u32>(out, NAME_UNIQUE);
  for (let row: usize = 1; row < rows; row++) {
    const mark = out + (row << 2);
    const order = compareJoined(columns, parts, row, row - 1);
    if (order < 0) return -1;
    store<u32>(mark, NAME_UNIQUE);
    if (order > 0) continue;
    store<u32>(mark, NAME_REPEAT);
    if (load<u32>(mark - 4) != NAME_UNIQUE) continue;
    store<u32>(mark - 4, NAME_FIRST);
    names++;
  }
  return names;
}

/** The order of two rows' names: less than 0, 0, or more. */
function compareJoined(columns: usize, parts: usize, a: usize, b: usize): i32 {
  const end = columns + parts * COLUMN_BYTES;
  for (let column = columns; column < end; column += COLUMN_BYTES) {
    const some = placeOf(column, a), other = placeOf(column, b);
    if (some == other) continue;
    const bytes = <usize>changetype<JoinedColumn>(column).bytes;
    const at = bytes + load<u32>(some), otherAt = bytes + load<u32>(other);
    const length = <usize>(load<u32>(some, 4) - load<u32>(some));
    const otherLength = <usize>(load<u32>(other, 4) - load<u32>(other));
    const shared = min(length, otherLength);
    if (isGreater(at, shared, otherAt, shared)) return 1;
    if (isGreater(otherAt, shared, at, shared)) return -1;
    // The shorter text ends in '/', or its name ends there.
    if (length != otherLength) return compareBytewise(column, end, a, b);
  }
  return 0;
}

/** The same, byte by byte from a column on. */
function compareBytewise(from: usize, end: usize, a: usize, b: usize): i32 {
  let column = from, otherColumn = from;
  let at: usize = 0, otherAt: usize = 0;
  let byte = byteOf(column, end, a, at), other = byteOf(otherColumn, end, b, otherAt);
  while (byte == other && byte >= 0) {
    const isEnd = at == lengthOf(column, a), isOtherEnd = otherAt == lengthOf(otherColumn, b);
    column = isEnd ? column + COLUMN_BYTES : column;
    otherColumn = isOtherEnd ? otherColumn + COLUMN_BYTES : otherColumn;
    at = isEnd ? 0 : at + 1;
    otherAt = isOtherEnd ? 0 : otherAt + 1;
    byte = byteOf(column, end, a, at);
    other = byteOf(otherColumn, end, b, otherAt);
  }
  return byte - other;
}

@inline function lengthOf(column: usize, row: usize): usize {
  const place = placeOf(column, row);
  return <usize>(load<u32>(place, 4) - load<u32>(place));
}

/** A byte of the row's text, '/' after it, -1 after the last column's. */
function byteOf(column: usize, end: usize, row: usize, at: usize): i32 {
  if (at < lengthOf(column, row)) {
    return load<u8>(<usize>changetype<JoinedColumn>(column).bytes + load<u32>(placeOf(column, row)) + at);
  }
  return column + COLUMN_BYTES < end ? SLASH : -1;
}

/** Whether bytes at `a` come after those at `b`; eight at a time, the first of them the highest. */
export function isGreater(a: usize, aBytes: usize, b: usize, bBytes: usize): bool {
  const shared = min(aBytes, bBytes);
  let at: usize = 0;
  for (; at + 8 <= shared; at += 8) {
    const some = bswap(load<u64>(a + at));
    const others = bswap(load<u64>(b + at));
    if (some != others) return some > others;
  }
  for (; at < shared; at++) {
    const some = load<u8>(a + at);
    const others = load<u8>(b + at);
    if (some != others) return some > others;
  }
  return aBytes > bBytes;
}
