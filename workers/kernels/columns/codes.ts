// Columns of u32 codes: look-ups by the code of each row, and codes that the rows of a group share.
//
//   codes, left, right, groups, values, out   one u32 a row
//   selected                                  one byte a row, 0 for rows that do not count; or address 0: all do
//
// Rows are worked on in their order. Codes and groups are in the range of the tables that they are
// looked up in: not checked here.

/** The group has had no row yet. */
export const NO_CODE: i32 = -1;
/** The group's rows have different codes. */
export const MIXED_CODES: i32 = -2;

/** There are too few slots for the pairs. */
export const PAIRS_FULL: u32 = 0xffffffff;

/** Sets used[code] = 1 for the code of each row. */
export function markCodes(codes: usize, rows: usize, used: usize): void {
  const end = codes + (rows << 2);
  for (let at = codes; at < end; at += 4) store<u8>(used + load<u32>(at), 1);
}

/** Looks up each row's code: out[row] = table[codes[row]]. */
export function mapCodes(codes: usize, rows: usize, table: usize, out: usize): void {
  const bytes = rows << 2;
  for (let at: usize = 0; at < bytes; at += 4) {
    store<u32>(out + at, load<u32>(table + (<usize>load<u32>(codes + at) << 2)));
  }
}

/** As mapCodes, with `rest` for rows that do not count. */
export function mapSelectedCodes(
  codes: usize, selected: usize, rows: usize, table: usize, rest: u32, out: usize,
): void {
  for (let row: usize = 0; row < rows; row++) {
    const at = row << 2;
    const mapped = load<u32>(table + (<usize>load<u32>(codes + at) << 2));
    store<u32>(out + at, load<u8>(selected + row) != 0 ? mapped : rest);
  }
}

/**
 * Numbers codes in the order in which they first appear, 1, 2, …; code 0 stays 0.
 * numbers: u32 a code, all zero, before and after. listed: the code of each number, with room for all.
 * @returns how many numbers there are, 0 among them
 */
export function numberCodes(codes: usize, rows: usize, numbers: usize, listed: usize, out: usize): u32 {
  let count: u32 = 1;
  store<u32>(listed, 0);
  const bytes = rows << 2;
  for (let at: usize = 0; at < bytes; at += 4) {
    const code = load<u32>(codes + at);
    let number: u32 = 0;
    if (code != 0) {
      number = load<u32>(numbers + (<usize>code << 2));
      if (number == 0) {
        number = count++;
        store<u32>(numbers + (<usize>code << 2), number);
        store<u32>(listed + (<usize>number << 2), code);
      }
    }
    store<u32>(out + at, number);
  }
  for (let i: usize = 1; i < count; i++) {
    store<u32>(numbers + (<usize>load<u32>(listed + (i << 2)) << 2), 0);
  }
  return count;
}

/** Codes in `width` bytes each, 1, 2 or 4. */
export function narrowCodes(codes: usize, rows: usize, width: u32, out: usize): void {
  for (let i: usize = 0; i < rows; i++) {
    const code = load<u32>(codes + (i << 2));
    if (width == 1) store<u8>(out + i, <u8>code);
    else if (width == 2) store<u16>(out + (i << 1), <u16>code);
    else store<u32>(out + (i << 2), code);
  }
}

/**
 * Numbers pairs of codes in the order in which they first appear: out[row] is the number of (left, right).
 * slots: mask + 1 of them, a power of two, u32 each, zeroed: number + 1.
 * pairs: room for (left, right) u32 of as many as there are rows.
 * @returns how many pairs there are; PAIRS_FULL where they take more than half of the slots
 */
export function numberPairs(
  left: usize, right: usize, rows: usize, slots: usize, mask: u32, pairs: usize, out: usize,
): u32 {
  let count: u32 = 0;
  let last: u64 = ~0;
  let number: u32 = 0;
  const bytes = rows << 2;
  for (let at: usize = 0; at < bytes; at += 4) {
    const pair = <u64>load<u32>(left + at) | (<u64>load<u32>(right + at) << 32);
    // Neighbours are often equal.
    if (pair != last || at == 0) {
      // Fibonacci hashing: the high bits of the product by 2^64 / golden ratio.
      let slot = <u32>((pair * 0x9e3779b97f4a7c15) >> 32) & mask;
      for (;;) {
        const found = load<u32>(slots + (<usize>slot << 2));
        if (found == 0) {
          if (count > mask >> 1) return PAIRS_FULL;
          store<u64>(pairs + (<usize>count << 3), pair);
          number = count++;
          store<u32>(slots + (<usize>slot << 2), count);
          break;
        }
        number = found - 1;
        if (load<u64>(pairs + (<usize>number << 3)) == pair) break;
        slot = (slot + 1) & mask;
      }
      last = pair;
    }
    store<u32>(out + at, number);
  }
  return count;
}

