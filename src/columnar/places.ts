/**
 * Amounts of rows by the place of each (workers/kernels/places.ts): what the rows of a place come to,
 * and what it gives to each of them. Columns of numbers lie in the arena.
 */
import { addressOf, type Workspace } from './codes.ts';
import type { NumberColumn } from './table.ts';

export interface Placed {
  /** A place a row, in [1, count); 0 for rows that have none. */
  readonly places: Uint32Array;
  readonly count: number;
}

/** When rows were there, and a stretch of time in the same unit. */
export interface Times {
  readonly starts: NumberColumn;
  readonly ends: NumberColumn;
  readonly from: number;
  readonly until: number;
}

/** How long the rows of each place were there within the stretch, in all. */
export function sumOverlaps(space: Workspace, placed: Placed, times: Times): Float64Array {
  const { kernels } = space.engine;
  const sums = numbers(space, new Float64Array(placed.count));
  const { starts, ends, from, until } = times;
  const [places, rows] = rowsOf(space, placed);
  kernels.sumOverlaps(starts.address, ends.address, places, rows, from, until, sums.byteOffset);
  return sums;
}

/** Adds to each row of `out` its place's rate for the time that it was there within the stretch. */
export function addOverlaps(
  space: Workspace,
  placed: Placed,
  { starts, ends, from, until }: Times,
  rates: Float64Array,
  out: NumberColumn,
): void {
  const [places, rows] = rowsOf(space, placed);
  const by = numbers(space, rates).byteOffset;
  const { kernels } = space.engine;
  kernels.addOverlaps(starts.address, ends.address, places, rows, from, until, by, out.address);
}

/** The sum of the values of each place. */
export function sumPlaces(
  space: Workspace,
  placed: Placed,
  values: NumberColumn | undefined,
): Float64Array {
  const sums = numbers(space, new Float64Array(placed.count));
  const [places, rows] = rowsOf(space, placed);
  if (values) space.engine.kernels.sumPlaces(values.address, places, rows, sums.byteOffset);
  return sums;
}

/** Adds to each row of `out` its value times its place's rate. */
export function addRated(
  space: Workspace,
  placed: Placed,
  values: NumberColumn | undefined,
  rates: Float64Array,
  out: NumberColumn,
): void {
  if (!values) return;
  const [places, rows] = rowsOf(space, placed);
  const by = numbers(space, rates).byteOffset;
  space.engine.kernels.addRated(values.address, places, rows, by, out.address);
}

function rowsOf(space: Workspace, { places }: Placed): [address: number, rows: number] {
  return [addressOf(space, places), places.length];
}

/** A copy in the arena. */
function numbers({ engine, owner }: Workspace, values: Float64Array): Float64Array {
  const { arena } = engine;
  const copy = arena.f64(arena.allocate(values.byteLength, owner), values.length);
  copy.set(values);
  return copy;
}
