/**
 * Rows of a set added up by the store that has them, where it can: groups of rows as few rows, of which a query
 * makes the same as of all rows. Nothing here knows what the columns mean.
 */
import type { SetKey } from './set-key.ts';

/** What is asked of a set. Columns that it does not have are left out, as when its rows are read. */
export interface Reduction {
  /** Rows that differ in the text of one of these columns are not added up. */
  readonly apart: readonly string[];
  /** The same, for rows that have one of the texts in the column; absent columns: in that text alone. */
  readonly apartWhere: readonly ApartWhere[];
  /** Numbers that are added up. */
  readonly sums: readonly string[];
  readonly greatest: readonly string[];
  readonly least: readonly string[];
  /** Texts of which a group tells one where all of its rows agree, else two. */
  readonly alike: readonly string[];
  /** The same, of rows in which it is not empty. */
  readonly alikeWhereKnown: readonly string[];
  /** Texts of which a group tells that of the highest place; others than these are above all. */
  readonly ranked: readonly Ranked[];
  /** Texts of which a group tells those of each row. */
  readonly each: readonly string[];
  /** All conditions hold for the rows that are wanted; others may be told too. */
  readonly only: readonly Condition[];
  /** Such a row makes the answer useless. */
  readonly without: { readonly column: string; readonly text: string } | null;
}

export interface ApartWhere {
  readonly column: string;
  readonly texts: readonly string[];
  /** Absent: `column`. */
  readonly by?: readonly string[];
}

export interface Ranked {
  readonly column: string;
  /** From the lowest. */
  readonly order: readonly string[];
  /** The place of ''. */
  readonly ofEmpty: number;
}

/** The text of the column is one of these; or none of them. */
export interface Condition {
  readonly column: string;
  readonly texts: readonly string[];
  readonly isNegated: boolean;
}

/** The groups of a set, as the server told them: a worker makes a table of them (clickhouse/reduced-table.ts). */
export interface ReducedBytes {
  readonly pieces: readonly Uint8Array[];
  readonly plan: ReducedPlan;
}

/** How the groups are read: plain data. */
export interface ReducedPlan {
  readonly key: SetKey;
  /** The rows that all groups have together; null: only some rows were asked. */
  readonly rows: number | null;
  /** Leading columns that only tell groups apart. */
  readonly hidden: number;
  readonly columns: readonly ReducedColumn[];
}

export type ReducedColumn = { readonly name: string } & (
  | { readonly kind: 'apart' | 'each'; readonly sum: number | null }
  | { readonly kind: 'alike' | 'ranked' | 'extreme' }
  /** @property sums of its parts over all rows */
  | { readonly kind: 'sum'; readonly sums: readonly number[] }
);
