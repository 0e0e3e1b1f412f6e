/** GPUs that would do, over real sockets: whole devices and parts, busy, idle and unknown. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  DAY_MS,
  ran,
  sizingServers,
  TODAY_MS,
  yesterday,
} from '../support/servers/sizing-server.ts';
import type { Ran, SizedSpan } from '../support/stores/sizing-sets.ts';

const { ask, text } = sizingServers();
const QUERY = 'requestSizingV2?window=yesterday&targetGPUUtilization=0.5';
const USD_PER_HOUR = 2;

const busy = (gpuRequest: number, gpuUsed: number, more: Partial<Ran> = {}): Ran =>
  ran('a', { gpuRequest, gpuUsed, usdPerGpuHour: USD_PER_HOUR, ...more });

interface Case {
  readonly name: string;
  readonly request: number;
  readonly used: number;
  /** Devices at a target utilization of 0.5; null: none is recommended. */
  readonly recommended: number | null;
  readonly needed: number | null;
}

const CASES: readonly Case[] = [
  { name: 'two of four that are busy a quarter each need two', request: 4, used: 1, recommended: 2, needed: 2 },
  { name: 'a little more needs another whole device', request: 4, used: 1.01, recommended: 3, needed: 2.02 },
  { name: 'a device that is hardly used is needed still', request: 1, used: 0.05, recommended: 1, needed: 0.1 },
  { name: 'eight of which one would do', request: 8, used: 0.5, recommended: 1, needed: 1 },
  { name: 'a busy device asks for no other', request: 1, used: 0.9, recommended: 1, needed: 1.8 },
  { name: 'a part of a device stays one', request: 0.25, used: 0.05, recommended: 0.1, needed: 0.1 },
  { name: 'a part is in hundredths', request: 0.25, used: 0.0501, recommended: 0.11, needed: 0.1002 },
  { name: 'without usage nothing is known', request: 2, used: 0, recommended: null, needed: null },
  { name: 'usage without a request', request: 0, used: 0.5, recommended: null, needed: 1 },
]; // prettier-ignore