/** Left and right codes of pairs, one after the other, as two columns. */
export function splitPairs(pairs: usize, count: usize, left: usize, right: usize): void {
  for (let i: usize = 0; i < count; i++) {
    store<u32>(left + (i << 2), load<u32>(pairs + (i << 3)));
    store<u32>(right + (i << 2), load<u32>(pairs + (i << 3), 4));
  }
}

/** Results of `commonCodes` as codes: 0 where rows have none or different ones. */
export function agreedCodes(first: usize, groups: usize, out: usize): void {
  const bytes = groups << 2;
  for (let at: usize = 0; at < bytes; at += 4) store<i32>(out + at, max<i32>(load<i32>(first + at), 0));
}

/**
 * The code that all rows of a group have. first: one i32 a group, NO_CODE at first; MIXED_CODES where rows
 * have different codes.
 */
export function commonCodes(codes: usize, groups: usize, rows: usize, first: usize): void {
  const bytes = rows << 2;
  for (let at: usize = 0; at < bytes; at += 4) {
    const place = first + (<usize>load<u32>(groups + at) << 2);
    const code = load<i32>(codes + at);
    const known = load<i32>(place);
    if (known != code) store<i32>(place, known == NO_CODE ? code : MIXED_CODES);
  }
}

/** The greatest value of each group. greatest: one u32 a group, 0 at first. */
export function greatestValues(values: usize, groups: usize, rows: usize, greatest: usize): void {
  const bytes = rows << 2;
  for (let at: usize = 0; at < bytes; at += 4) {
    const place = greatest + (<usize>load<u32>(groups + at) << 2);
    const value = load<u32>(values + at);
    if (value > load<u32>(place)) store<u32>(place, value);
  }
}

/** Whether some row has another code than 0. */
export function anyCode(codes: usize, rows: usize): bool {
  const end = codes + (rows << 2);
  for (; codes + 16 <= end; codes += 16) if (v128.any_true(v128.load(codes))) return true;
  for (; codes < end; codes += 4) if (load<u32>(codes) != 0) return true;
  return false;
}

/** Writes the rows that have `value`, ascending, one u32 each; room for all. @returns how many there are */
export function rowsOfValue(values: usize, rows: usize, value: u32, out: usize): u32 {
  const wanted = i32x4.splat(value);
  let count: u32 = 0;
  let row: usize = 0;
  while (row < rows) {
    // A value is rare in most columns: four rows at once are skipped.
    const isBlock = row + 4 <= rows;
    if (isBlock && !v128.any_true(i32x4.eq(v128.load(values + (row << 2)), wanted))) {
      row += 4;
      continue;
    }
    const end = isBlock ? row + 4 : rows;
    for (; row < end; row++) {
      if (load<u32>(values + (row << 2)) != value) continue;
      store<u32>(out + (<usize>count << 2), <u32>row);
      count++;
    }
  }
  return count;
}

/** Sets bit `code` of `words` for the code of each row. */
export function markBits(codes: usize, rows: usize, words: usize): void {
  const end = codes + (rows << 2);
  for (let at = codes; at < end; at += 4) {
    const code = load<u32>(at);
    const word = words + (<usize>(code >> 5) << 2);
    store<u32>(word, load<u32>(word) | (1 << (code & 31)));
  }
}

/** Shifts the codes of a dictionary that is part of another one from code first + 1 on; 0 stays 0. */
export function shiftCodes(codes: usize, rows: usize, first: u32, out: usize): void {
  const bytes = rows << 2;
  for (let at: usize = 0; at < bytes; at += 4) {
    const code = load<u32>(codes + at);
    store<u32>(out + at, code == 0 ? 0 : code + first);
  }
}

/** out[i] = from[i] + by. */
export function addToAll(from: usize, count: usize, by: u32, out: usize): void {
  const bytes = count << 2;
  for (let at: usize = 0; at < bytes; at += 4) store<u32>(out + at, load<u32>(from + at) + by);
}

/**
 * Bytes of rows from their bits: row r is bit r % 32 of word r / 32. Rows that have a number other
 * than 0 in `others`, one u32 a row, are 0; where that address is 0, none are.
 */
export function bytesOfBits(words: usize, others: usize, rows: usize, out: usize): void {
  for (let row: usize = 0; row < rows; row++) {
    const bit = (load<u32>(words + ((row >> 5) << 2)) >> (<u32>row & 31)) & 1;
    const isOther = others != 0 && load<u32>(others + (row << 2)) != 0;
    store<u8>(out + row, isOther ? 0 : <u8>bit);
  }
}
