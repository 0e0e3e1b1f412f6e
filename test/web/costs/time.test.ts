/** Costs over time: what is compared, what a month comes to, where bars lie. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  labelled,
  linePath,
  rect,
  scaleOf,
  stackPaths,
  ticksOf,
} from '../../../src/web/costs/bar-layout.ts';
import { forecastOf } from '../../../src/web/costs/forecast.ts';
import {
  addDays,
  comparisonOf,
  daysOfMonth,
  monthBefore,
  partOver,
  spanOf,
} from '../../../src/web/costs/periods.ts';
import { seriesOf, stacksOf, sumOf, trendsOf } from '../../../src/web/costs/series.ts';

const HOUR = 3_600_000;

/** Days of a zone as the API tells them: from local midnight to the next. */
function days(...starts: string[]): ReturnType<typeof spanOf>[] {
  return starts.slice(1).map((end, at) => spanOf({ start: starts[at] ?? '', end }));
}

describe('what is compared', () => {
  test('whole days alone, with as many before', () => {
    const sets = days(
      '2026-11-22T00:00:00Z',
      '2026-11-23T00:00:00Z',
      '2026-11-24T00:00:00Z',
      '2026-11-25T00:00:00Z',
    );
    const noon = Date.parse('2026-11-24T12:00:00Z');
    const both = comparisonOf(sets, noon, 'UTC');
    assert.deepEqual(
      [both?.now, both?.before, both?.isCut],
      ['2026-11-22,2026-11-24', '2026-11-20,2026-11-22', true],
    );
    assert.equal(comparisonOf(sets.slice(2), noon, 'UTC'), undefined, 'no day is over');
    assert.equal(comparisonOf(sets, noon + 24 * HOUR, 'UTC')?.isCut, false);
  });

  test('days by their dates, where the clock changes between them', () => {
    // The night of 25 October 2026 has an hour more in Berlin.
    const sets = days('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', '2026-10-26T23:00:00Z');
    const both = comparisonOf(sets, Date.parse('2026-11-01T00:00:00Z'), 'Europe/Berlin');
    assert.deepEqual([both?.now, both?.before], ['2026-10-25,2026-10-27', '2026-10-23,2026-10-25']);
  });

  test('hours by their times', () => {
    const sets = days('2026-11-24T09:30:00Z', '2026-11-24T10:30:00Z', '2026-11-24T11:30:00Z');
    const both = comparisonOf(sets, Date.parse('2026-11-24T12:00:00Z'), 'UTC');
    assert.equal(both?.before, '2026-11-24T07:30:00.000Z,2026-11-24T09:30:00.000Z');
  });

  test('the same days of the month before, no further than it goes', () => {
    assert.equal(monthBefore('2026-11-01', 24), '2026-10-01,2026-10-25');
    assert.equal(monthBefore('2026-01-01', 3), '2025-12-01,2025-12-04');
    assert.equal(monthBefore('2026-03-01', 30), '2026-02-01,2026-03-01');
    assert.deepEqual(['2026-02-01', '2028-02-01', '2026-12-01'].map(daysOfMonth), [28, 29, 31]);
    assert.equal(addDays('2026-12-31', 1), '2027-01-01');
  });
});

test('a part of a day is the hours that are over', () => {
  const day = spanOf({ start: '2026-11-24T00:00:00Z', end: '2026-11-25T00:00:00Z' });
  assert.equal(partOver(day, day.startMs + 6 * HOUR), 0.25);
  assert.equal(partOver(day, day.endMs), 1);
  assert.equal(partOver(day, day.startMs - HOUR), 0);
});

test('a forecast is what was spent and the mean of the last days for those to come', () => {
  assert.equal(forecastOf(5, [], 3), undefined);
  assert.deepEqual(forecastOf(50, [10, 10, 10], 5), {
    usd: 100,
    low: 100,
    high: 100,
    perDay: 10,
    days: 3,
  });
  const fourteen = Array.from({ length: 30 }, (_, day) => (day < 16 ? 1000 : 10));
  assert.equal(forecastOf(0, fourteen, 1)?.usd, 10, 'days longer ago say nothing');
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.array(fc.double({ min: 0, max: 1e5, noNaN: true }), { minLength: 1, maxLength: 40 }),
      fc.double({ min: 0, max: 31, noNaN: true }),
      (spent, whole, left) => {
        const forecast = forecastOf(spent, whole, left);
        assert.ok(forecast !== undefined);
        assert.ok(forecast.low >= spent, 'what is spent stays spent');
        assert.ok(forecast.low <= forecast.usd && forecast.usd <= forecast.high);
      },
    ),
  );
});

