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
 * Marks each row, one u32, by whether other rows have its name. Names must be in order.
 * @returns the number of names that several rows have; -1 where a name is less than the one before it
 */
export function markRepeats(offsets: usize, bytes: usize, rows: usize, out: usize): i32 {
  let names: i32 = 0;
  if (rows > 0) store<u32>(out, NAME_UNIQUE);
  for (let row: usize = 1; row < rows; row++) {
    const at = offsets + (row << 2), mark = out + (row << 2);
    const before = load<u32>(at - 4), start = load<u32>(at), end = load<u32>(at, 4);
    store<u32>(mark, NAME_UNIQUE);
    if (isGreater(bytes + start, end - start, bytes + before, start - before)) continue;
    if (isGreater(bytes + before, start - before, bytes + start, end - start)) return -1;
    store<u32>(mark, NAME_REPEAT);
    if (load<u32>(mark - 4) != NAME_UNIQUE) continue;
    store<u32>(mark - 4, NAME_FIRST);
    names++;
  }
  return names;
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
