/** A page of grouped rows: highest cost first; idle comes on every page and is not counted. */
import {
  createFrame,
  type ColumnSpec,
  type Engine,
  type Frame,
  type Owner,
  type Texts,
} from '../../columnar/index.ts';
import { groupedTable } from './aggregate.ts';
import { kindsOf, ROW_KINDS } from '../row/row-kinds.ts';
import { MEASURES } from '../row/schema.ts';
import { totalCosts } from './set-part.ts';

/** What pages can be sorted by. */
export const SORT_COLUMNS: readonly string[] = [
  'name',
  'totalCost',
  ...MEASURES.filter(({ fold }) => fold === 'sum').map(({ column }) => column),
];

export interface Paging {
  /** Rows of a page; null: all. */
  readonly limit: number | null;
  /** Rows before it. */
  readonly offset: number;
  /** Of SORT_COLUMNS; what is alike is in order of name. */
  readonly sortBy: string;
  readonly isAscending: boolean;
}

/** @returns a frame of the rows of the page; codes are of the same texts */
export function page(
  { arena }: Engine,
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
  return gather(arena, owner, frame, [...idle, ...others.slice(offset, end)]);
}

function gather(arena: Engine['arena'], owner: Owner, from: Frame, rows: readonly number[]): Frame {
  const columns = [...from.columns.values()].map(({ name, type }): ColumnSpec => ({ name, type }));
  const to = createFrame(arena, columns, rows.length, owner);
  for (const { name, type } of columns) {
    const [source, target] =
      type === 'f64' ? [from.f64(name), to.f64(name)] : [from.u32(name), to.u32(name)];
    rows.forEach((row, i) => {
      target[i] = source[row] ?? 0;
    });
  }
  return to;
}
