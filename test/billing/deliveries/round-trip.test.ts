/** Any bill is stored as it was written, whatever its texts, and adds up over the days of its charges. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { startBillStore, sumOf, type BillStore } from '../../support/stores/bill-store.ts';
import { FOCUS_ROW, focusCsv, type FocusRow } from '../../support/stores/focus-rows.ts';

const RUNS = { numRuns: 25 };
const HOUR_MS = 3_600_000;
const FIRST_MS = Date.UTC(2024, 8);

let store: BillStore;
before(async () => (store = await startBillStore('Europe/Berlin', 1)));
after(() => store.stop());

const text = fc.oneof(
  fc.constantFrom('a', 'b "quoted"', 'two\nlines', 'x,y', 'ü', ' '),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
);
const orNull = fc.oneof(text, fc.constantFrom('', 'NULL'));
const amount = fc.integer({ min: -1e9, max: 1e9 }).map((units) => units / 1e6);
const hour = fc.integer({ min: 0, max: 700 });
const iso = (hours: number): string => new Date(FIRST_MS + hours * HOUR_MS).toISOString();

const row: fc.Arbitrary<FocusRow> = fc
  .record({
    BilledCost: amount.map(String),
    ListCost: fc.oneof(amount.map(String), fc.constant('NULL')),
    ChargeDescription: orNull,
    ResourceId: orNull,
    ResourceName: orNull,
    ServiceName: orNull,
    SubAccountName: orNull,
    ChargeCategory: fc.constantFrom('usage', 'TAX', 'Credit'),
    start: hour,
    hours: fc.integer({ min: 0, max: 200 }),
  })
  .map(({ start, hours, ...cells }) => ({
    ...FOCUS_ROW,
    ...cells,
    ChargePeriodStart: iso(start),
    ChargePeriodEnd: iso(start + hours),
  }));

/** The expected row, by the rules in words. */
function expected(cells: FocusRow): readonly string[] {
  const of = (name: string): string => {
    const value = cells[name] ?? '';
    return ['NULL', 'null'].includes(value) ? '' : value;
  };
  const category = { usage: 'Usage', tax: 'Tax', credit: 'Credit' }[
    of('ChargeCategory').toLowerCase()
  ];
  return [
    of('ChargeDescription'),
    of('ResourceId'),
    of('ResourceName') || of('ResourceId'),
    of('ServiceName'),
    of('SubAccountName') || of('BillingAccountName'),
    category ?? '',
  ];
}

const KEPT = [
  'description',
  'providerID',
  'resourceName',
  'service',
  'accountName',
  'chargeCategory',
];

test('each charge is stored with its texts, in pieces that are each within a day and add up', async () => {
  const rows = fc.array(row, { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 5000 }), async (charges, pieceBytes) => {
      await store.deliver([focusCsv(...charges)], { pieceBytes });
      const kept = await store.rows();
      let at = 0;
      for (const charge of charges) {
        const endMs = Date.parse(charge['ChargePeriodEnd'] ?? '');
        const from = at;
        do
          assert.deepEqual(
            KEPT.map((name) => kept[at]?.[name]),
            expected(charge),
          );
        while (Number(kept[at++]?.['endMs']) < endMs);
        const pieces = kept.slice(from, at);
        const billed = Number(charge['BilledCost']);
        assert.ok(Math.abs(sumOf(pieces, 'billedCost') - billed) <= 1e-12 * Math.abs(billed) + 1e-15, 'it adds up'); // prettier-ignore
        for (const { startMs, endMs: end } of pieces) {
          assert.ok(Number(end) <= Number(startMs) + 25 * HOUR_MS, 'a piece is within a day');
        }
      }
      assert.equal(at, kept.length, 'no row is left');
    }),
    RUNS,
  );
});
