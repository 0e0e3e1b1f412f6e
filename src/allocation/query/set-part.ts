/** Rows of a set between the stages of a query. */
import type { RowSet, Table } from '../../columnar/index.ts';
import { ROW_KINDS } from '../row/row-kinds.ts';
import { COST_COLUMNS } from '../row/schema.ts';

export interface SetPart {
  readonly table: Table;
  /** ROW_KINDS, a row. */
  readonly kinds: Uint32Array;
  /** Rows that are idle. */
  readonly idle: readonly number[];
  /** The group of each row, known before any row is left out. */
  readonly groups: Uint32Array;
  /** Rows that the filter matches; null: all. */
  readonly matched: RowSet | null;
  /** 1 + the place of the source that shares a row's cost; 0: the row is not shared. */
  readonly sources: Uint32Array | null;
}

/** Whether a row has costs of its own: it is neither idle nor external. */
export function isTenant(kind: number | undefined): boolean {
  return kind === ROW_KINDS.workload || kind === ROW_KINDS.unmounted;
}

export function isMatched({ matched }: SetPart, row: number): boolean {
  return matched === null || matched.has(row);
}

export function isShared({ sources }: SetPart, row: number): boolean {
  return sources !== null && sources[row] !== 0;
}

/** The sum of some columns for each row. */
export function sumOf(table: Table, columns: readonly string[]): Float64Array {
  const sums = new Float64Array(table.rows);
  for (const name of columns) {
    const values = table.numbers(name)?.values;
    if (!values) continue;
    for (let row = 0; row < sums.length; row++) sums[row] = (sums[row] ?? 0) + (values[row] ?? 0);
  }
  return sums;
}

/** Each row's `totalCost`. */
export function totalCosts(table: Table): Float64Array {
  return sumOf(table, COST_COLUMNS);
}
