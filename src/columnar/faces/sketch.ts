/**
 * Tables of quantile sketches with a relative error of 1 %: the TypeScript face of
 * workers/kernels/meter/sketch.ts, which documents the rules and the bytes of a sketch. In the arena: the
 * table, its sketches, and the pool of counts in a separate run, which grows.
 */
import type { Arena, Owner } from '../memory/arena.ts';
import type { Engine } from '../kernels.ts';
import { fillStruct, structAt } from '../memory/struct.ts';
import { COUNTS_MOST } from './layout/constants.ts';
import { SKETCH, SKETCH_TABLE } from './layout/meter.ts';
import type { BytesColumn } from '../table/table.ts';

/** A table of sketches, by its address: plain data for any thread, one thread at a time. */
export interface Sketches {
  readonly table: number;
  readonly count: number;
}

/** Behind the table, aligned so that no sketch crosses a cache line. */
const SKETCHES_AT = SKETCH.bytes * Math.ceil(SKETCH_TABLE.bytes / SKETCH.bytes);
/** Counts that a first value takes from the pool. */
const COUNTS_LEAST = 16;

/**
 * Empty sketches, for `owner`.
 * @param least initial counts of each, a power of two: for many values, moving to twice the room again
 *   and again would leave half of the pool unused
 * @throws {ArenaFull}
 */
export function createSketches(
  arena: Arena,
  owner: Owner,
  count: number,
  least: number = COUNTS_LEAST,
): Sketches {
  const table = arena.allocateZeroed(SKETCHES_AT + SKETCH.bytes * count, owner);
  const room = least * count + 4 * COUNTS_MOST;
  const pool = arena.allocateZeroed(4 * room, owner);
  const sketches = table + SKETCHES_AT;
  fillStruct(arena, table, SKETCH_TABLE, { sketches, pool, room, least });
  return { table, count };
}

/** Frees the unused part of the pool; nothing may be counted afterwards. */
export function trimSketches(arena: Arena, { table }: Sketches): void {
  const fields = structAt(arena, table, SKETCH_TABLE);
  const { pool, used, room } = fields;
  arena.shrink(pool, 4 * room, 4 * used);
  fields.room = used;
}

/** Doubles the pool, or more, so that `sketches` of the table have room for any values. */
export function growSketches(arena: Arena, owner: Owner, table: number, sketches = 1): void {
  const fields = structAt(arena, table, SKETCH_TABLE);
  const { pool, used, room } = fields;
  const grown = Math.max(2 * room, used + sketches * COUNTS_MOST);
  const address = arena.allocateZeroed(4 * grown, owner);
  arena.u32(address, used).set(arena.u32(pool, used));
  arena.free(pool, 4 * room);
  fields.pool = address;
  fields.room = grown;
}

/**
 * Counts `values` (f64, ≥ 0, not NaN) in the sketches `ids` (u32, below `count`).
 * @param at addresses of both, one entry for each value
 */
export function countValues(
  engine: Engine,
  owner: Owner,
  { table }: Sketches,
  at: { readonly ids: number; readonly values: number; readonly rows: number },
): void {
  takeRows(engine, owner, table, at.rows, (from) =>
    engine.kernels.countValues(table, at.ids, at.values, from, at.rows),
  );
}

/**
 * Adds each row's sketch to the one of its id (u32 at address `ids`, below `count`).
 * @param column in the arena
 */
export function mergeSketches(
  engine: Engine,
  owner: Owner,
  { table }: Sketches,
  column: BytesColumn,
  ids: number,
): void {
  const [offsets, bytes] = [column.offsets.byteOffset, column.bytes.byteOffset];
  const rows = column.offsets.length - 1;
  takeRows(engine, owner, table, rows, (from) =>
    engine.kernels.mergeSketches(table, ids, offsets, bytes, from, rows),
  );
}

/** Adds each sketch of another table to the one of its id (u32 at address `ids`, below `count`). */
export function addSketches(
  engine: Engine,
  owner: Owner,
  { table }: Sketches,
  from: Sketches,
  ids: number,
): void {
  takeRows(engine, owner, table, from.count, (first) =>
    engine.kernels.addSketches(table, from.table, ids, first, from.count),
  );
}

function takeRows(
  { arena }: Engine,
  owner: Owner,
  table: number,
  rows: number,
  take: (from: number) => number,
): void {
  for (let row = 0; row < rows;) {
    const reached = take(row) >>> 0;
    if (reached < rows) growSketches(arena, owner, table);
    row = reached;
  }
}

/** Each `stride`-th sketch from `first` on, as bytes in the arena. */
export function encodeSketches(
  { arena, kernels }: Engine,
  owner: Owner,
  { table, count }: Sketches,
  { first, stride }: { readonly first: number; readonly stride: number },
): BytesColumn {
  const rows = Math.ceil((count - first) / stride);
  const offsets = arena.allocate(4 * (rows + 1), owner);
  const room = kernels.encodeSketches(table, first, stride, rows, offsets, 0) >>> 0;
  const bytes = arena.allocate(room, owner);
  const used = kernels.encodeSketches(table, first, stride, rows, offsets, bytes) >>> 0;
  arena.shrink(bytes, room, used);
  return { offsets: arena.u32(offsets, rows + 1), bytes: arena.u8(bytes, used) };
}

/**
 * The q-quantile of each sketch, within 1 %: of n values in order, the one at ⌊q (n − 1)⌋.
 * @param q in [0, 1]
 * @returns one value for each sketch; NaN for an empty one
 */
export function sketchQuantiles(
  { arena, kernels }: Engine,
  owner: Owner,
  { table, count }: Sketches,
  q: number,
): Float64Array {
  if (!(q >= 0 && q <= 1)) throw new Error(`BUG: the ${q}-quantile`);
  const out = arena.allocate(8 * Math.max(1, count), owner);
  kernels.sketchQuantiles(table, count, q, out);
  const quantiles = arena.f64(out, count).slice();
  arena.free(out, 8 * Math.max(1, count));
  return quantiles;
}
