/**
 * Selects the rows of a table that match a filter. A field of a row has one text, or as many as a map has
 * for the name. A missing field has the empty text, so that
 *
 * - `__unallocated__` (and `""` with `:`) selects rows without the field, with all operators;
 * - `*` alone, and an empty text with `~:`, `<~:`, `~>:`, selects all rows;
 * - a negated comparison selects all rows that it would not select otherwise, those without the field
 *   included.
 *
 * Values are case-sensitive except in folded fields.
 */
import {
  RowSet,
  rowsWhere,
  textColumn,
  type Table,
  type TextColumn,
} from '../../columnar/index.ts';
import { UNALLOCATED } from './aggregate.ts';
import { textTest } from './filter-match.ts';
import type { Comparison, Filter } from './filter.ts';

/** A field in one column; `texts` splits its cell. */
export interface FieldCells {
  readonly column: string;
  /** The values of `name` in a map, or its names when `name` is null. */
  readonly texts: (cell: string, name: string | null) => readonly string[];
  /** Case does not matter, neither in cells nor in the filter. */
  readonly isFolded?: boolean;
}

/** The column of that name in each of the table's rows. */
export type ColumnOf = (table: Table, name: string) => TextColumn;

/**
 * Each different text is tested once; rows are selected by their codes, 32 at a time.
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

/**
 * Whether one thing matches, by the same rules as rows.
 * @param textOf the text of a field; '' where it is missing
 */
export function matchesFilter(filter: Filter, textOf: (field: string) => string): boolean {
  if (filter.kind === 'comparison') {
    return valueTest(filter, false)(textOf(filter.field)) !== filter.isNegated;
  }
  const matches = (part: Filter): boolean => matchesFilter(part, textOf);
  return filter.kind === 'all' ? filter.parts.every(matches) : filter.parts.some(matches);
}

/** @param columnOf for derived columns */
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
  const given = comparison.values.filter((value) => value !== UNALLOCATED);
  const values = isFolded ? given.map((value) => value.toLowerCase()) : given;
  const isMissingSelected = given.length < comparison.values.length;
  const test = values.length === 0 ? () => false : textTest(comparison.operator, values);
  return isMissingSelected ? (text) => text === '' || test(text) : test;
}
