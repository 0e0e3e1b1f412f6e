/** What is due, told by the sets that are there; in Berlin, where a day has 23 hours. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  dateOf,
  daysBack,
  expired,
  jobsOf,
  missingHours,
  type Rules,
} from '../../../src/allocation/build/build-jobs.ts';
import { hoursBegun } from '../../../src/allocation/build/extend-day.ts';
import { spanOf, type Stored } from '../../../src/allocation/stored/set-index.ts';
import { createCalendar, type Window } from '../../../src/query/index.ts';
import type { SetInfo } from '../../../src/storage/index.ts';
import { DAYS, ZONE } from '../../support/fleets/days-fleet.ts';
import { HOUR, MINUTE } from '../../support/fleets/fleet-parts.ts';

const calendar = createCalendar(ZONE);
const RULES: Rules = {
  calendar,
  retentionMs: 3 * 24 * HOUR,
  refreshMs: 5 * MINUTE,
  sealAfterMs: HOUR,
};
const [, [startMs, endMs] = [0, 0]] = DAYS;
const DAY: Window = { startMs, endMs };

interface About {
  readonly state?: 'sealed' | 'partial';
  readonly createdMs?: number;
  readonly rows?: number;
  readonly damage?: string;
}

function infoOf(
  window: Window,
  { state = 'sealed', createdMs = 0, ...about }: About = {},
): SetInfo {
  const meta = { state, timezone: ZONE, createdMs, source: 'a store', warnings: [] };
  return { key: { kind: 'allocations', ...window }, meta, rows: 9, bytes: 1000, ...about };
}

function stored(...infos: readonly SetInfo[]): Stored {
  return new Map(infos.map((info) => [spanOf(info.key), info]));
}

const HOURS = hoursBegun(calendar, DAY, endMs);
const sealedHours = HOURS.map((hour) => infoOf(hour));
const partial = (createdMs: number): About => ({ state: 'partial', createdMs });

describe('what is due of a day', () => {
  const cases: readonly (readonly [string, number, readonly SetInfo[], readonly string[]])[] = [
    ['that goes on, without a set', startMs + HOUR, [], ['extend']],
    ['that goes on, just built', startMs + HOUR, [infoOf(DAY, partial(startMs + HOUR))], []],
    [
      'that goes on, built five minutes ago',
      startMs + HOUR,
      [infoOf(DAY, partial(startMs + HOUR - 5 * MINUTE))],
      ['extend'],
    ],
    ['that goes on, damaged', startMs + HOUR, [infoOf(DAY, { damage: 'gone' })], ['extend']],
    ['that ended half an hour ago', endMs + HOUR / 2, [], ['extend']],
    [
      'that ended half an hour ago, built before its end',
      endMs + HOUR / 2,
      [infoOf(DAY, partial(endMs - MINUTE))],
      ['extend'],
    ],
    [
      'that ended half an hour ago, built once its hours were final',
      endMs + HOUR / 2,
      [infoOf(DAY, partial(endMs + 15 * MINUTE))],
      [],
    ],
    ['whose grace is over, without a set', endMs + HOUR, [], ['seal', 'hours']],
    ['whose grace is over, with its hours', endMs + HOUR, sealedHours, ['seal']],
    [
      'whose grace is over, partial',
      endMs + HOUR,
      [...sealedHours, infoOf(DAY, partial(endMs + HOUR / 2))],
      ['seal'],
    ],
    ['whose grace is over, sealed', endMs + HOUR, [...sealedHours, infoOf(DAY)], []],
    [
      'whose grace is over, sealed and then damaged',
      endMs + HOUR,
      [...sealedHours, infoOf(DAY, { damage: 'gone' })],
      ['seal'],
    ],
    ['that is sealed, without its hours', endMs + HOUR, [infoOf(DAY)], ['hours']],
    ['that is sealed and has no samples', endMs + HOUR, [infoOf(DAY, { rows: 0 })], []],
    ['that is sealed and two days old', endMs + 49 * HOUR, [infoOf(DAY)], []],
  ];
  for (const [what, nowMs, infos, due] of cases) {
    test(`${what}: ${due.join(', ') || 'nothing'}`, () => {
      const jobs = jobsOf(RULES, stored(...infos), DAY, nowMs);
      assert.deepEqual(
        jobs.map(({ kind }) => kind),
        due,
      );
    });
  }
});

test('hours are built from the first on that is not final, of the last 49', () => {
  assert.equal(HOURS.length, 23);
  const open = HOURS.map((hour, i) => infoOf(hour, i === 20 ? { state: 'partial' } : {}));
  assert.deepEqual(missingHours(RULES, stored(...open), DAY, endMs), HOURS.slice(20));
  assert.deepEqual(missingHours(RULES, stored(), DAY, endMs + 40 * HOUR), HOURS.slice(14));
});

test('days go back to the first sample, or as far as they are kept, the newest first', () => {
  const nowMs = endMs + 5 * HOUR;
  const dates = (firstMs: number): string[] =>
    daysBack(RULES, firstMs, nowMs).map((day) => dateOf(calendar, day));
  assert.deepEqual(dates(0), ['2024-04-01', '2024-03-31', '2024-03-30', '2024-03-29']);
  assert.deepEqual(dates(startMs + 1), ['2024-04-01', '2024-03-31']);
  assert.deepEqual(dates(nowMs + HOUR), ['2024-04-01']);
});

test('days beyond the retention and hours older than 49 are not kept', () => {
  const old = { startMs: startMs - 48 * HOUR, endMs: startMs - 24 * HOUR };
  const infos = [infoOf(old), infoOf(DAY), ...sealedHours];
  const nowMs = endMs + 39 * HOUR;
  const gone = expired({ ...RULES, retentionMs: 62 * HOUR }, infos, nowMs);
  const spans = gone.filter(({ kind }) => kind === 'assets').map(spanOf);
  assert.deepEqual(spans, [old, ...HOURS.slice(0, 13)].map(spanOf));
  // Allocations, their sums, assets and usage alike.
  assert.equal(gone.length, 4 * spans.length);
});
