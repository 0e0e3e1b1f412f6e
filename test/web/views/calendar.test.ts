/** The calendar of stored days, as answers and their warnings tell it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  storedDays,
  weeksOf,
  type DaysAnswer,
  type DayState,
} from '../../../src/web/views/status/calendar.ts';

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 9, 1);
const iso = (day: number, hours: number = 0): string =>
  new Date(FIRST_MS + day * DAY_MS + hours * 3_600_000).toISOString();

/** A day of one cluster that ran for so many hours; undefined: nothing ran. */
function answerOf(hours: readonly (number | undefined)[]): DaysAnswer {
  return {
    sets: hours.map((ran, day) => ({
      window: { start: iso(day), end: iso(day + 1) },
      allocations: ran === undefined ? {} : { one: { end: iso(day, ran), totalCost: ran } },
    })),
  };
}

const CASES: readonly (readonly [
  name: string,
  hours: readonly (number | undefined)[],
  warnings: readonly string[],
  states: readonly DayState[],
])[] = [
  ['whole days', [24, 24], [], ['whole', 'whole']],
  ['a day that is not over', [24, 7], [], ['whole', 'partial']],
  ['days before the first', [undefined, undefined, 24], [], ['before', 'before', 'whole']],
  ['a day without anything between others', [24, undefined, 24], [], ['whole', 'missing', 'whole']],
  ['a span that is not stored', [24, undefined, undefined, 24], [`${iso(1)} to ${iso(3)} is not stored: the answer lacks it`], ['whole', 'missing', 'missing', 'whole']],
  ['a damaged day', [24, undefined, 24], [`${iso(1)} to ${iso(2)} is damaged and set aside (its checksum): it is built again`], ['whole', 'damaged', 'whole']],
  ['other warnings', [24], ['volumes held by no claim: 1', ''], ['whole']],
]; // prettier-ignore

for (const [name, hours, warnings, states] of CASES)
  test(`days are told by their state: ${name}`, () => {
    const days = storedDays(answerOf(hours), warnings);
    assert.deepEqual(
      days.map(({ state }) => state),
      states,
    );
  });

test('weeks have seven days, Monday first, and every day once', () => {
  const spans = fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 20_000 }));
  fc.assert(
    fc.property(spans, ([count, from]) => {
      const days = Array.from({ length: count }, (_, day) => ({
        startMs: (from + day) * DAY_MS,
        state: 'whole' as const,
        cost: day,
        why: '',
      }));
      const weeks = weeksOf(days);
      assert.deepEqual(
        weeks.flat().filter((day) => day !== undefined),
        days,
      );
      for (const week of weeks) {
        assert.equal(week.length, 7);
        for (const [place, day] of week.entries())
          if (day !== undefined) assert.equal(new Date(day.startMs).getUTCDay(), (place + 1) % 7);
      }
    }),
  );
});
