/** Columns of a list: what is shown, sorted by and saved. */
import { textCell } from '../costs/csv.ts';
import type { ComponentChildren } from '../preact.ts';

export interface Column<Row> {
  readonly title: string;
  /** What is sorted by and saved; numbers stand to the right. */
  readonly value: (row: Row) => string | number | undefined;
  /** What is shown; default the value. */
  readonly cell?: (row: Row) => ComponentChildren;
  /** Stands for a number that is not sorted as one. */
  readonly isNumber?: boolean;
  /** Left out where there is no room. */
  readonly isMinor?: boolean;
}

export function csvOfList<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cellOf = (value: string | number | undefined): string =>
    typeof value === 'number' ? String(value) : textCell(value ?? '');
  const lines = rows.map((row) => columns.map(({ value }) => cellOf(value(row))).join(','));
  return [columns.map(({ title }) => textCell(title)).join(','), ...lines, ''].join('\n');
}
