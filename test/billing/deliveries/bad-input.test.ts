/** Bills that are refused: by file, row and column, and nothing of them is stored. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startBillStore, sumOf, type BillStore } from '../../support/stores/bill-store.ts';
import { FOCUS_ROW, focusCsv, type FocusRow } from '../../support/stores/focus-rows.ts';

let store: BillStore;
before(async () => {
  store = await startBillStore('UTC', 1);
  await store.deliver([focusCsv({})]);
});
after(() => store.stop());

const CELLS: readonly (readonly [cell: FocusRow, complaint: string])[] = [
  [{ BilledCost: 'abc' }, "column BilledCost: 'abc' is not a number"],
  [{ BilledCost: '1,234.5' }, "column BilledCost: '1,234.5' is not a number"],
  [{ BilledCost: '' }, 'column BilledCost: it is empty'],
  [{ BilledCost: 'NULL' }, 'column BilledCost: it is empty'],
  [{ ListCost: '1e999' }, "column ListCost: '1e999' is not a number"],
  [{ ListCost: '1e300' }, 'column ListCost: 1e+300 is beyond 1000000000000000'],
  [{ BilledCost: '-2e15' }, 'column BilledCost: -2000000000000000 is beyond 1000000000000000'],
  [{ EffectiveCost: 'NaN' }, "column EffectiveCost: 'NaN' is not a number"],
  [{ BillingCurrency: 'EUR' }, "column BillingCurrency: 'EUR' is not USD"],
  [{ BillingCurrency: '' }, 'column BillingCurrency: it is empty'],
  [
    { ChargeCategory: 'Usages' },
    "column ChargeCategory: 'Usages' is none of Usage, Purchase, Tax, Credit, Adjustment",
  ],
  [
    { ChargePeriodStart: '18.09.2024' },
    "column ChargePeriodStart: '18.09.2024' is no time of the years 2000 to 2100",
  ],
  [
    { ChargePeriodEnd: '3024-09-18T23:00:00Z' },
    "column ChargePeriodEnd: '3024-09-18T23:00:00Z' is no time of the years 2000 to 2100",
  ],
  [{ ChargePeriodEnd: '2024-09-01' }, 'column ChargePeriodEnd: it is before the start'],
  [{ ChargePeriodEnd: '2030-09-18' }, 'column ChargePeriodEnd: it is 2190 days long'],
  [{ BillingPeriodEnd: '2026-09-01' }, 'column BillingPeriodEnd: it is 730 days long'],
  [{ BillingPeriodStart: '' }, 'column BillingPeriodStart: it is empty'],
  [{ Tags: 'a=b' }, "column Tags: 'a=b' is no JSON object"],
  [{ Tags: `{"a":"${'x'.repeat(70_000)}"}` }, 'column Tags: it has 70008 characters'],
];

describe('a row is refused', () => {
  for (const [cell, complaint] of CELLS)
    test(`as ${JSON.stringify(cell).slice(0, 60)}: ${complaint}`, async () => {
      const version = store.bills.version;
      await assert.rejects(store.deliver([focusCsv({}, cell, {})]), {
        name: 'Fault',
        message: `bill-0.csv, row 3, ${complaint}`,
      });
      assert.equal(store.bills.version, version);
    });
});

const header = Object.keys(FOCUS_ROW).join(',');
const line = Object.values(FOCUS_ROW).join(',');
const without = (name: string): string => focusCsv({}).replace(name, `x${name}`);

const FILES: readonly (readonly [what: string, file: string | Uint8Array, message: string])[] = [
  ['empty', '', 'bill-0.csv is empty'],
  ['of a header alone', `${header}\n`, 'bill-0.csv: there is no charge in it'],
  [
    'without a column',
    without('BilledCost'),
    'bill-0.csv, row 1: the mandatory column BilledCost of FOCUS is missing',
  ],
  [
    'without its provider',
    without('ProviderName'),
    'bill-0.csv, row 1: the mandatory column ServiceProviderName or ProviderName of FOCUS is missing',
  ],
  ['with a column twice', `${header},Tags\n${line},\n`, 'bill-0.csv, row 1: the column Tags is there twice'], // prettier-ignore
  ['with a row cut short', `${header}\n${line}\n1,2\n`, 'bill-0.csv, row 3: it has 2 cells, the header has 17'], // prettier-ignore
  [
    'with a quote that is not closed',
    `${header}\n${line}\n"${line}`,
    'bill-0.csv, row 3: a quote stands within a cell, or is not closed',
  ],
  ['of UTF-16', Buffer.from(`\uFEFF${header}`, 'utf16le'), 'bill-0.csv is of UTF-16'],
  [
    'of rows that are too short',
    `${header}\n${`${','.repeat(16)}\n`.repeat(50)}`,
    'bill-0.csv, row 2: it and those after it are too short for charges',
  ],
];

describe('a file is refused', () => {
  for (const [what, file, message] of FILES)
    test(`when it is ${what}`, () =>
      assert.rejects(store.deliver([file]), { name: 'Fault', message }));

  test('when it has more billing periods than any bill', async () => {
    const periods = Array.from({ length: 130 }, (_, i) => ({
      BillingPeriodStart: new Date(Date.UTC(2010, i)).toISOString(),
      BillingPeriodEnd: new Date(Date.UTC(2010, i + 1)).toISOString(),
    }));
    const message = 'bill-0.csv: more than 120 billing periods are in it';
    await assert.rejects(store.deliver([focusCsv(...periods)]), { message });
  });
});

test('--skip-bad-rows leaves bad rows out and reports each', async () => {
  store.notes.length = 0;
  const csv = `${focusCsv({}, { BilledCost: 'x' }, { Tags: 'y' })}1,2\n${line}\n`;
  const { rows, bad } = await store.deliver([csv], { isSkipping: true, source: 'skipped' });
  assert.deepEqual([rows, bad], [2, 3]);
  assert.deepEqual(store.notes, [
    "bill-0.csv, row 3, column BilledCost: 'x' is not a number",
    "bill-0.csv, row 4, column Tags: 'y' is no JSON object",
    'bill-0.csv, row 5: it has 2 cells, the header has 17',
  ]);
});

test('the bills before stay, and no other memory is held', async () => {
  assert.equal(sumOf(await store.rows(), 'billedCost'), 1.5 + 3);
});
