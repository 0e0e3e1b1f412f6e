// Numbers for tuples of codes, in the order in which they first appear, across sets with dictionaries of
// their own. Hash tables with open addressing: `mask + 1` slots, a power of two and more than there will
// be entries, u32 each, 0 is free, else number + 1. Nothing is grown here.

/** Tuples and their numbers. */
@unmanaged
export class TupleTable {
  slots: u32;
  mask: u32;
  count: u32;
  width: u32;
  /** width u32 a tuple, one after the other */
  tuples: u32;
  /** u32 a tuple */
  hashes: u32;
}

/** Addresses of a u32 code a row, and of the u32 that replaces each code, or 0: no replacement. */
@unmanaged
export class TupleColumn {
  codes: u32;
  by: u32;
}

/**
 * Numbers the tuples of rows.
 * @param columns a TupleColumn each, `width` of them
 * @param out i32 a row
 * @param without u32 a row, 0 for those that count; the number of others is -1; or address 0: all count
 * @param scratch width u32
 */
export function numberTuples(
  t: TupleTable, columns: u32, rows: u32, without: u32, scratch: u32, out: u32,
): void {
  const width = t.width;
  const bytes = width << 2;
  let last: u32 = <u32>-1;
  for (let row: u32 = 0; row < rows; row++) {
    if (without != 0 && load<u32>(without + (row << 2)) != 0) {
      store<i32>(out + (row << 2), -1);
      continue;
    }
    for (let i: u32 = 0; i < width; i++) {
      const column = changetype<TupleColumn>(<usize>(columns + i * <u32>offsetof<TupleColumn>()));
      const code = load<u32>(column.codes + (row << 2));
      const by = column.by;
      store<u32>(scratch + (i << 2), by == 0 ? code : load<u32>(by + (code << 2)));
    }
    // Sets of one fleet mostly have the same order of rows.
    const next = last + 1;
    if (next < t.count && isTuple(t.tuples + next * bytes, scratch, bytes)) last = next;
    else last = tupleNumber(t, scratch, bytes);
    store<u32>(out + (row << 2), last);
  }
}

@inline function isTuple(known: u32, tuple: u32, bytes: u32): bool {
  for (let i: u32 = 0; i < bytes; i += 4) {
    if (load<u32>(known + i) != load<u32>(tuple + i)) return false;
  }
  return true;
}

function tupleNumber(t: TupleTable, tuple: u32, bytes: u32): u32 {
  let hash: u32 = 0;
  for (let i: u32 = 0; i < bytes; i += 4) {
    hash = (hash ^ load<u32>(tuple + i)) * 0x9e3779b1;
    hash ^= hash >>> 15;
  }
  let slot = hash & t.mask;
  for (;;) {
    const found = load<u32>(t.slots + (slot << 2));
    if (found == 0) break;
    if (
      load<u32>(t.hashes + ((found - 1) << 2)) == hash &&
      isTuple(t.tuples + (found - 1) * bytes, tuple, bytes)
    ) return found - 1;
    slot = (slot + 1) & t.mask;
  }
  const number = t.count++;
  store<u32>(t.slots + (slot << 2), number + 1);
  store<u32>(t.hashes + (number << 2), hash);
  memory.copy(t.tuples + number * bytes, tuple, bytes);
  return number;
}

/** Enters `count` numbers by their hashes into slots that are all free. */
export function spreadNumbers(hashes: u32, count: u32, slots: u32, mask: u32): void {
  for (let number: u32 = 0; number < count; number++) {
    let slot = load<u32>(hashes + (number << 2)) & mask;
    while (load<u32>(slots + (slot << 2)) != 0) slot = (slot + 1) & mask;
    store<u32>(slots + (slot << 2), number + 1);
  }
}
