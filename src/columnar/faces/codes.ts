/**
 * Operations of kernels on columns of codes (workers/kernels/columns/codes.ts): JavaScript's loops over
 * rows are slow in a thread that has not compiled them yet. Arguments may be anywhere; results are in the
 * arena, with the workspace's owner.
 */
import type { Owner } from '../memory/arena.ts';
import type { Engine } from '../kernels.ts';
import { NO_CODE, PAIRS_FULL } from './layout/constants.ts';
import type { RowSet } from '../table/row-set.ts';

/** Results of `commonCodes` for a group without rows, and for one with different codes. */
export { MIXED_CODES, NO_CODE } from './layout/constants.ts';

/** Kernels, and the owner of memory for their results. */
export interface Workspace {
  readonly engine: Engine;
  readonly owner: Owner;
}

/**
 * @param used marks of earlier rows, in the arena, which stay
 * @returns 1 for each code in [0, size) that some row has
 */
export function codesIn(
  { engine, owner }: Workspace,
  codes: Uint32Array,
  size: number,
  used: Uint8Array = engine.arena.u8(engine.arena.allocateZeroed(size, owner), size),
): Uint8Array {
  engine.kernels.markCodes(addressOf({ engine, owner }, codes), codes.length, used.byteOffset);
  return used;
}

/** 1 for the rows of a set, 0 for all others and for rows with a number other than 0 in `others`. */
export function bytesOfRows(
  space: Workspace,
  { rows, words }: RowSet,
  others: Uint32Array | null,
): Uint8Array {
  const { arena, kernels } = space.engine;
  const out = arena.u8(arena.allocate(rows, space.owner), rows);
  const [from, but] = [addressOf(space, words), others === null ? 0 : addressOf(space, others)];
  kernels.bytesOfBits(from, but, rows, out.byteOffset);
  return out;
}

/**
 * Looks up each row's code in `table`.
 * @param out in the arena
 */
export function mapCodes(
  space: Workspace,
  codes: Uint32Array,
  table: Uint32Array,
  out: Uint32Array = emptyColumn(space, codes.length),
): Uint32Array {
  const { kernels } = space.engine;
  const [from, by] = [addressOf(space, codes), addressOf(space, table)];
  kernels.mapCodes(from, codes.length, by, out.byteOffset);
  return out;
}

/** As `mapCodes`, with `rest` for rows that are not selected. */
export function mapSelectedCodes(
  space: Workspace,
  codes: Uint32Array,
  table: Uint32Array,
  selected: Uint8Array,
  rest: number,
): Uint32Array {
  const out = emptyColumn(space, codes.length);
  space.engine.kernels.mapSelectedCodes(
    addressOf(space, codes),
    addressOf(space, selected),
    codes.length,
    addressOf(space, table),
    rest,
    out.byteOffset,
  );
  return out;
}

/** Slots for pairs at first, and how many times as many there are after each time that these were too few. */
const PAIR_SLOTS = 16_384;
const PAIR_GROWTH = 8;

export interface NumberedPairs {
  /** The number of each row's pair, in the order in which pairs first appear. */
  readonly rows: Uint32Array;
  /** Left and right code by number, one after the other. */
  readonly pairs: Uint32Array;
}

export function numberPairs(
  space: Workspace,
  left: Uint32Array,
  right: Uint32Array,
): NumberedPairs {
  const { arena, kernels } = space.engine;
  const { length } = left;
  const pairs = arena.allocate(8 * length, space.owner);
  const out = emptyColumn(space, length);
  const [a, b] = [addressOf(space, left), addressOf(space, right)];
  const most = 2 ** Math.ceil(Math.log2(2 * length + 2));
  // Most tables have few pairs: slots for all would be cleared for nothing.
  for (let slots = Math.min(PAIR_SLOTS, most); ; slots = Math.min(PAIR_GROWTH * slots, most)) {
    const table = arena.allocateZeroed(4 * slots, space.owner);
    const found = kernels.numberPairs(a, b, length, table, slots - 1, pairs, out.byteOffset) >>> 0;
    arena.free(table, 4 * slots);
    if (found !== PAIRS_FULL) return { rows: out, pairs: arena.u32(pairs, 2 * found) };
  }
}

/** Left and right codes of pairs as two columns. @param pairs in the arena */
export function splitPairs(
  space: Workspace,
  pairs: Uint32Array,
): readonly [left: Uint32Array, right: Uint32Array] {
  const count = pairs.length / 2;
  const [left, right] = [emptyColumn(space, count), emptyColumn(space, count)];
  const { kernels } = space.engine;
  kernels.splitPairs(pairs.byteOffset, count, left.byteOffset, right.byteOffset);
  return [left, right];
}

/** Results of `commonCodes` as codes: 0 where rows of a group have none, or different ones. */
export function agreedCodes(space: Workspace, common: Int32Array): Uint32Array {
  const out = emptyColumn(space, common.length);
  space.engine.kernels.agreedCodes(common.byteOffset, common.length, out.byteOffset);
  return out;
}

/** The initial argument of `commonCodes`. */
export function noCodes({ engine, owner }: Workspace, groups: number): Int32Array {
  return engine.arena.i32(engine.arena.allocate(4 * groups, owner), groups).fill(NO_CODE);
}

/**
 * The code that all rows of a group share, NO_CODE or MIXED_CODES.
 * @param common the result for earlier rows, in the arena: changed
 */
export function commonCodes(
  space: Workspace,
  codes: Uint32Array,
  groups: Uint32Array,
  common: Int32Array,
): void {
  const [a, b] = [addressOf(space, codes), addressOf(space, groups)];
  space.engine.kernels.commonCodes(a, b, codes.length, common.byteOffset);
}

/**
 * The greatest value of each group.
 * @param greatest of earlier rows, in the arena, 0 without any: changed
 */
export function greatestValues(
  space: Workspace,
  values: Uint32Array,
  groups: Uint32Array,
  greatest: Uint32Array,
): void {
  const [a, b] = [addressOf(space, values), addressOf(space, groups)];
  space.engine.kernels.greatestValues(a, b, values.length, greatest.byteOffset);
}

/** The rows that have `value`, ascending. */
export function rowsOfValue(space: Workspace, values: Uint32Array, value: number): Uint32Array {
  const { arena, kernels } = space.engine;
  const { length } = values;
  const bytes = 4 * length;
  const out = arena.allocate(bytes, space.owner);
  const count = kernels.rowsOfValue(addressOf(space, values), length, value, out) >>> 0;
  const rows = arena.u32(out, count).slice();
  arena.free(out, bytes);
  return rows;
}

/** 0, 1, 2, … */
export function firstNumbers(count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = i;
  return numbers;
}

/** The column's address in the arena; that of a copy if it is not there. */
export function addressOf({ engine, owner }: Workspace, column: Uint32Array | Uint8Array): number {
  const { arena } = engine;
  if (column.buffer === arena.buffer) return arena.addressAt(column.byteOffset);
  const address = arena.allocate(column.byteLength, owner);
  arena
    .u8(address, column.byteLength)
    .set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  return address;
}

function emptyColumn({ engine, owner }: Workspace, rows: number): Uint32Array {
  return engine.arena.u32(engine.arena.allocate(4 * rows, owner), rows);
}
