/** Deliveries of bills: what is kept of them, and what is replaced. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Window } from '../../src/query/index.ts';
import { startBillStore, sumOf, type BillStore } from '../support/bill-store.ts';
import { focusCsv } from '../support/focus-rows.ts';
import { assertNear } from '../support/near.ts';

const SAMPLE = readFileSync(
  new URL('../../../shared/data/focus/focus-1.0-sample.csv', import.meta.url),
);
const OCTOBER = {
  BillingPeriodStart: '2024-10-01T00:00:00Z',
  BillingPeriodEnd: '2024-11-01T00:00:00Z',
  ChargePeriodStart: '2024-10-02T00:00:00Z',
  ChargePeriodEnd: '2024-10-03T00:00:00Z',
};
const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const SIGNAL = new AbortController().signal;
const day = (month: number, date: number): Window => ({
  startMs: Date.UTC(2024, month - 1, date),
  endMs: Date.UTC(2024, month - 1, date + 1),
});

let store: BillStore;
before(async () => (store = await startBillStore()));
after(() => store.stop());

describe('the sample of FOCUS 1.0', () => {
  for (const time of ['once', 'again'] as const) {
    test(`has its totals when it is imported ${time}`, async () => {
      const { rows, bad, replacedRows } = await store.deliver([SAMPLE], { source: 'sample' });
      assert.deepEqual([rows, bad, replacedRows], [1000, 0, time === 'once' ? 0 : 1000]);
      const kept = await store.rows();
      assert.equal(kept.length, 1000);
      assertNear(sumOf(kept, 'billedCost'), 20.52022672899);
      assertNear(sumOf(kept, 'listCost'), 20.39090575119);
    });
  }

  test('has texts where NULL stood for none, and times of UTC', async () => {
    const rows = await store.rows();
    assert.ok(
      rows.every((row) => !Object.values(row).includes('NULL')),
      'NULL was kept as a text',
    );
    const [first] = rows;
    assert.deepEqual(
      [first?.['startMs'], first?.['endMs'], first?.['availabilityZone'], first?.['regionID']],
      [Date.UTC(2024, 8, 18, 22), Date.UTC(2024, 8, 18, 23), '', 'us-west-2'],
    );
    assert.deepEqual(
      [first?.['accountID'], first?.['accountName'], first?.['service'], first?.['usageUnit']],
      ['51738928782', 'Atlas Nimbus', 'Amazon Simple Queue Service', 'Requests'],
    );
  });
});

describe('a delivery', () => {
  test('takes the place of its periods and source, and of nothing else', async () => {
    const own = await startBillStore('UTC', 1);
    try {
      const { bills } = own;
      await own.deliver([focusCsv({}, {}), focusCsv(OCTOBER)], { source: 'a' });
      await own.deliver([focusCsv({ BilledCost: '7' })], { source: 'b' });
      await own.deliver([focusCsv({ BilledCost: '9' })], { source: 'a', as: 'external' });
      const version = bills.version;
      const { replacedRows } = await own.deliver([focusCsv({ BilledCost: '3' })], { source: 'a' });
      assert.equal(replacedRows, 2);
      assert.ok(bills.version > version, 'the version stayed');
      const rows = await own.rows();
      assert.deepEqual(rows.map((row) => String(row['billedCost'])).toSorted(byText), [
        '1.5',
        '3',
        '7',
      ]);
      assert.equal(sumOf(await own.rows('external'), 'billedCost'), 9);
      assert.deepEqual(
        bills
          .sources()
          .map(({ as, source, periods }) => `${as} ${source} ${periods.length}`)
          .toSorted(byText),
        ['cloud a 2', 'cloud b 1', 'external a 1'],
      );
    } finally {
      await own.stop();
    }
  });

  test('keeps equal lines, all of them', async () => {
    await store.deliver([focusCsv({}, {}, {}), focusCsv({})], { source: 'equal', as: 'external' });
    assert.equal(sumOf(await store.rows('external'), 'billedCost'), 6);
  });

  test('that is refused changes nothing', async () => {
    const [before, version] = [await store.rows(), store.bills.version];
    const broken = focusCsv({ BilledCost: '5' }, { BilledCost: 'x' });
    const whole = focusCsv({ BilledCost: '4' });
    await assert.rejects(store.deliver([whole, broken], { source: 'sample' }), {
      name: 'Fault',
      message: "bill-1.csv, row 3, column BilledCost: 'x' is not a number",
    });
    assert.deepEqual([await store.rows(), store.bills.version], [before, version]);
  });
});

describe('a charge of several days', () => {
  const month = {
    ChargePeriodStart: '2024-09-01T00:00:00Z',
    ChargePeriodEnd: '2024-10-01T00:00:00Z',
  };

  test('counts in each by the share of its time', async () => {
    await store.deliver([focusCsv({ ...month, BilledCost: '10' })], {
      source: 'month',
      as: 'external',
    });
    const rows = (await store.rows('external')).filter((row) => row['billedCost'] !== 1.5);
    assert.equal(rows.length, 30);
    rows.forEach((row) => assertNear(Number(row['billedCost']), 10 / 30));
    assert.equal(sumOf(rows, 'billedCost'), 10);
  });

  test('has days of 23 and 25 hours where clocks change', async () => {
    const berlin = await startBillStore('Europe/Berlin', 1);
    try {
      const times = {
        ChargePeriodStart: '2024-10-26T12:00:00Z',
        ChargePeriodEnd: '2024-10-28T12:00:00Z',
      };
      await berlin.deliver([focusCsv({ ...OCTOBER, ...times, BilledCost: '48' })]);
      assert.deepEqual(
        (await berlin.rows()).map((row) => row['billedCost']),
        [10, 25, 13],
      );
    } finally {
      await berlin.stop();
    }
  });
});

describe('what is told of bills', () => {
  test('whether one is within a window', () => {
    assert.equal(store.bills.hasBill('cloud', day(9, 18)), true);
    assert.equal(store.bills.hasBill('cloud', day(8, 18)), false);
  });

  test('costs by provider id, in lower case, by overlap with the window', async () => {
    const own = await startBillStore('UTC', 1);
    try {
      const half = { startMs: Date.UTC(2024, 8, 18, 22, 30), endMs: Date.UTC(2024, 8, 20) };
      await own.deliver([focusCsv({ ResourceId: 'AWS:///I-1' }, {}, { ResourceId: 'NULL' })]);
      await own.deliver([focusCsv({ EffectiveCost: '3' })], { source: 'other' });
      const billed = await own.bills.billedByProvider(half, 'effectiveCost', SIGNAL);
      assert.deepEqual(Object.fromEntries(billed), { 'aws:///i-1': 0.625, 'i-1': 2.125 });
    } finally {
      await own.stop();
    }
  });
});
