import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { createCalendar, Fault } from '../../src/query/index.ts';

const DAY_MS = 86_400_000;
const ZONES = [
  'Australia/Lord_Howe',
  'America/Nuuk',
  'Pacific/Apia',
  'Asia/Kolkata',
  'America/New_York',
  'Europe/Berlin',
  'Africa/Cairo',
  'America/Havana',
  'America/St_Johns',
  'UTC',
];

/** Start of a local day by the reference: midnight, or the next instant if midnight is skipped. */
function referenceStartMs(date: Temporal.PlainDate, zone: string): number {
  return date.toZonedDateTime(zone).epochMilliseconds;
}

for (const zone of ZONES) {
  test(`P-T1: in ${zone} days are adjacent, and start where an independent calendar starts them`, () => {
    const calendar = createCalendar(zone);
    let date = Temporal.PlainDate.from('2005-01-01');
    const firstMs = referenceStartMs(date, zone);
    const expected = [firstMs];
    while (date.year < 2026) {
      date = date.add({ days: 1 });
      const startMs = referenceStartMs(date, zone);
      if (startMs !== expected.at(-1)) expected.push(startMs);
    }
    const lastMs = expected.at(-1) ?? firstMs;
    assert.deepEqual(calendar.days(firstMs, lastMs), expected);
    const hours = expected.slice(0, -1).map((startMs) => calendar.dayHours(startMs));
    const minutes = hours.reduce((sum, each) => sum + each * 60, 0);
    assert.equal(minutes, (lastMs - firstMs) / 60_000);
  });
}

const LENGTHS: readonly (readonly [string, string, number])[] = [
  ['America/New_York', '2024-03-10T12:00:00Z', 23],
  ['America/New_York', '2024-11-03T12:00:00Z', 25],
  ['Europe/Berlin', '2024-03-31T12:00:00Z', 23],
  ['Europe/Berlin', '2024-10-27T12:00:00Z', 25],
  ['Australia/Lord_Howe', '2024-10-06T00:00:00Z', 23.5],
  ['Australia/Lord_Howe', '2024-04-07T00:00:00Z', 24.5],
  ['America/Nuuk', '2024-03-30T23:00:00Z', 23],
  ['Asia/Kolkata', '2024-03-10T12:00:00Z', 24],
  ['Africa/Cairo', '2024-04-26T12:00:00Z', 23],
  ['America/Havana', '2024-11-03T12:00:00Z', 25],
  ['UTC', '2024-03-10T12:00:00Z', 24],
];

for (const [zone, instant, hours] of LENGTHS) {
  test(`the day of ${instant} in ${zone} has ${hours} h`, () => {
    assert.equal(createCalendar(zone).dayHours(Date.parse(instant)), hours);
  });
}

test('P-T1: the day Apia skipped in 2011 is empty: never listed, never stepped on', () => {
  const calendar = createCalendar('Pacific/Apia');
  const skippedMs = Date.parse('2011-12-30T10:00:00Z');
  const [beforeMs, afterMs] = [skippedMs - DAY_MS, skippedMs + DAY_MS];
  assert.deepEqual(calendar.days(skippedMs - 1, skippedMs + 1), [beforeMs, skippedMs, afterMs]);
  assert.equal(calendar.addDays(beforeMs, 1), skippedMs);
  assert.equal(calendar.addDays(beforeMs, 2), afterMs);
  assert.equal(calendar.addDays(skippedMs, -1), beforeMs);
  assert.equal(calendar.dayHours(skippedMs), 24);
});

test('P-T2: a day whose midnight is skipped starts at the jump, of two midnights at the first', () => {
  const cairoMs = createCalendar('Africa/Cairo').startOfDay(Date.parse('2024-04-26T12:00:00Z'));
  assert.equal(new Date(cairoMs).toISOString(), '2024-04-25T22:00:00.000Z'); // 01:00 local
  const havanaMs = createCalendar('America/Havana').startOfDay(Date.parse('2024-11-03T12:00:00Z'));
  assert.equal(new Date(havanaMs).toISOString(), '2024-11-03T04:00:00.000Z'); // 00:00, UTC-4
});