describe('a recommendation of GPUs', () => {
  for (const { name, request, used, recommended, needed } of CASES)
    test(`${name}: ${used} of ${request} make ${recommended}`, async () => {
      const { Recommendations, GPUMonthlySavings } = await ask(
        [yesterday(busy(request, used))],
        QUERY,
      );
      const gpu = Recommendations[0]?.gpu;
      assert.ok(gpu);
      const savings = recommended === null ? null : (request - recommended) * USD_PER_HOUR * 730;
      assertNear(gpu, {
        recommendedRequest: recommended,
        needed,
        latestKnownRequest: request,
        averageUsage: used > 0 ? used : null,
        largestAverageUsage: used > 0 ? used : null,
        currentEfficiency: used > 0 && request > 0 ? used / request : null,
        monthlySavings: savings,
      });
      assertNear({ GPUMonthlySavings }, { GPUMonthlySavings: savings ?? 0 });
    });

  test('containers without GPUs have no such member, and empty cells', async () => {
    const { Recommendations, GPUMonthlySavings } = await ask([yesterday(ran('a'))], QUERY);
    assert.equal(Recommendations.length, 1);
    assert.equal(Recommendations[0] && 'gpu' in Recommendations[0], false);
    assert.equal(GPUMonthlySavings, 0);
    const [, csv] = await text([yesterday(ran('a'))], `${QUERY}&format=csv`);
    assert.match(csv, /maxMemory,recommendedGPU,latestGPU,averageGPU,gpuMonthlySavings\n.*,,,,\n$/);
  });

  test('CSV has the devices and their savings', async () => {
    const [, csv] = await text([yesterday(busy(4, 1))], `${QUERY}&format=csv`);
    assert.match(csv, /,2,4,1,2920\n$/);
  });

  test('GPUs of which no usage is known are told', async () => {
    const rows = ['a', 'b'].map((controller) => busy(2, 0, { controller }));
    const { warnings } = await ask([yesterday(...rows, busy(2, 1, { controller: 'c' }))], QUERY);
    const told = (warnings ?? []).filter((each) => each.includes('GPU'));
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /^2 containers have GPUs of which no usage is known/);
  });

  test('savings of GPUs put rows in order, those without last', async () => {
    const rows = [
      busy(8, 0.5, { controller: 'much' }),
      ran('b', { controller: 'none' }),
      busy(2, 0.5, { controller: 'little' }),
      busy(2, 0, { controller: 'unknown' }),
    ];
    for (const [order, names] of [
      ['desc', ['much', 'little', 'none', 'unknown']],
      ['asc', ['little', 'much', 'none', 'unknown']],
    ] as const) {
      const { Recommendations } = await ask(
        [yesterday(...rows)],
        `${QUERY}&sortBy=gpuSavings&sortByOrder=${order}`,
      );
      assert.deepEqual(
        Recommendations.map((each) => each.controllerName),
        names,
      );
    }
  });

  test('a target above 1 is refused with what is accepted', async () => {
    const [status, body] = await text(
      [yesterday(ran('a'))],
      'requestSizingV2?window=yesterday&targetGPUUtilization=1.5',
    );
    assert.equal(status, 400);
    assert.match(body, /targetGPUUtilization.*1\.5.*above 0 and at most 1/);
  });

  test('days at random: the busiest average decides, savings are those of all days', async () => {
    const day = fc.array(
      fc.record({
        request: fc.constantFrom(0.5, 1, 2, 4, 8),
        used: fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 8, noNaN: true })),
      }),
      { maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(day, { minLength: 1, maxLength: 4 }), async (days) => {
        const spans = days.map((pods, i): SizedSpan => {
          const startMs = TODAY_MS - (days.length - i) * DAY_MS;
          const endMs = startMs + DAY_MS;
          const rows = pods.map(({ request, used }, pod) =>
            busy(request, used, { pod: `p${pod}`, startMs, endMs }),
          );
          return { startMs, endMs, ran: rows };
        });
        const window = `${(TODAY_MS - days.length * DAY_MS) / 1000},${TODAY_MS / 1000}`;
        const { Recommendations } = await ask(
          spans,
          `requestSizing?window=${window}&targetGPUUtilization=0.8`,
        );
        const pods = days.flat();
        const newest = days.findLast((rows) => rows.length > 0) ?? [];
        const latest = Math.max(...newest.map(({ request }) => request));
        const most = Math.max(...pods.map(({ used }) => used));
        const gpu = Recommendations[0]?.gpu;
        if (pods.length === 0) return assert.equal(gpu, undefined);
        const { latestKnownRequest, recommendedRequest } = gpu ?? {};
        assert.equal(latestKnownRequest, latest);
        if (most <= 0) return assert.equal(recommendedRequest, null);
        const per = Number.isInteger(latest) ? 1 : 100;
        const wanted = Math.min(latest, Math.ceil((most / 0.8) * per - 1e-9) / per);
        // Hours with data are those from the first day with pods to the last.
        const first = days.findIndex((rows) => rows.length > 0);
        const last = days.findLastIndex((rows) => rows.length > 0);
        const months = 730 / (24 * (last + 1 - first));
        const saved = pods.map(({ request }) => (request - wanted) * USD_PER_HOUR * 24);
        assertNear(gpu ?? {}, {
          recommendedRequest: wanted,
          monthlySavings: months * saved.reduce((sum, usd) => sum + usd, 0),
        });
      }),
      { numRuns: 60 },
    );
  });
});

type Numbers = Readonly<Record<string, number | null>>;

function assertNear(actual: Numbers, expected: Numbers): void {
  for (const [name, value] of Object.entries(expected)) {
    const is = actual[name];
    if (value === null || typeof is !== 'number') {
      assert.equal(is, value, name);
    } else {
      const error = Math.abs(is - value);
      assert.ok(error <= 1e-9 * Math.max(1, Math.abs(value)), `${name}: ${is}, not ${value}`);
    }
  }
}
