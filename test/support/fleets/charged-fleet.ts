/** Sets of rows and assets, small enough to be written down, and what rows cost once charged. */
import assert from 'node:assert/strict';
import {
  chargeAssets,
  chargesOf,
  type ChargesQuery,
} from '../../../src/allocation/reconcile/asset-charges.ts';
import { readAssets, type ChargedAsset } from '../../../src/allocation/reconcile/charged-asset.ts';
import { ALLOCATION_COLUMNS } from '../../../src/allocation/sets/set-files.ts';
import { COST_COLUMNS } from '../../../src/allocation/row/schema.ts';
import {
  compileKernels,
  createEngine,
  stackTables,
  type Table,
  type Workspace,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../references/dirty-memory.ts';
import { DAY_MS, FIRST_MS, tableOf } from '../stores/stored-sets.ts';

export const HOUR_MS: number = 3_600_000;
export const WINDOW: { readonly startMs: number; readonly endMs: number } = {
  startMs: FIRST_MS,
  endMs: FIRST_MS + DAY_MS,
};

/** Texts are '' and numbers 0 where they are left out; times are those of the window. */
export type Row = Readonly<Record<string, string | number>>;

const [KERNELS, OWNER] = [1, 2];
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), KERNELS);

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

export const ALL: ChargesQuery = { reconcile: true, shareTenancyCosts: true };

/** @returns the table as charged, and how many assets are billed */
export function chargedTable(
  table: Table,
  assets: readonly Row[],
  bill: readonly Row[],
  request: ChargesQuery,
  space: Workspace,
): { readonly table: Table; readonly billable: number; readonly billed: number } {
  const lines = bill.length === 0 ? [] : [tableOfRows(bill)];
  const own = { window: WINDOW, assets: readAssets(tableOfRows(assets), true) };
  const [charges] = chargesOf([own], lines);
  if (!charges) throw new Error('no charges');
  const both = { shown: table, read: table };
  const { billable, billed } = charges;
  if (charges.assets === '') return { table, billable, billed };
  const charging = JSON.parse(charges.assets) as readonly ChargedAsset[];
  const result = chargeAssets(space, both, charging, request, true);
  return { table: result, billable, billed };
}

/** @returns the rows with all their numbers, and the charges they are made of */
export function charged(
  rows: readonly Row[],
  assets: readonly Row[],
  bill: readonly Row[] = [],
  request: ChargesQuery = ALL,
): { readonly rows: readonly Row[]; readonly billable: number; readonly billed: number } {
  const space = { engine, owner: OWNER };
  const stored = stackTables(engine.arena, OWNER, [tableOfRows(rows)], ALLOCATION_COLUMNS);
  const { table, ...counts } = chargedTable(stored, assets, bill, request, space);
  const names = [...COST_COLUMNS, 'tenancy:clusterManagement', 'tenancy:attachedDisks'];
  const out = rows.map((row, i) => ({
    ...row,
    ...Object.fromEntries(names.map((name) => [name, table.numbers(name)?.values[i] ?? 0])),
    pvs: textAt(table, 'pvs', i),
  }));
  engine.arena.release(OWNER);
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
