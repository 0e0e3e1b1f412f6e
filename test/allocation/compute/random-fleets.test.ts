/**
 * Fleets at random, in real Prometheus of several scrape intervals, against closed forms: exact, split anywhere, and
 * inside the bounds of each resolution. `FLEETS=2000 SEED=7` asks for more of them, and for others.
 */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import type { Amounts } from '../../../scripts/openb-fleet.ts';
import { Seeded } from '../../../scripts/seeded.ts';
import { serveFleets } from '../../support/fleets/served-fleets.ts';
import {
  expectedBalancerCosts,
  expectedRows,
  type Expected,
  type Span,
} from '../../support/fleets/fleet.ts';
import { randomFleet, randomStores, randomWindows } from '../../support/fleets/random-lives.ts';
import { type Prorata, startProrata } from '../../support/servers/prorata.ts';
import { skipWithout } from '../../support/servers/services.ts';
import type { Prometheus } from '../../support/stores/prometheus.ts';

const skip = skipWithout('prometheus', 'promtool');
const FLEETS = Number(process.env['FLEETS'] ?? 20);
const SEED = Number(process.env['SEED'] ?? 1);
const WINDOWS = 3;
const FIELDS = [
  'cpuCoreHours',
  'ramByteHours',
  'gpuHours',
  'cpuCost',
  'ramCost',
  'gpuCost',
] as const;
const RESOLUTIONS = ['1m', '5m', '1h'] as const;
const HOUR_MS = 3_600_000;

const random = new Seeded(SEED);
const windows = randomWindows(random, WINDOWS);
/** By store. */
const stores = randomStores(random).map(({ share, intervalsMs }, store) =>
  Array.from({ length: Math.round(FLEETS * share) }, (_, i) =>
    randomFleet(random, `${store}-${i}`, windows, intervalsMs),
  ),
);
const fleets = stores.flat();
const running: { readonly prometheus: Prometheus; readonly prorata: Prorata }[] = [];

before(async () => {
  if (skip !== false) return;
  for (const held of stores) {
    const prometheus = await serveFleets(held.map(({ fleet }) => fleet));
    running.push({ prometheus, prorata: await startProrata(['--metrics-url', prometheus.url]) });
  }
});

after(async () => {
  for (const { prometheus, prorata } of running) {
    await prorata.stop();
    await prometheus.stop();
  }
});

type Rows = Readonly<Record<string, Amounts>>;

/** Rows of all stores. Each fleet is a cluster of its own. */
async function rowsOf(window: Span, resolution: string, aggregate = ''): Promise<Rows> {
  const [start, end] = window.map((ms) => new Date(ms).toISOString());
  const asked = { window: `${start},${end}`, resolution, aggregate };
  const all: Record<string, Amounts> = {};
  for (const { prorata } of running) {
    const [rows = {}] = await prorata.allocations(asked);
    Object.assign(all, rows);
  }
  return all;
}

/** Rows of all fleets, and how much run time of each the store cannot know, ms. */
function expectedIn(
  window: Span,
): ReadonlyMap<string, Expected & { readonly toleranceMs: number }> {
  return new Map(
    fleets.flatMap((one) =>
      [...expectedRows(one.fleet, window)].map(
        ([key, row]) => [key, { ...row, toleranceMs: one.toleranceMs }] as const,
      ),
    ),
  );
}

test(
  `P-ORACLE: ${FLEETS} fleets of seed ${SEED} cost what their closed forms say`,
  { skip },
  async () => {
    for (const window of windows) {
      const rows = await rowsOf(window, 'exact');
      const expected = expectedIn(window);
      for (const key of new Set([...expected.keys(), ...Object.keys(rows)])) {
        const wanted = expected.get(key);
        const { toleranceMs = 30_000, runHours = 0 } = wanted ?? {};
        for (const field of FIELDS) {
          const [got, closed] = [rows[key]?.[field] ?? 0, wanted?.[field] ?? 0];
          // What the store cannot know is at most so much time of the row's average, or of all it is.
          const unknown = runHours === 0 ? Infinity : toleranceMs / (runHours * HOUR_MS);
          const isNear = Math.abs(got - closed) <= (1e-9 + unknown) * closed;
          const isBrief = toleranceMs > 0 && runHours * HOUR_MS <= toleranceMs;
          // The price at an end that is not known may be any.
          if (toleranceMs > 0 && field === 'cpuCost') continue;
          assert.ok(isNear || isBrief, `${key} ${field}: ${got}, closed form ${closed}`);
        }
      }
    }
  },
);

