/**
 * The lifetimes that a set sees, and shares of containers in their pods
 * (workers/kernels/columns/lives.ts). All columns are in the arena.
 */
import type { Workspace } from './codes.ts';
import { LIVES, PODS } from './layout/columns.ts';
import { structAt, type Layout, type Struct } from '../memory/struct.ts';

/** Columns of members. */
export interface LifeColumns {
  /** The member's first row, its first set, and its number of sets. */
  readonly row: Uint32Array;
  readonly firstSet: Uint32Array;
  readonly sets: Uint32Array;
  /** The member's first stretch, and its number of stretches. */
  readonly stretch: Uint32Array;
  readonly stretches: Uint32Array;
  /** Not 0: the member is left out. */
  readonly leftOut: Uint32Array;
  /** How much earlier the first stretch can have begun; how far off the end of the last can be. */
  readonly startUncertaintiesMs: Float64Array;
  readonly endUncertaintiesMs: Float64Array;
  /** How far off both ends of a gap can be. */
  readonly gapUncertaintiesMs: Float64Array;
  /** Pairs [startMs, endMs) of all stretches. */
  readonly timesMs: Float64Array;
}

/** Columns of the members that ran in a set, with room for all members. */
export interface RunColumns {
  readonly members: Uint32Array;
  readonly rows: Uint32Array;
  readonly startsMs: Float64Array;
  readonly endsMs: Float64Array;
  /** The billed time over the life in the set: 1 if exact or unseen, 0 if it only may have run in the set. */
  readonly scale: Float64Array;
  /** By how much the life in the set can be shorter or longer. */
  readonly lessMs: Float64Array;
  readonly moreMs: Float64Array;
}

export interface LifeSet {
  readonly index: number;
  readonly startMs: number;
  readonly endMs: number;
  /** 0 exact, else the grid's distance. */
  readonly resolutionMs: number;
}

/**
 * Fills `runs`.
 * @param which those that points of the grid saw, or those that ran or may have run between two of them
 * @returns their number
 */
export function runningIn(
  space: Workspace,
  lives: LifeColumns,
  { index, startMs, endMs, resolutionMs }: LifeSet,
  runs: RunColumns,
  which: 'seen' | 'unseen' = 'seen',
): number {
  const columns = { ...placesOf(lives), ...placesOf(runs) };
  return withTable(space, LIVES, columns, (table) => {
    const { kernels } = space.engine;
    const { length } = lives.row;
    const isUnseen = which === 'unseen' ? 1 : 0;
    return kernels.runningIn(table, length, index, startMs, endMs, resolutionMs, isUnseen) >>> 0;
  });
}

/** Pods of members. */
export interface PodColumns {
  /** Index of the pod, below the number of members. */
  readonly place: Uint32Array;
  readonly row: Uint32Array;
  readonly firstSet: Uint32Array;
  readonly sets: Uint32Array;
}

/** For members that ran: the row of their pod, -1 without one, and their share of it. */
export interface PodShares {
  readonly rows: Int32Array;
  readonly shares: Float64Array;
}

/** Divides pods evenly among those of their members that ran in the set, by its index. */
export function sharePods(
  space: Workspace,
  pods: PodColumns,
  members: Uint32Array,
  set: number,
  shares: PodShares,
): void {
  const { arena, kernels } = space.engine;
  const bytes = 4 * pods.place.length;
  const containers = arena.u32(arena.allocateZeroed(bytes, space.owner), pods.place.length);
  const columns = placesOf({ ...pods, containers, members, ...shares });
  withTable(space, PODS, columns, (table) => kernels.sharePods(table, members.length, set));
  arena.free(containers.byteOffset, bytes);
}

type Columns<Name extends string> = Readonly<Record<Name, Uint32Array | Int32Array | Float64Array>>;

/** The places of columns. */
function placesOf<Name extends string>(columns: Columns<Name>): Record<Name, number> {
  const named: [string, Uint32Array | Int32Array | Float64Array][] = Object.entries(columns);
  const places = named.map(([name, { byteOffset }]) => [name, byteOffset]);
  return Object.fromEntries(places) as Record<Name, number>;
}

/** Calls a function with a temporary table of the columns' addresses. */
function withTable<L extends Layout, T>(
  { engine: { arena }, owner }: Workspace,
  layout: L,
  columns: Struct<L>,
  work: (table: number) => T,
): T {
  const table = arena.allocate(layout.bytes, owner);
  Object.assign(structAt(arena, table, layout), columns);
  const result = work(table);
  arena.free(table, layout.bytes);
  return result;
}
