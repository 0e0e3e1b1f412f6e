/** Deliveries of bills: the rows that are stored, and those that are replaced. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Window } from '../../../src/query/index.ts';
import { startBillStore, sumOf, type BillStore } from '../../support/stores/bill-store.ts';
import { focusCsv } from '../../support/stores/focus-rows.ts';
import { exactTotal, focusSamples, GENERATED } from '../../support/focus-sample.ts';
import { assertNear } from '../../support/references/near.ts';

const OCTOBER = {
  BillingPeriodStart: '2024-10-01T00:00:00Z',
  BillingPeriodEnd: '2024-11-01T00:00:00Z',
  ChargePeriodStart: '2024-10-02T00:00:00Z',
  ChargePeriodEnd: '2024-10-03T00:00:00Z',
};
const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const byJson = (a: unknown, b: unknown): number => byText(JSON.stringify(a), JSON.stringify(b));
/** Texts of a row, and the columns of the bill that they come from. */
const KEPT = ['availabilityZone', 'regionID', 'accountID', 'accountName', 'service'];
const WRITTEN = ['AvailabilityZone', 'RegionId', 'SubAccountId', 'SubAccountName', 'ServiceName'];
const textOf = (cell: string = ''): string => (cell === 'NULL' ? '' : cell);
const utcOf = (time: string = ''): number => Date.parse(`${time.replace(' ', 'T')}Z`);
const SIGNAL = new AbortController().signal;
const day = (month: number, date: number): Window => ({
  startMs: Date.UTC(2024, month - 1, date),
  endMs: Date.UTC(2024, month - 1, date + 1),
});

let store: BillStore;
before(async () => {
  store = await startBillStore();
  await store.deliver([GENERATED.csv], { source: 'sample' });
});
after(() => store.stop());

for (const sample of focusSamples())
  describe(`${sample.what} of FOCUS 1.0`, () => {
    const count = sample.rows.length;
    let own: BillStore;
    before(async () => (own = await startBillStore('UTC', 1)));
    after(() => own.stop());

    for (const time of ['once', 'again'] as const) {
      test(`has its totals when it is imported ${time}`, async () => {
        const { rows, bad, replacedRows } = await own.deliver([sample.csv]);
        assert.deepEqual([rows, bad, replacedRows], [count, 0, time === 'once' ? 0 : count]);
        const kept = await own.rows();
        assert.equal(kept.length, count);
        assertNear(sumOf(kept, 'billedCost'), exactTotal(sample, 'BilledCost'));
        assertNear(sumOf(kept, 'listCost'), exactTotal(sample, 'ListCost'));
      });
    }

    test('has texts where NULL stood for none, and times of UTC', async () => {
      const rows = await own.rows();
      assert.ok(
        rows.every((row) => !Object.values(row).includes('NULL')),
        'NULL was kept as a text',
      );
      const told = rows.map((row) => [
        row['startMs'],
        row['endMs'],
        row['usageUnit'],
        ...KEPT.map((name) => row[name]),
      ]);
      const written = sample.rows.map((row) => [
        utcOf(row['ChargePeriodStart']),
        utcOf(row['ChargePeriodEnd']),
        textOf(row['ConsumedUnit']) || textOf(row['PricingUnit']),
        ...WRITTEN.map((name) => textOf(row[name])),
      ]);
      assert.deepEqual(told.toSorted(byJson), written.toSorted(byJson));
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

  test('stores all of several equal lines', async () => {
    await store.deliver([focusCsv({}, {}, {}), focusCsv({})], { source: 'equal', as: 'external' });
    assert.equal(sumOf(await store.rows('external'), 'billedCost'), 6);
  });

  test('changes nothing when it is refused', async () => {
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

describe('queries of stored bills', () => {
  test('find whether a bill is within a window', () => {
    assert.equal(store.bills.hasBill('cloud', day(9, 18)), true);
    assert.equal(store.bills.hasBill('cloud', day(8, 18)), false);
  });

  test('add up costs by provider id, in lower case, by overlap with the window', async () => {
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
