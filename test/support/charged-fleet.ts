/** Sets of rows and assets, small enough to be written down, and what rows cost once charged. */
import assert from 'node:assert/strict';
import { chargeAssets, chargesOf, type ChargesAsked } from '../../src/allocation/asset-charges.ts';
import { readAssets } from '../../src/allocation/charged-asset.ts';
import { COST_COLUMNS } from '../../src/allocation/schema.ts';
import { Arena, createMemory, type Owner, type Table } from '../../src/columnar/index.ts';
import { DAY_MS, FIRST_MS, tableOf } from './stored-sets.ts';

export const HOUR_MS: number = 3_600_000;
export const WINDOW: { readonly startMs: number; readonly endMs: number } = {
  startMs: FIRST_MS,
  endMs: FIRST_MS + DAY_MS,
};

/** Texts are '' and numbers 0 where they are left out; times are those of the window. */
export type Row = Readonly<Record<string, string | number>>;

const OWNER = 1;
const arena = new Arena(createMemory(64 << 20));

/** @param rows with the same members or fewer */
export function tableOfRows(rows: readonly Row[]): Table {
  const names = new Set(['startMs', 'endMs', ...rows.flatMap((row) => Object.keys(row))]);
  const columns = [...names].map((name) => {
    const isText = rows.some((row) => typeof row[name] === 'string');
    return [name, rows.map((row) => row[name] ?? (isText ? '' : defaultOf(name)))];
  });
  return tableOf(Object.fromEntries(columns) as Parameters<typeof tableOf>[0], rows.length);
}

function defaultOf(name: string): number {
  return name === 'startMs' ? WINDOW.startMs : name === 'endMs' ? WINDOW.endMs : 0;
}

export const ALL: ChargesAsked = { reconcile: true, shareTenancyCosts: true };

/** @returns the table as charged, and how many assets are billed */
export function chargedTable(
  table: Table,
  assets: readonly Row[],
  bill: readonly Row[],
  asked: ChargesAsked,
  memory: { readonly arena: Arena; readonly owner: Owner },
): { readonly table: Table; readonly billable: number; readonly billed: number } {
  const lines = bill.length === 0 ? [] : [tableOfRows(bill)];
  const charges = chargesOf(readAssets(tableOfRows(assets)), lines, WINDOW);
  const both = { shown: table, read: table };
  const { billable, billed } = charges;
  const result = chargeAssets(memory.arena, memory.owner, both, { ...charges, asked });
  return { table: result, billable, billed };
}

/** @returns the rows with all their numbers, and the charges they are made of */
export function charged(
  rows: readonly Row[],
  assets: readonly Row[],
  bill: readonly Row[] = [],
  asked: ChargesAsked = ALL,
): { readonly rows: readonly Row[]; readonly billable: number; readonly billed: number } {
  const memory = { arena, owner: OWNER };
  const { table, ...counts } = chargedTable(tableOfRows(rows), assets, bill, asked, memory);
  const names = [...COST_COLUMNS, 'tenancy:clusterManagement', 'tenancy:attachedDisks'];
  const out = rows.map((row, i) => ({
    ...row,
    ...Object.fromEntries(names.map((name) => [name, table.numbers(name)?.values[i] ?? 0])),
    pvs: textAt(table, 'pvs', i),
  }));
  arena.release(OWNER);
  return { rows: out, ...counts };
}

function textAt(table: Table, name: string, row: number): string {
  const column = table.text(name);
  return column?.texts.text(column.codes[row] ?? 0) ?? '';
}

/** Σ of the columns over the rows, USD. */
export function sum(rows: readonly Row[], columns: readonly string[] = COST_COLUMNS): number {
  return rows.reduce(
    (total, row) => columns.reduce((part, name) => part + Number(row[name] ?? 0), total),
    0,
  );
}

/** Number by number, to 1e-9. */
export function assertNumbers(actual: readonly number[], expected: readonly number[]): void {
  const areNear = expected.every((value, i) => {
    return Math.abs((actual[i] ?? NaN) - value) <= 1e-9 * Math.max(1, Math.abs(value));
  });
  assert.ok(
    areNear && actual.length === expected.length,
    `${actual.join(', ')} are not ${expected.join(', ')}`,
  );
}
