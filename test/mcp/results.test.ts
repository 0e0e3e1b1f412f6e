/** Names of numbers, and bounds of results. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf, type Found } from '../../src/mcp/result.ts';
import type { Fields } from '../../src/mcp/tool.ts';
import { withUnits } from '../../src/mcp/units.ts';

const NAMED: readonly (readonly [Fields, Fields])[] = [
  [
    { cpuCost: 1.1, totalCost: null },
    { cpuCostUsd: 1.1, totalCostUsd: null },
  ],
  [{ totalEfficiency: 0.5 }, { totalEfficiencyRatio: 0.5 }],
  [{ monthlySavings: { cpu: 1 } }, { savingsUsdPerMonth: { cpu: 1 } }],
  [{ labels: { unitCost: 'a', cost: 'b' } }, { labels: { unitCost: 'a', cost: 'b' } }],
  [
    { ramByteHours: 3, minutes: 4 },
    { ramByteHours: 3, minutes: 4 },
  ],
  [{ rows: [{ adjustment: -2 }] }, { rows: [{ adjustmentUsd: -2 }] }],
];
for (const [from, to] of NAMED)
  test(`${JSON.stringify(from)} is told as ${JSON.stringify(to)}`, () => {
    assert.deepEqual(withUnits(from), to);
  });

const found = (rows: readonly Fields[], more: Partial<Found>): Found => ({
  rows,
  page: { limit: 25, offset: 0 },
  isPage: true,
  warnings: [],
  ...more,
});
const rowsOf = (count: number, padding: number): Fields[] =>
  Array.from({ length: count }, (_, i) => ({ name: `row ${i}`, text: 'x'.repeat(padding) }));

const PAGES: readonly (readonly [string, Found, object])[] = [
  ['the last page', found(rowsOf(5, 0), { totalRows: 30, page: { limit: 25, offset: 25 } }), { shownRows: 5, totalRows: 30, leftOutRows: 0, nextOffset: null }],
  ['a page of a route that does not count', found(rowsOf(25, 0), {}), { shownRows: 25, totalRows: null, leftOutRows: null, nextOffset: 25 }],
  ['the last of those', found(rowsOf(24, 0), {}), { shownRows: 24, totalRows: null, leftOutRows: null, nextOffset: null }],
  ['a page of all rows', found(rowsOf(40, 0), { isPage: false }), { shownRows: 25, totalRows: 40, leftOutRows: 15, nextOffset: 25 }],
  ['rows that are long', found(rowsOf(25, 10_000), { totalRows: 25 }), { shownRows: 6, totalRows: 25, leftOutRows: 19, nextOffset: 6 }],
  ['one row that is too long', found(rowsOf(2, 100_000), { totalRows: 2 }), { shownRows: 1, totalRows: 2, leftOutRows: 1, nextOffset: 1 }],
  ['no rows', found([], { totalRows: 0 }), { shownRows: 0, totalRows: 0, leftOutRows: 0, nextOffset: null }],
  ['the last page of two sets', found(rowsOf(40, 0), { totalRows: 20, sets: 2 }), { shownRows: 40, totalRows: 20, leftOutRows: null, nextOffset: null }],
  ['two sets whose rows are long', found(rowsOf(50, 10_000), { totalRows: 40, sets: 2 }), { shownRows: 6, totalRows: 40, leftOutRows: 44, nextOffset: 0 }],
  ['two sets', found(rowsOf(50, 0), { totalRows: 40, sets: 2 }), { shownRows: 50, totalRows: 40, leftOutRows: null, nextOffset: 25 }],
]; // prettier-ignore
for (const [what, given, page] of PAGES)
  test(`${what} tells what it shows and where to go on`, () => {
    assert.deepEqual(resultOf(given).structuredContent?.['page'], page);
  });

test('lists and texts beside rows are cut, and say so', () => {
  const { structuredContent: told = {} } = resultOf(
    found([], { facts: { list: rowsOf(120, 0), text: 'x'.repeat(5000) } }),
  );
  assert.equal((told['list'] as unknown[]).at(-1), '… 20 more are left out');
  assert.equal(String(told['text']).length, 2001);
});

test('what another tool takes is told whole, or refused', () => {
  const plan = { monthlySavings: 1, rows: rowsOf(200, 0) };
  assert.deepEqual(resultOf(found([], { verbatim: { plan } })).structuredContent?.['plan'], plan);
  const long = found([], { verbatim: { plan: rowsOf(9, 9000) } });
  assert.throws(() => resultOf(long), /characters, more than 65536/);
});
