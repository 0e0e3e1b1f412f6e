import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { createCalendar, layByCalendar, type CalendarUnit } from '../../src/query/index.ts';

const HOUR_MS = 3_600_000;

const iso = (ms: number): string => new Date(ms).toISOString().replace(/:\d\d\.000Z$/, 'Z');

function laid(zone: string, unit: CalendarUnit, start: string, end: string): string[] {
  const window = { startMs: Date.parse(start), endMs: Date.parse(end) };
  const sets = layByCalendar(window, unit, createCalendar(zone), 1000);
  return sets.map(({ startMs, endMs }) => `${iso(startMs)} ${iso(endMs)}`);
}

type Case = readonly [CalendarUnit, zone: string, window: readonly [string, string], string[]];

const CASES: readonly Case[] = [
  [
    'hour', 'Asia/Kolkata', ['2024-05-01T10:10Z', '2024-05-01T12:00Z'],
    ['2024-05-01T11:30Z 2024-05-01T12:00Z', '2024-05-01T10:30Z 2024-05-01T11:30Z',
      '2024-05-01T10:10Z 2024-05-01T10:30Z'],
  ],
  [
    'hour', 'Europe/Berlin', ['2024-03-31T00:00Z', '2024-03-31T02:00Z'],
    ['2024-03-31T01:00Z 2024-03-31T02:00Z', '2024-03-31T00:00Z 2024-03-31T01:00Z'],
  ],
  // Clocks fall back by half an hour: the day of 24.5 h ends with half an hour.
  [
    'hour', 'Australia/Lord_Howe', ['2024-04-07T11:00Z', '2024-04-07T14:00Z'],
    ['2024-04-07T13:30Z 2024-04-07T14:00Z', '2024-04-07T13:00Z 2024-04-07T13:30Z',
      '2024-04-07T12:00Z 2024-04-07T13:00Z', '2024-04-07T11:00Z 2024-04-07T12:00Z'],
  ],
  [
    'day', 'Europe/Berlin', ['2024-03-30T12:00Z', '2024-04-01T12:00Z'],
    ['2024-03-31T22:00Z 2024-04-01T12:00Z', '2024-03-30T23:00Z 2024-03-31T22:00Z',
      '2024-03-30T12:00Z 2024-03-30T23:00Z'],
  ],
  [
    'day', 'America/New_York', ['2024-11-03T04:00Z', '2024-11-04T05:00Z'],
    ['2024-11-03T04:00Z 2024-11-04T05:00Z'],
  ],
  // Samoa had no Friday, December 30.
  [
    'day', 'Pacific/Apia', ['2011-12-29T10:00Z', '2012-01-01T10:00Z'],
    ['2011-12-31T10:00Z 2012-01-01T10:00Z', '2011-12-30T10:00Z 2011-12-31T10:00Z',
      '2011-12-29T10:00Z 2011-12-30T10:00Z'],
  ],
  [
    'week', 'Pacific/Apia', ['2011-12-25T10:00Z', '2012-01-14T10:00Z'],
    ['2012-01-07T10:00Z 2012-01-14T10:00Z', '2011-12-31T10:00Z 2012-01-07T10:00Z',
      '2011-12-25T10:00Z 2011-12-31T10:00Z'],
  ],
  // May 5 was a Sunday.
  [
    'week', 'UTC', ['2024-05-01T00:00Z', '2024-05-13T06:00Z'],
    ['2024-05-12T00:00Z 2024-05-13T06:00Z', '2024-05-05T00:00Z 2024-05-12T00:00Z',
      '2024-05-01T00:00Z 2024-05-05T00:00Z'],
  ],
  [
    'quarter', 'UTC', ['2024-02-15T00:00Z', '2024-07-02T00:00Z'],
    ['2024-07-01T00:00Z 2024-07-02T00:00Z', '2024-04-01T00:00Z 2024-07-01T00:00Z',
      '2024-02-15T00:00Z 2024-04-01T00:00Z'],
  ],
  [
    'weeknow', 'UTC', ['2024-05-01T00:00Z', '2024-05-16T06:00Z'],
    ['2024-05-10T00:00Z 2024-05-16T06:00Z', '2024-05-03T00:00Z 2024-05-10T00:00Z',
      '2024-05-01T00:00Z 2024-05-03T00:00Z'],
  ],
  [
    'monthnow', 'America/New_York', ['2024-02-20T05:00Z', '2024-04-02T04:00Z'],
    ['2024-03-03T05:00Z 2024-04-02T04:00Z', '2024-02-20T05:00Z 2024-03-03T05:00Z'],
  ],
  ['quarternow', 'UTC', ['2024-05-01T12:00Z', '2024-05-02T12:00Z'], ['2024-05-01T12:00Z 2024-05-02T12:00Z']],
  [
    'month', 'America/New_York', ['2024-02-15T00:00Z', '2024-04-02T00:00Z'],
    ['2024-04-01T04:00Z 2024-04-02T00:00Z', '2024-03-01T05:00Z 2024-04-01T04:00Z',
      '2024-02-15T00:00Z 2024-03-01T05:00Z'],
  ],
]; // prettier-ignore

