/** The time that no bill tells of, counted day by day. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { startBillStore, type BillStore } from '../../support/stores/bill-store.ts';
import { focusCsv } from '../../support/stores/focus-rows.ts';
import { DAY_MS, FIRST_MS } from '../../support/stores/stored-sets.ts';

/** Sources and their billing periods, in days after the first; the last charge is of the last day. */
const PERIODS = [
  ['a', 30, 34],
  ['a', 47, 48],
  ['b', 32, 37],
  ['b', 60, 92],
] as const;
const DAYS = 130;

let store: BillStore;
before(async () => {
  store = await startBillStore('UTC', 1);
});
after(() => store.stop());

const isoOf = (day: number): string => new Date(FIRST_MS + day * DAY_MS).toISOString();

test('without a bill there is none, and with bills it is every day outside of all of them', async () => {
  const all = { startMs: FIRST_MS, endMs: FIRST_MS + DAYS * DAY_MS };
  assert.deepEqual(store.bills.untold('cloud', all), []);
  for (const [source, from, until] of PERIODS) {
    const charge = {
      BillingPeriodStart: isoOf(from),
      BillingPeriodEnd: isoOf(until + 1),
      ChargePeriodStart: isoOf(until - 1),
      ChargePeriodEnd: isoOf(until),
    };
    await store.deliver([focusCsv(charge)], { source });
  }
  const isTold = (day: number): boolean =>
    PERIODS.some(([, from, until]) => from <= day && day < until);
  const property = fc.property(fc.nat(DAYS), fc.integer({ min: 1, max: DAYS }), (from, days) => {
    const startMs = FIRST_MS + from * DAY_MS;
    const untold = store.bills.untold('cloud', { startMs, endMs: startMs + days * DAY_MS });
    const found = untold.flatMap((span) => daysIn(span.startMs, span.endMs));
    const expected = Array.from({ length: days }, (_, i) => from + i).filter((day) => !isTold(day));
    assert.deepEqual(found, expected);
    // Days that meet are one span.
    const starts = expected.filter((day, i) => day !== (expected[i - 1] ?? -1) + 1 || i === 0);
    assert.equal(untold.length, starts.length);
  });
  fc.assert(property);
  assert.deepEqual(store.bills.untold('external', all), []);
});

function daysIn(startMs: number, endMs: number): number[] {
  const first = (startMs - FIRST_MS) / DAY_MS;
  return Array.from({ length: (endMs - startMs) / DAY_MS }, (_, i) => first + i);
}
