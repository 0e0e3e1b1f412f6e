/**
 * Fleets at random, in a real Prometheus, against closed forms: exact, split anywhere, and inside the
 * bounds of each resolution. `FLEETS=2000 SEED=7` asks for more of them, and for others.
 */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import type { Amounts } from '../../../scripts/openb-fleet.ts';
import { Seeded } from '../../../scripts/seeded.ts';
import { serveFleets } from '../../support/fleets/served-fleets.ts';
import { expectedRows, type Expected, type Span } from '../../support/fleets/fleet.ts';
import { randomFleet, randomWindows } from '../../support/fleets/random-lives.ts';
import { type Prorata, startProrata } from '../../support/servers/prorata.ts';
import { skipWithout } from '../../support/servers/services.ts';
import type { Prometheus } from '../../support/stores/prometheus.ts';

const skip = skipWithout('prometheus', 'promtool');
const FLEETS = Number(process.env['FLEETS'] ?? 30);
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
const fleets = Array.from({ length: FLEETS }, (_, i) => randomFleet(random, i, windows));
let prometheus: Prometheus | undefined;
let prorata: Prorata | undefined;

before(async () => {
  if (skip !== false) return;
  prometheus = await serveFleets(fleets.map((one) => one.fleet));
  prorata = await startProrata(['--metrics-url', prometheus.url]);
});

after(async () => {
  await prorata?.stop();
  await prometheus?.stop();
});

type Rows = Readonly<Record<string, Amounts>>;

async function rowsOf(window: Span, resolution: string, aggregate = ''): Promise<Rows> {
  assert.ok(prorata, 'prorata does not run');
  const [start, end] = window.map((ms) => new Date(ms).toISOString());
  const [rows = {}] = await prorata.allocations({
    window: `${start},${end}`,
    resolution,
    aggregate,
  });
  return rows;
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