const NOW = '2024-05-03T08:01:04Z'; // a Friday
const STARTS: readonly (readonly [string, 'startOfWeek' | 'startOfMonth', string, string])[] = [
  ['UTC', 'startOfWeek', NOW, '2024-04-28T00:00:00Z'],
  ['UTC', 'startOfWeek', '2023-03-28T12:12:00Z', '2023-03-26T00:00:00Z'],
  ['UTC', 'startOfWeek', '2023-03-26T00:00:00Z', '2023-03-26T00:00:00Z'],
  ['UTC', 'startOfWeek', '1970-01-04T00:00:00Z', '1970-01-04T00:00:00Z'],
  ['UTC', 'startOfWeek', '1970-01-01T00:00:00Z', '1969-12-28T00:00:00Z'],
  ['UTC', 'startOfMonth', NOW, '2024-05-01T00:00:00Z'],
  ['Asia/Kolkata', 'startOfMonth', '2024-04-30T19:00:00Z', '2024-04-30T18:30:00Z'],
  ['America/New_York', 'startOfWeek', '2024-03-13T00:00:00Z', '2024-03-10T05:00:00Z'],
];

for (const [zone, start, instant, expected] of STARTS) {
  test(`${start} of ${instant} in ${zone} is ${expected}`, () => {
    assert.equal(createCalendar(zone)[start](Date.parse(instant)), Date.parse(expected));
  });
}

test('months are added across years, from any day of the month', () => {
  const calendar = createCalendar('Europe/Berlin');
  const added = (months: number): string =>
    new Date(calendar.addMonths(Date.parse('2024-01-31T12:00:00Z'), months)).toISOString();
  assert.equal(added(1), '2024-01-31T23:00:00.000Z');
  assert.equal(added(-1), '2023-11-30T23:00:00.000Z');
  assert.equal(added(6), '2024-06-30T22:00:00.000Z');
});

test('each instant lies in its own day, and the days around it are one step away', () => {
  const calendars = ZONES.map((zone) => createCalendar(zone));
  const instants = fc.integer({ min: 0, max: 4_000_000_000_000 });
  fc.assert(
    fc.property(
      fc.constantFrom(...calendars),
      instants,
      fc.integer({ min: 1, max: 40 }),
      (c, ms, n) => {
        const startMs = c.startOfDay(ms);
        const nextMs = c.addDays(ms, 1);
        assert.ok(startMs <= ms && ms < nextMs, c.zone);
        assert.equal(c.startOfDay(startMs), startMs);
        assert.equal(c.startOfDay(nextMs - 1), startMs);
        assert.equal(c.addDays(c.addDays(ms, n), -n), startMs);
        assert.equal(c.days(startMs, c.addDays(startMs, n)).length, n + 1);
      },
    ),
  );
});

test('an empty or reversed range lies in one day, a range that touches a second day in two', () => {
  const calendar = createCalendar('UTC');
  assert.deepEqual(calendar.days(5, 5), [0, DAY_MS]);
  assert.deepEqual(calendar.days(0, DAY_MS), [0, DAY_MS]);
  assert.deepEqual(calendar.days(0, DAY_MS + 1), [0, DAY_MS, 2 * DAY_MS]);
});

test('more than a century of days is refused before any is computed', () => {
  assert.throws(
    () => createCalendar('UTC').days(0, 253_402_300_800_000),
    (fault: unknown) => fault instanceof Fault && fault.status === 422,
  );
});

for (const zone of ['', 'local', 'Mars/Olympus', '__proto__', 'Europe/Berlin ']) {
  test(`zone '${zone}' is unknown, and the answer names it`, () => {
    assert.throws(
      () => createCalendar(zone),
      (fault: unknown) =>
        fault instanceof Fault &&
        fault.parameter === 'timezone' &&
        fault.message.includes(`'${zone}'`),
    );
  });
}
