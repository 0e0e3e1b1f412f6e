/** A page of grouped rows, highest cost first; idle is on every page and is not counted. */
import {
  gatherRows,
  type Engine,
  type Frame,
  type Owner,
  type Texts,
} from '../../columnar/index.ts';
import { HOUR_MS, type Window } from '../../query/index.ts';
import { groupedTable } from './aggregate.ts';
import type { CostMetric } from '../row/cost-metric.ts';
import { kindsOf, ROW_KINDS } from '../row/row-kinds.ts';
import { MEASURES, SAMPLED_BOUNDS } from '../row/schema.ts';
import { totalCosts } from './set-part.ts';

/** No answer shows these by their names. */
const BOUNDS: readonly string[] = SAMPLED_BOUNDS;

/** Columns by which pages can be sorted. */
export const SORT_COLUMNS: readonly string[] = [
  'name',
  'totalCost',
  ...MEASURES.filter(({ fold }) => fold === 'sum')
    .map(({ column }) => column)
    .filter((column) => !BOUNDS.includes(column)),
];

export interface Paging {
  /** Rows of a page; null: all. */
  readonly limit: number | null;
  /** Rows before it. */
  readonly offset: number;
  /** One of SORT_COLUMNS; equal rows are in order of name. */
  readonly sortBy: string;
  readonly isAscending: boolean;
}

/** @returns a frame of the rows of the page; codes are of the same texts */
export function pageRows(
  engine: Engine,
  owner: Owner,
  { frame, texts }: { readonly frame: Frame; readonly texts: Texts },
  { limit, offset, sortBy, isAscending }: Paging,
): Frame {
  const table = groupedTable(frame, texts);
  const kinds = kindsOf(table);
  const rows = Array.from({ length: frame.rows }, (_, row) => row);
  const idle = rows.filter((row) => kinds[row] === ROW_KINDS.idle);
  const others = rows.filter((row) => kinds[row] !== ROW_KINDS.idle);
  const sign = isAscending ? 1 : -1;
  if (sortBy === 'name') {
    if (!isAscending) others.reverse(); // they are in order of name
  } else {
    const values =
      sortBy === 'totalCost' ? totalCosts(table) : (table.numbers(sortBy)?.values ?? []);
    others.sort((a, b) => sign * ((values[a] ?? 0) - (values[b] ?? 0)) || a - b);
  }
  const end = limit === null ? others.length : offset + limit;
  const order = Uint32Array.from([...idle, ...others.slice(offset, end)]);
  return gatherRows({ engine, owner }, frame, order);
}

/** How the rows of a grouped set are paged and priced. */
export interface PageOptions {
  /** Null: all rows. */
  readonly paging: Paging | null;
  readonly costMetric: CostMetric;
  /** Length of the set's window, up to now. */
  readonly windowHours: number;
}

export function pageOptions(
  { paging, costMetric }: Pick<PageOptions, 'paging' | 'costMetric'>,
  { startMs, endMs }: Window,
  nowMs: number,
): PageOptions {
  return { paging, costMetric, windowHours: (Math.min(endMs, nowMs) - startMs) / HOUR_MS };
}