describe('a window is divided, newest first, by each', () => {
  for (const [unit, zone, [start, end], expected] of CASES)
    test(`${unit} in ${zone}: ${start} to ${end}`, () => {
      assert.deepEqual(laid(zone, unit, start, end), expected);
    });
});

/** Starts of units by an independent calendar, for zones without changes at midnight. */
type Forward = Exclude<CalendarUnit, `${string}now`>;

const STARTS: Readonly<Record<Forward, (local: Temporal.ZonedDateTime) => boolean>> = {
  hour: ({ minute, second, millisecond }) => minute + second + millisecond === 0,
  day: (local) => local.equals(local.startOfDay()),
  week: (local) => local.dayOfWeek === 7 && local.equals(local.startOfDay()),
  month: (local) => local.day === 1 && local.equals(local.startOfDay()),
  quarter: (local) => local.day === 1 && local.month % 3 === 1 && local.equals(local.startOfDay()),
};

for (const unit of Object.keys(STARTS) as Forward[])
  test(`sets of a ${unit} cover the window without overlap and meet at starts of a ${unit}`, () => {
    const longest: Record<Forward, number> = {
      hour: 1,
      day: 25,
      week: 169,
      month: 745,
      quarter: 2209,
    };
    fc.assert(
      fc.property(
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
        fc.integer({ min: 1_100_000_000, max: 1_900_000_000 }),
        fc.integer({ min: 1, max: 300 * longest[unit] }),
        (zone, startSeconds, minutes) => {
          const startMs = startSeconds * 1000;
          const window = { startMs, endMs: startMs + minutes * 60_000 };
          const sets = layByCalendar(window, unit, createCalendar(zone), 1000);
          assert.equal(sets[0]?.endMs, window.endMs);
          assert.equal(sets.at(-1)?.startMs, window.startMs);
          for (const [i, set] of sets.entries()) {
            const hours = (set.endMs - set.startMs) / HOUR_MS;
            assert.ok(hours > 0 && hours <= longest[unit], `${hours} h`);
            if (i === sets.length - 1) continue;
            assert.equal(sets[i + 1]?.endMs, set.startMs);
            const local = Temporal.Instant.fromEpochMilliseconds(set.startMs).toZonedDateTimeISO(
              zone,
            );
            assert.ok(STARTS[unit](local), `${local.toString()} starts no ${unit}`);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

test('too many sets are refused with a larger unit', () => {
  assert.throws(
    () => layByCalendar({ startMs: 0, endMs: 11 * HOUR_MS }, 'hour', createCalendar('UTC'), 10),
    {
      status: 422,
      parameter: 'accumulate',
      message: "parameter 'accumulate': 'hour' makes more than the 10 sets of one answer",
      hint: 'ask for a shorter window, or for accumulate=day',
    },
  );
});
