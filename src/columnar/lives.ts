/**
 * Which lives a set sees, and what containers have of their pod (workers/kernels/lives.ts). All
 * columns lie in the arena.
 */
import type { Workspace } from './codes.ts';

/** Of members, one a row each. */
export interface LifeColumns {
  /** The first of its rows, its first set, and how many sets it has. */
  readonly row: Uint32Array;
  readonly firstSet: Uint32Array;
  readonly sets: Uint32Array;
  /** Its first stretch, and how many it has. */
  readonly stretch: Uint32Array;
  readonly stretches: Uint32Array;
  /** Other than 0 where it is left out. */
  readonly leftOut: Uint32Array;
  readonly uncertaintiesMs: Float64Array;
  /** Pairs [startMs, endMs) of all stretches. */
  readonly timesMs: Float64Array;
}

/** Of members that ran, with room for all: what a set saw of them. */
export interface RunColumns {
  readonly members: Uint32Array;
  readonly rows: Uint32Array;
  readonly startsMs: Float64Array;
  readonly endsMs: Float64Array;
  /** Shortest and longest possible life over what is billed. */
  readonly least: Float64Array;
  readonly most: Float64Array;
}

export interface LifeSet {
  readonly index: number;
  readonly startMs: number;
  readonly endMs: number;
  /** 0 exact, else the grid's distance. */
  readonly resolutionMs: number;
}

/** @returns how many members ran in the set, of which `runs` tells */
export function runningIn(
  space: Workspace,
  lives: LifeColumns,
  { index, startMs, endMs, resolutionMs }: LifeSet,
  runs: RunColumns,
): number {
  const { row, firstSet, sets, stretch, stretches, leftOut, uncertaintiesMs, timesMs } = lives;
  const { members, rows, startsMs, endsMs, least, most } = runs;
  const own = [row, firstSet, sets, stretch, stretches, leftOut, uncertaintiesMs, timesMs];
  const told = [members, rows, startsMs, endsMs, least, most];
  return withTable(space, [...own, ...told], (table) => {
    const { kernels } = space.engine;
    return kernels.runningIn(table, row.length, index, startMs, endMs, resolutionMs) >>> 0;
  });
}

/** Of members, one a row each: their pod. */
export interface PodColumns {
  /** Its place among pods, below the number of members. */
  readonly place: Uint32Array;
  readonly row: Uint32Array;
  readonly firstSet: Uint32Array;
  readonly sets: Uint32Array;
}

/** Of members that ran: the row of their pod, -1 without one, and how much of it is theirs. */
export interface PodShares {
  readonly rows: Int32Array;
  readonly shares: Float64Array;
}

/** Divides pods evenly among those of their members that ran in the set, by its index. */
export function sharePods(
  space: Workspace,
  { place, row, firstSet, sets }: PodColumns,
  members: Uint32Array,
  set: number,
  { rows, shares }: PodShares,
): void {
  const { arena, kernels } = space.engine;
  const bytes = 4 * place.length;
  const containers = arena.u32(arena.allocateZeroed(bytes, space.owner), place.length);
  const columns = [place, row, firstSet, sets, containers, members, rows, shares];
  withTable(space, columns, (table) => kernels.sharePods(table, members.length, set));
  arena.free(containers.byteOffset, bytes);
}

/** Lends a table of the columns' addresses. */
function withTable<T>(
  { engine: { arena }, owner }: Workspace,
  columns: readonly (Uint32Array | Int32Array | Float64Array)[],
  work: (table: number) => T,
): T {
  const bytes = 4 * columns.length;
  const table = arena.allocate(bytes, owner);
  arena.u32(table, columns.length).set(columns.map(({ byteOffset }) => byteOffset));
  const result = work(table);
  arena.free(table, bytes);
  return result;
}
