/**
 * The tables of a store in ClickHouse. docs/clickhouse.md tells them to people who ask by their own SQL.
 *
 *   prorata_schema       the version of all of this
 *   prorata_sets         the manifest: a row a change of a set; of one key the highest generation counts
 *   prorata_current      a view of it: the sets that count
 *   prorata_pieces       what of a set's file is not in rows: its frame, and the dictionaries of its columns
 *   <kind>_rows          rows of sets of one kind, also of those that no longer count, or never did
 *   <kind>               a view of them: the rows that count
 *
 * Over a cluster (shards.ts), those of pieces and rows have none: they hand on to tables of the same columns on the
 * shards, which have `_shard` behind their names.
 *
 * Rows and pieces of each set are a partition of their own, by the version of the set: it is dropped whole.
 */
import { CODED } from './native-write.ts';

export const SCHEMA_TABLE = 'prorata_schema';
export const SETS_TABLE = 'prorata_sets';
export const PIECES_TABLE = 'prorata_pieces';
export const CURRENT_VIEW = 'prorata_current';

/** Columns of every table of rows, before those of its sets. */
export const VERSION = 'setVersion';
export const ROW = 'setRow';
export const OWN_COLUMNS: readonly (readonly [name: string, type: string])[] = [
  [VERSION, 'UInt64'],
  ['windowStart', "DateTime('UTC')"],
  ['windowEnd', "DateTime('UTC')"],
  [ROW, 'UInt32'],
];

export type ColumnType = 'Float64' | 'String' | typeof CODED;

export interface TableColumn {
  readonly name: string;
  readonly type: ColumnType;
}

export function rowsTable(kind: string): string {
  return `${kind}_rows`;
}

/** Seconds of a column of times, as near as it can have them. */
export function secondsOf(ms: number): number {
  return Math.min(Math.max(Math.floor(ms / 1000), 0), 2 ** 32 - 1);
}

/** Consecutive days lie on one shard after the other. */
export const ROWS_SPLIT: Split = {
  parts: `PARTITION BY (windowStart, ${VERSION}) ORDER BY ${ROW}`,
  key: 'intDiv(toUInt32(windowStart), 86400)',
};
export const PIECES_SPLIT: Split = { parts: 'PARTITION BY version ORDER BY piece', key: 'version' };
export const PIECES = 'version UInt64, piece String, bytes String';

export interface Split {
  /** Partitions and order of a table that has rows. */
  readonly parts: string;
  /** A number, by which a row's shard is found. */
  readonly key: string;
}
