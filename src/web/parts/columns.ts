/** Columns of a list as they are saved. */
import { textCell } from '../costs/csv.ts';

export interface SavedColumn<Row> {
  readonly title: string;
  /** What is sorted by and saved; numbers stand to the right. */
  readonly value: (row: Row) => string | number | undefined;
}

export function csvOfList<Row>(columns: readonly SavedColumn<Row>[], rows: readonly Row[]): string {
  const cellOf = (value: string | number | undefined): string =>
    typeof value === 'number' ? String(value) : textCell(value ?? '');
  const lines = rows.map((row) => columns.map(({ value }) => cellOf(value(row))).join(','));
  return [columns.map(({ title }) => textCell(title)).join(','), ...lines, ''].join('\n');
}
