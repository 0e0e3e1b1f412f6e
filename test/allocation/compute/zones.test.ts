/** Windows in zones whose clocks change: no stored day is lost, and none comes twice. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readStoredPlan } from '../../../src/allocation/params/stored-params.ts';
import { parseQuery } from '../../../src/http/index.ts';
import { createCalendar, type Calendar, type Window } from '../../../src/query/index.ts';
import { daysOfYear, minutesOf, ZONE_YEARS } from '../../support/arbitraries/zone-years.ts';
import {
  iso,
  overlapped,
  PAIRS,
  placesOf,
  spans,
  WINDOWS,
} from '../../support/arbitraries/zone-windows.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function planned(calendar: Calendar, window: string, nowMs: number): readonly Window[] {
  const params = parseQuery(`window=${encodeURIComponent(window)}`);
  return readStoredPlan(params, calendar, nowMs).days;
}

for (const zoneYear of ZONE_YEARS) {
  const { zone, year, odd } = zoneYear;
  const calendar = createCalendar(zone);
  const days = daysOfYear(zoneYear);
  const [first, last] = [days[0], days.at(-1)];
  assert.ok(first && last, zone);
  const whole = `${iso(first.startMs)},${iso(last.endMs)}`;

  describe(`the plan of ${year} in ${zone}`, () => {
    test('has days that meet, of 24 hours but where clocks change', () => {
      const found = planned(calendar, whole, last.endMs).toReversed();
      assert.deepEqual(found, spans(days));
      for (const [i, { endMs }] of found.slice(0, -1).entries()) {
        assert.equal(found[i + 1]?.startMs, endMs);
      }
      assert.equal(minutesOf(found), (last.endMs - first.startMs) / 60_000);
      const others = days.filter(({ startMs, endMs }) => endMs - startMs !== DAY_MS);
      const hours = others.map(({ date, startMs, endMs }) => [
        date.toString(),
        (endMs - startMs) / HOUR_MS,
      ]);
      assert.deepEqual(Object.fromEntries(hours), odd);
    });

    for (const [window, meaning] of Object.entries(WINDOWS))
      test(`has for ${window} the days that it overlaps, at any time of a day`, () => {
        for (const place of placesOf(days, zoneYear)) {
          const { startMs, endMs }: Window = days[place] ?? first;
          for (const nowMs of [
            startMs,
            startMs + 1,
            (startMs + endMs) / 2,
            endMs - 1,
          ] as number[]) {
            const meant = meaning(days, place, nowMs);
            if (!meant || meant.startMs < first.startMs) continue;
            const wanted = overlapped(days, meant);
            assert.deepEqual(
              planned(calendar, window, nowMs),
              wanted,
              `${window} at ${iso(nowMs)}`,
            );
          }
        }
      });

    for (const [form, pair] of Object.entries(PAIRS))
      test(`has for a pair ${form} its days, each in one pair only`, () => {
        for (const [i, day] of days.entries()) {
          const one = pair(zone, day, day);
          assert.deepEqual(planned(calendar, one, last.endMs), spans([day]), one);
          const third = days[i + 2];
          if (!third) continue;
          const three = pair(zone, day, third);
          assert.deepEqual(planned(calendar, three, last.endMs), spans(days.slice(i, i + 3)).reverse(), three); // prettier-ignore
        }
      });
  });
}
