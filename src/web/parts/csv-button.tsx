/** The table as CSV: the rows and columns that are seen, in their order. */
import { csvOf, type Table } from '../costs/csv.ts';
import type { VNode } from '../preact.ts';
import { state } from '../state.ts';
import { saveCsv } from './save-csv.ts';

export function CsvButton(table: Table): VNode {
  const save = (): void => {
    const { by, window } = state.value;
    saveCsv(`costs-by-${[...by, window].join('-')}`, csvOf(table));
  };
  return (
    <button type="button" class="quiet" onClick={save}>
      CSV of what is seen
    </button>
  );
}
