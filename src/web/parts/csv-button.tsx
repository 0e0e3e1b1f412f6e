/** The table as CSV: the rows and columns that are seen, in their order. */
import { csvOf, type Table } from '../costs/csv.ts';
import type { VNode } from '../preact.ts';
import { state } from '../state.ts';

export function CsvButton(table: Table): VNode {
  const save = (): void => {
    const blob = new Blob([csvOf(table)], { type: 'text/csv;charset=utf-8' });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    const { by, window } = state.value;
    link.download = `costs-by-${[...by, window].join('-').replace(/[^\w.-]+/g, '-')}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <button type="button" class="quiet" onClick={save}>
      CSV of what is seen
    </button>
  );
}
