import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FLEET_CASES } from './fleet-cases.ts';
import { type Course, expectedRows, type Fleet, GIB, integral, scrapeTimes } from './fleet.ts';

const HOUR = 3_600_000;

function fleetOf(cluster: string): Fleet {
  const found = FLEET_CASES.find((one) => one.fleet.cluster === cluster);
  assert.ok(found, cluster);
  return found.fleet;
}

const NOON = Date.UTC(2024, 2, 10, 12);

test('closed forms are the sums one would do by hand', () => {
  const rows: [cluster: string, key: string, cpu: number, ramGib: number, cpuCost: number][] = [
    ['steady', 'steady/node-a/team/whole/app', 0.5, 2, 0.5 * 0.0417],
    ['burst-for-life', 'burst-for-life/node-a/team/whole/app', 1.7, 3, 1.7 * 0.0417],
    ['price-change', 'price-change/node-a/team/whole/app', 0.5, 2, 0.25 * (0.04 + 0.012)],
    ['default-book', 'default-book/spot/team/spot/app', 0.5, 2, 0.5 * 0.006655],
    ['default-book', 'default-book/plain/team/on-demand/app', 0.5, 2, 0.5 * 0.031611],
    ['resize', 'resize/node-a/team/resized/app', 1.5, 2.5, 1.5 * 0.0417],
    ['gap', 'gap/node-a/team/whole/app', 0, 0, 0],
  ];
  for (const [cluster, key, cpu, ramGib, cpuCost] of rows) {
    const row = expectedRows(fleetOf(cluster), [NOON - 0.5 * HOUR, NOON + 0.5 * HOUR]).get(key);
    const got = [row?.cpuCoreHours ?? 0, (row?.ramByteHours ?? 0) / GIB, row?.cpuCost ?? 0];
    for (const [i, wanted] of [cpu, ramGib, cpuCost].entries())
      assert.ok(Math.abs((got[i] ?? NaN) - wanted) < 1e-12, `${key}: ${got.join(' ')}`);
  }
});

test('windows that meet add up', () => {
  for (const { fleet, windows } of FLEET_CASES)
    for (const [startMs, endMs] of windows) {
      const cutMs = startMs + Math.round(0.37 * (endMs - startMs));
      const total = (spans: [number, number][]): number =>
        spans
          .flatMap((span) => [...expectedRows(fleet, span).values()])
          .reduce((sum, row) => sum + row.cpuCost + row.ramCost + row.gpuCost, 0);
      const whole = total([[startMs, endMs]]);
      const parts = total([
        [startMs, cutMs],
        [cutMs, endMs],
      ]);
      assert.ok(whole > 0 && Math.abs(whole - parts) < 1e-9 * whole, fleet.cluster);
    }
});

test('an integral equals the sum over every millisecond', () => {
  const course = fc
    .array(fc.tuple(fc.integer({ min: -20, max: 60 }), fc.integer({ min: 0, max: 9 })), {
      minLength: 1,
    })
    .map((steps): Course => [...new Map(steps)].toSorted(([a], [b]) => a - b));
  fc.assert(
    fc.property(course, fc.nat(40), fc.nat(40), (steps, startMs, lengthMs) => {
      let sum = 0;
      for (let timeMs = startMs; timeMs < startMs + lengthMs; timeMs++) {
        let value = steps[0]?.[1] ?? 0;
        for (const [fromMs, next] of steps) if (fromMs <= timeMs) value = next;
        sum += value;
      }
      assert.equal(integral(steps, [startMs, startMs + lengthMs]), sum);
    }),
  );
});

test('scrapes keep interval, phase, jitter and gaps', () => {
  const scrape = { intervalMs: 1000, phaseMs: 300, jitterMs: 50, gaps: [[4000, 7000]] as const };
  const times = scrapeTimes(scrape, [2000, 9000]);
  assert.deepEqual(
    times.map((timeMs) => Math.round((timeMs - 300) / 1000)),
    [2, 3, 7, 8],
  );
  assert.ok(
    times.every((timeMs) => Math.abs(((timeMs - 300 + 500) % 1000) - 500) <= 50),
    times.join(),
  );
  assert.ok(new Set(times.map((timeMs) => timeMs % 1000)).size > 1, times.join());
});

test('clusters of the table are distinct', () => {
  const clusters = FLEET_CASES.map((one) => one.fleet.cluster);
  assert.equal(new Set(clusters).size, clusters.length);
});