const SETS = {
  sets: [
    {
      window: { start: '2026-11-23T00:00:00Z', end: '2026-11-24T00:00:00Z' },
      allocations: { a: row(5), b: row(3), c: row(1), __idle__: row(7) },
    },
    {
      window: { start: '2026-11-24T00:00:00Z', end: '2026-11-25T00:00:00Z' },
      allocations: { a: row(6), 'x/__idle__': row(2) },
    },
  ],
};

function row(
  totalCost: number,
): Record<'totalCost' | 'cpuCost' | 'ramCost' | 'totalEfficiency', number> {
  return { totalCost, cpuCost: 0, ramCost: 0, totalEfficiency: 0 };
}

test('a series has names, idle apart, and totals without it', () => {
  const series = seriesOf(SETS);
  assert.deepEqual([...series.totals], [9, 6]);
  assert.deepEqual([...series.idle], [7, 2]);
  assert.deepEqual([...(series.byName.get('b') ?? [])], [3, 0]);
  const whole = trendsOf(series, Date.parse('2026-11-24T12:00:00Z'));
  assert.deepEqual([...(whole.get('a') ?? [])], [5], 'a day that is not over is no fall');
});

test('stacks are the largest names, and the rest of the totals as other', () => {
  const series = seriesOf(SETS);
  const stacks = stacksOf(series, series.totals, 1);
  assert.deepEqual(
    stacks.map(({ name, costs }) => [name, [...costs]]),
    [
      ['a', [5, 6]],
      ['other', [4, 0]],
    ],
  );
  assert.deepEqual(
    stacksOf(series, series.totals, 9).map(({ name }) => name),
    ['a', 'b', 'c'],
  );
});

const usds = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), {
  minLength: 1,
  maxLength: 20,
});

test('bars of a stack lie on each other and end at the total', () => {
  fc.assert(
    fc.property(usds, usds, (a, b) => {
      const count = Math.min(a.length, b.length);
      const costs = [a.slice(0, count), b.slice(0, count)];
      const totals = costs[0]?.map((usd, at) => usd + (b[at] ?? 0)) ?? [];
      const most = Math.max(...totals, 1);
      const scale = scaleOf({ width: 800, height: 200, left: 50 }, count, most, 0);
      const paths = stackPaths(costs, { ...scale, x: (at) => at });
      const bars = paths.map((path) =>
        [...path.matchAll(/M([\d.-]+) ([\d.-]+)h[\d.]+v([\d.]+)/g)].map((part) =>
          part.slice(1).map(Number),
        ),
      );
      for (const [at, top, height] of bars[1] ?? []) {
        assert.ok(
          Math.abs((top ?? 0) - scale.y(totals[at ?? 0] ?? 0)) < 0.02,
          'it ends at the total',
        );
        const under = bars[0]?.find(([own]) => own === at);
        if (under !== undefined)
          assert.ok(Math.abs((top ?? 0) + (height ?? 0) - (under[1] ?? 0)) < 0.03);
      }
    }),
  );
});

test('bars lie within the room, from old to new, however many', () => {
  for (const count of [1, 2, 7, 30, 365, 2000]) {
    const { x, barWidth } = scaleOf({ width: 900, height: 200, left: 50 }, count, 10, 5);
    assert.ok(x(0) >= 50 && x(count - 1) + barWidth <= 900.5, String(count));
    if (count > 1) assert.ok(x(1) > x(0));
  }
});

test('steps of an axis are round and few', () => {
  assert.deepEqual(ticksOf(0, 130, 5), [0, 50, 100]);
  assert.deepEqual(ticksOf(-110, 125, 5), [-100, -50, 0, 50, 100]);
  assert.deepEqual(ticksOf(0, 0, 5), [0]);
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.double({ min: 1e-6, max: 1e9, noNaN: true }),
      (below, most) => {
        const ticks = ticksOf(-below, most, 5);
        assert.ok(ticks.length >= 1 && ticks.length <= 6, `${ticks.length}`);
      },
    ),
  );
});

test('the last bar has a label, and labels have room', () => {
  assert.deepEqual(labelled(7, 100, 58), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(labelled(10, 20, 58), [0, 3, 6, 9]);
});

test('a line goes through all values, and nothing has none', () => {
  assert.equal(linePath([0, 2, 1], 10, 4), 'M0 4L5 0L10 2');
  assert.equal(linePath([0, 0], 10, 4), '');
  assert.equal(linePath([3], 10, 4), '');
  assert.equal(rect(1, 2, 3, 4), 'M1 2h3v4h-3z');
  assert.equal(sumOf([1, 2]), 3);
});
