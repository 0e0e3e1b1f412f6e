/** A table as CSV (https://www.rfc-editor.org/rfc/rfc4180): the rows that are shown, in their order. */
import { valuesOf } from './fields.ts';
import type { ShownRow } from './groups.ts';
import type { CostRows, Measure } from './rows.ts';

export interface Table {
  readonly shown: readonly ShownRow[];
  readonly rows: CostRows;
  readonly groups: CostRows | undefined;
  readonly measures: readonly Measure[];
  readonly by: readonly string[];
  readonly changeOf: ((row: ShownRow) => number | undefined) | undefined;
}

export function csvOf({ shown, rows, groups, measures, by, changeOf }: Table): string {
  const head = [...by, 'cost', ...(changeOf === undefined ? [] : ['change']), ...measures];
  const lines = shown.map((row) => {
    const isGroup = row.kind === 'group' && groups !== undefined;
    const { columns } = isGroup ? groups : rows;
    const firsts = new Set([row.group]);
    const values = isGroup ? [row.name] : valuesOf(row.name, by, firsts);
    const keys = by.map((_, index) => textCell(values[index] ?? ''));
    const change = changeOf === undefined ? [] : [numberCell(changeOf(row))];
    const costs = measures.map((measure) => numberCell(columns[measure][row.at]));
    return [...keys, numberCell(columns.total[row.at]), ...change, ...costs].join(',');
  });
  return [head.map(textCell).join(','), ...lines, ''].join('\n');
}

/** A `'` before what a spreadsheet would run (https://owasp.org/www-community/attacks/CSV_Injection). */
export function textCell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

function numberCell(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? '' : String(value);
}
