/**
 * Rows of a table that a filter means. A row's field has texts: one, or as many as a map has of that
 * name. What it has none of is the empty text, so that
 *
 * - `__unallocated__` (and `""` with `:`) means rows that have no such field, with every operator;
 * - `*` alone, and an empty text with `~:`, `<~:`, `~>:`, means every row;
 * - a negated comparison means all rows but those it would mean otherwise: rows without the field
 *   are among them.
 *
 * Case matters in values, but in fields that are folded.
 */
import { RowSet, rowsWhere, textColumn, type Table, type TextColumn } from '../columnar/index.ts';
import { UNALLOCATED } from './aggregate.ts';
import { textTest } from './filter-match.ts';
import type { Comparison, Filter } from './filter.ts';

/** A field stands in one column; `texts` takes its cell apart. */
export interface FieldCells {
  readonly column: string;
  /** Of a map, the values of `name`, or its names when `name` is null. */
  readonly texts: (cell: string, name: string | null) => readonly string[];
  /** In any case, both here and in the filter. */
  readonly isFolded?: boolean;
}

/** The column of that name in each of the table's rows. */
export type ColumnOf = (table: Table, name: string) => TextColumn;

/**
 * Each different text is read once; rows are told by codes, 32 at a time.
 *
 * @param compare gives the rows of one comparison, a new set
 * @returns a new set, which the caller may change
 */
export function selectRows(filter: Filter, compare: (comparison: Comparison) => RowSet): RowSet {
  if (filter.kind === 'comparison') return compare(filter);
  const [first, ...rest] = filter.parts.map((part) => selectRows(part, compare));
  if (first === undefined) throw new Error('BUG: a combination of nothing');
  for (const rows of rest) {
    if (filter.kind === 'all') first.and(rows);
    else first.or(rows);
  }
  return first;
}

/** @param columnOf for columns that are made of others */
export function compareRows(
  table: Table,
  comparison: Comparison,
  { column, texts, isFolded = false }: FieldCells,
  columnOf: ColumnOf = textColumn,
): RowSet {
  const test = valueTest(comparison, isFolded);
  return rowsWhere(columnOf(table, column), (cell) => {
    const found = texts(cell, comparison.name);
    return (found.length === 0 ? test('') : found.some(test)) !== comparison.isNegated;
  });
}

function valueTest(comparison: Comparison, isFolded: boolean): (text: string) => boolean {
  const asked = comparison.values.filter((value) => value !== UNALLOCATED);
  const values = isFolded ? asked.map((value) => value.toLowerCase()) : asked;
  const isMissingMeant = asked.length < comparison.values.length;
  const test = values.length === 0 ? () => false : textTest(comparison.operator, values);
  return isMissingMeant ? (text) => text === '' || test(text) : test;
}
