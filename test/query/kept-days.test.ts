/** Days that were stored by another tz database, and the calendar that keeps them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCalendar } from '../../src/query/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ZONES = [
  'UTC', 'Europe/Berlin', 'America/Havana', 'Africa/Cairo', 'Asia/Kathmandu', 'Australia/Lord_Howe',
  'Pacific/Apia', 'Pacific/Kiritimati', 'Pacific/Pago_Pago',
]; // prettier-ignore

/** Changes of clocks that a tz database did not know, in minutes. */
const SHIFTS = [-600, -180, -60, -30, -15, 15, 30, 60, 180, 600];

const fleeting = fc.record({
  zone: fc.constantFrom(...ZONES),
  // Years with the day that Apia skipped, and with changes of the others.
  firstMs: fc.integer({ min: Date.UTC(2010, 0), max: Date.UTC(2030, 0) }),
  days: fc.integer({ min: 1, max: 30 }),
  shiftMinutes: fc.constantFrom(...SHIFTS),
});

test('P-T3: days keep the bounds that they were stored with, and those around them meet', () => {
  fc.assert(
    fc.property(fleeting, ({ zone, firstMs, days, shiftMinutes }) => {
      const plain = createCalendar(zone);
      const stored = plain
        .days(firstMs, firstMs + days * DAY_MS)
        .map((ms) => ms + shiftMinutes * 60_000);
      const calendar = createCalendar(zone, stored);
      const first = stored[0] ?? 0;
      const last = stored.at(-1) ?? 0;
      assert.deepEqual(calendar.days(first, last), stored, 'what is stored are days');
      const around = calendar.days(first - 3 * DAY_MS, last + 3 * DAY_MS);
      for (const [i, startMs] of around.slice(0, -1).entries()) {
        const endMs = around[i + 1] ?? NaN;
        assert.ok(endMs > startMs, 'bounds ascend');
        for (const ms of [startMs, (startMs + endMs) / 2, endMs - 1]) {
          assert.equal(calendar.startOfDay(ms), startMs);
          assert.equal(calendar.addDays(ms, 1), endMs);
        }
      }
      const oldest = around[0] ?? 0;
      const newest = around.at(-1) ?? 0;
      assert.equal(oldest, plain.startOfDay(oldest), 'days before are those of the database');
      assert.equal(newest, plain.startOfDay(newest), 'and so are days after');
    }),
  );
});

test('bounds of the database itself change nothing, and win over others of the same day', () => {
  const plain = createCalendar('Europe/Berlin');
  const days = plain.days(Date.UTC(2024, 2, 25), Date.UTC(2024, 3, 5));
  for (const bounds of [days, [...days.map((ms) => ms + HOUR_MS), ...days], days.toReversed()]) {
    const calendar = createCalendar('Europe/Berlin', bounds);
    assert.deepEqual(calendar.days(days[0] ?? 0, days.at(-1) ?? 0), days);
  }
});

test('a bound that is too far from any day of the zone is not kept', () => {
  const midnightMs = Date.UTC(2024, 4, 20);
  const calendar = createCalendar('UTC', [midnightMs + 11 * HOUR_MS]);
  assert.equal(calendar.startOfDay(midnightMs + 12 * HOUR_MS), midnightMs);
});
