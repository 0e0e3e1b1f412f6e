/**
 * Amounts of rows by place (workers/kernels/columns/places.ts): sums of a place's rows, and amounts that a
 * place divides among its rows. Columns of numbers are in the arena.
 */
import { addressOf, type Workspace } from './codes.ts';
import type { NumberColumn } from '../table/table.ts';

export interface Placed {
  /** One place for each row, in [1, count); 0 for rows without one. */
  readonly places: Uint32Array;
  readonly count: number;
}

/** The times of rows, and a stretch of time in the same unit. */
export interface Times {
  readonly starts: NumberColumn;
  readonly ends: NumberColumn;
  readonly from: number;
  readonly until: number;
}

/** The total time that the rows of each place were there within the stretch. */
export function sumOverlaps(space: Workspace, placed: Placed, times: Times): Float64Array {
  const { kernels } = space.engine;
  const sums = numbers(space, new Float64Array(placed.count));
  const { starts, ends, from, until } = times;
  const [places, rows] = rowsOf(space, placed);
  kernels.sumOverlaps(starts.address, ends.address, places, rows, from, until, sums.byteOffset);
  return sums;
}

/** Adds to each row of `out` its place's rate × the time that it was there within the stretch. */
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

/** Adds to each row of `out` its value × its place's rate. */
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