interface Balanced extends Amounts {
  readonly loadBalancerCost: number;
}

test('pods pay for load balancers that replace others, each while it is there', { skip }, async () => {
  for (const window of windows) {
    const paid = new Map<string, number>();
    const add = (key: string, usd: number): unknown => paid.set(key, (paid.get(key) ?? 0) + usd);
    for (const [key, row] of Object.entries(await rowsOf(window, 'exact'))) {
      const [cluster = '', , , pod = ''] = key.split('/');
      const usd = (row as Balanced).loadBalancerCost;
      add(`${cluster}/${pod === '__unmounted__' ? '' : pod}`, usd);
      add(cluster, usd);
    }
    for (const { fleet, toleranceMs } of fleets) {
      const expected = expectedBalancerCosts(fleet, window);
      const total = [...expected.values()].reduce((sum, usd) => sum + usd, 0);
      const wanted: [key: string, usd: number][] = [
        [fleet.cluster, total],
        // Ends that are not known shift what each pays.
        ...(toleranceMs > 0 ? [] : [...expected].map(([pod, usd]): [string, number] => [`${fleet.cluster}/${pod}`, usd])),
      ];
      for (const [key, usd] of wanted) {
        const found = paid.get(key) ?? 0;
        assert.ok(Math.abs(found - usd) <= 1e-9 * usd, `${key}: ${found}, closed form ${usd}`);
      }
    }
  }
}); // prettier-ignore

test('the parts of a window that is split anywhere add up', { skip }, async () => {
  for (const [startMs, endMs] of windows) {
    const whole = await rowsOf([startMs, endMs], 'exact');
    const cutMs = startMs + SECONDS * (1 + random.below((endMs - startMs) / SECONDS - 1));
    const parts = [await rowsOf([startMs, cutMs], 'exact'), await rowsOf([cutMs, endMs], 'exact')];
    for (const key of new Set([whole, ...parts].flatMap(Object.keys)))
      for (const field of FIELDS) {
        const sum = parts.reduce((total, rows) => total + (rows[key]?.[field] ?? 0), 0);
        const all = whole[key]?.[field] ?? 0;
        assert.ok(
          Math.abs(sum - all) <= 1e-9 * Math.max(all, 1e-9),
          `${key} ${field}: ${sum}, ${all}`,
        );
      }
  }
});

const SECONDS = 1000;

interface Sampled extends Amounts {
  /** Null where there is no bound. */
  readonly accuracy: Readonly<Record<'lower' | 'upper', number | null>>;
}

/** Not aggregated, by node, and by cluster: names are as many parts of those of rows that are not aggregated. */
const AGGREGATES: readonly (readonly [aggregate: string, parts: number])[] = [
  ['', 5],
  ['cluster,node', 2],
  ['cluster', 1],
];

for (const resolution of RESOLUTIONS)
  for (const [aggregate, parts] of AGGREGATES)
    test(
      `at ${resolution} the truth is where accuracy says: '${aggregate}'`,
      { skip },
      async (t) => {
        const widths: number[] = [];
        for (const window of windows) {
          const truths = new Map<string, number>();
          for (const [name, { cpuCost, ramCost, gpuCost }] of expectedIn(window)) {
            const key = name.split('/').slice(0, parts).join('/');
            truths.set(key, (truths.get(key) ?? 0) + cpuCost + ramCost + gpuCost);
          }
          for (const [key, row] of Object.entries(await rowsOf(window, resolution, aggregate))) {
            const { lower, upper } = (row as Sampled).accuracy;
            const billed = row.cpuCost + row.ramCost + row.gpuCost;
            const actual = truths.get(key) ?? 0;
            const told = `${key}: ${billed} of ${actual} is not in ${lower} to ${upper}`;
            assert.ok(lower === null || lower * actual <= billed * (1 + 1e-9), told);
            assert.ok(upper === null || upper * actual >= billed * (1 - 1e-9), told);
            if (lower !== null && upper !== null) widths.push((upper - lower) / lower);
          }
        }
        const median = widths.toSorted((a, b) => a - b)[Math.floor(widths.length / 2)] ?? NaN;
        t.diagnostic(`${widths.length} rows, median width ${(100 * median).toFixed(3)} %`);
        assert.ok(widths.length > FLEETS / 2, `${widths.length} rows have bounds`);
      },
    );
