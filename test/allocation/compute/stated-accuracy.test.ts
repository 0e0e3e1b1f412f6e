/** The bounds that rows state at a resolution, of the demo fleet: the exact answer lies within them. */
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { query, readPlan } from '../../../src/allocation/index.ts';
import fc from 'fast-check';
import { createDemo } from '../../../src/demo/index.ts';
import { parseQuery } from '../../../src/http/index.ts';
import { clockOf } from '../../../src/server/clock.ts';
import { metricsOf, startEngine, type Engine } from '../../../src/server/engine.ts';
import type { MetricsSource } from '../../../src/metrics/index.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import {
  briefFleet,
  briefSeries,
  CORE_USD,
  GIB_USD,
  HOURS,
  START_MS,
  storeOf,
  type BriefPod,
} from '../../support/fleets/brief-lives.ts';
import { told, type ToldSeries } from '../../support/stores/series-file.ts';
import { ofRuns } from '../../support/property-runs.ts';
import { sampled } from '../../support/sampled.ts';

/** A Friday. */
const NOW_MS = Date.UTC(2024, 4, 3, 12, 0, 30);
const { config } = loadConfig(['--workers=1', '--memory-limit=512Mi'], {}, () => '');
const demo = createDemo({ seed: 1, nowMs: () => NOW_MS });

interface Row {
  readonly cpuCost: number;
  readonly ramCost: number;
  readonly gpuCost: number;
  readonly accuracy: { readonly lower: number | null; readonly upper: number | null };
}
type Rows = Readonly<Record<string, Row>>;

let engine: Engine | undefined;
before(async () => {
  engine = await startEngine(config, { info: () => undefined, error: () => undefined });
});
after(() => engine?.close());

interface Answer {
  readonly data: readonly Rows[];
  readonly warnings?: readonly string[];
}

async function ask(text: string, store: MetricsSource = demo): Promise<Answer> {
  assert.ok(engine, 'no engine runs');
  const plan = readPlan(parseQuery(text), clockOf(config).calendar, NOW_MS);
  const options = { compute: engine.compute, metrics: metricsOf(config, store) };
  const { chunks } = await query(options, plan, new AbortController().signal);
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  return JSON.parse(Buffer.concat(parts).toString()) as Answer;
}

const costOf = (row: Row | undefined): number =>
  row === undefined ? 0 : row.cpuCost + row.ramCost + row.gpuCost;

/** Rows outside of their bounds, and how wide these are. */
function outside(rows: Rows, exact: Rows): { readonly wrong: string[]; readonly widths: number[] } {
  const wrong: string[] = [];
  const widths: number[] = [];
  for (const [name, row] of Object.entries(rows)) {
    const { lower, upper } = row.accuracy;
    const [billed, truth] = [costOf(row), costOf(exact[name])];
    if (lower !== null && upper !== null) widths.push(upper - lower);
    const isWithin =
      (lower === null || lower * truth <= billed * (1 + 1e-9)) &&
      (upper === null || upper * truth >= billed * (1 - 1e-9));
    if (!isWithin) wrong.push(`${name}: ${billed / truth} is not in ${lower} to ${upper}`);
  }
  return { wrong, widths };
}

const AGGREGATES = [
  '',
  'cluster',
  'node',
  'namespace',
  'controller',
  'pod',
  'container',
  'label:team',
  'service',
  'namespace,controllerKind',
  'node,pod',
  'all',
];
/** Windows and how rows are laid in them. */
const ASKED: readonly (readonly [of: string, aggregates: readonly string[]])[] = [
  ['window=6h&idle=true', AGGREGATES],
  ['window=24h', ['', 'node', 'namespace']],
  ['window=3h&step=1h&idle=true&splitIdle=true&idleByNode=true', ['', 'node', 'controller']],
  ['window=6h&idle=true&filter=namespace!:%22monitoring%22', ['node', 'label:team']],
];

describe('the exact cost of the demo lies within the bounds that rows state:', () => {
  for (const [turn, [of, aggregates]] of ASKED.entries())
    test(of, async (t) => {
      const wrong: string[] = [];
      const widths: number[] = [];
      const gate = Math.ceil(aggregates.length / 3);
      for (const aggregate of sampled(aggregates, { gate, turn })) {
        const exact = await ask(`${of}&aggregate=${aggregate}&resolution=exact`);
        for (const resolution of ['1m', '10m', '60m']) {
          const { data } = await ask(`${of}&aggregate=${aggregate}&resolution=${resolution}`);
          data.forEach((rows, set) => {
            const found = outside(rows, exact.data[set] ?? {});
            wrong.push(...found.wrong.map((row) => `${aggregate} at ${resolution}: ${row}`));
            widths.push(...found.widths);
          });
        }
      }
      const median = widths.toSorted((a, b) => a - b)[Math.floor(widths.length / 2)] ?? NaN;
      t.diagnostic(`${widths.length} rows, median width ${(100 * median).toFixed(3)} %`);
      assert.ok(widths.length > 10, `${widths.length} rows have bounds`);
      assert.deepEqual(wrong, []);
    });
});

test('no bound is stated of what idle adds to a row', async () => {
  const { data } = await ask('window=3h&aggregate=namespace&shareIdle=true');
  for (const [name, { accuracy }] of Object.entries(data[0] ?? {}))
    assert.deepEqual(accuracy, { lower: null, upper: null }, name);
});

const HOUR_MS = 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();

test('the exact cost of fleets of short lives lies within the bounds that rows state', async () => {
  const asked = fc.record({
    aggregate: fc.constantFrom(...AGGREGATES.filter((name) => name !== 'service')),
    resolution: fc.constantFrom('1m', '7m', '10m', '60m'),
    other: fc.constantFrom('', '&idle=true', '&filter=label%5Bteam%5D:%22red%22', '&step=30m&idle=true'),
    startS: fc.nat(3600),
    hours: fc.constantFrom(0.5, 1, HOURS - 1),
  }); // prettier-ignore
  await fc.assert(
    fc.asyncProperty(briefFleet, asked, async (fleet, query) => {
      const { aggregate, resolution, other, startS, hours } = query;
      const startMs = START_MS + 1000 * startS;
      const window = `window=${iso(startMs)},${iso(startMs + hours * HOUR_MS)}`;
      const of = `${window}&aggregate=${aggregate}${other}`;
      const store = storeOf(briefSeries(fleet));
      const exact = await ask(`${of}&resolution=exact`, store);
      const { data } = await ask(`${of}&resolution=${resolution}`, store);
      data.forEach((rows, set) => {
        assert.deepEqual(outside(rows, exact.data[set] ?? {}).wrong, []);
      });
    }),
    { numRuns: ofRuns(200) },
  );
});

/** Two cores for as long as it lives, of which it requested a tenth of one. */
const POD: BriefPod = {
  name: 'db-0', node: 'n1', namespace: 'batch', team: 'red', pauseS: 0, lifeS: 20_000, hasStart: true, hasEnd: false,
  requestedCores: 0.1, usedCores: 2, usedGib: 0.1, restartS: 0,
}; // prettier-ignore
const WHOLE = `window=${iso(START_MS)},${iso(START_MS + HOURS * HOUR_MS)}`;

test('containers that no point saw are counted in a warning, and in the bounds of their group', async () => {
  const unseen = { ...POD, pauseS: 3615, lifeS: 20, hasEnd: true };
  const pods = [unseen, { ...POD, name: 'db-1' }];
  const store = storeOf(briefSeries({ pods, everyS: 30, phaseS: 0 }));
  const { data, warnings = [] } = await ask(`${WHOLE}&aggregate=namespace`, store);
  const told =
    'containers that ran only between two points of the resolution: 1; $0.00 is not charged';
  assert.ok(
    warnings.some((text) => text.startsWith(told)),
    warnings.join(),
  );
  const { batch: row } = data[0] ?? {};
  const most = costOf(row) / (row?.accuracy.lower ?? NaN);
  const usd = (2 * CORE_USD * unseen.lifeS) / 3600;
  assert.ok(most - costOf(row) >= usd, `${most - costOf(row)} of ${usd}`);
});

/** Hours since 9:00. */
interface BesideWindow {
  readonly what: string;
  readonly ran: readonly [from: number, to: number];
  readonly window: readonly [from: number, to: number];
  readonly isCounted: boolean;
}

/** Scraped at each full hour, with phases: an end is known by the hour. */
const BESIDE: readonly BesideWindow[] = [
  { what: 'ended after the window began', ran: [0.2, 2.7], window: [2.6, 4.6], isCounted: true },
  { what: 'ended before the window began', ran: [0.2, 2.55], window: [2.6, 4.6], isCounted: true },
  { what: 'was completed before the window', ran: [0.2, 2.7], window: [3.1, 4.6], isCounted: false },
  { what: 'began before the window ended', ran: [3.3, 5.5], window: [1.5, 3.8], isCounted: true },
]; // prettier-ignore

describe('what hourly samples leave open of a pod beside the window lies within the bounds:', () => {
  for (const { what, ran, window, isCounted } of BESIDE)
    test(`it ${what}`, async () => {
      const [fromMs, toMs] = ran.map((hour) => START_MS + (hour - 1) * HOUR_MS) as [number, number];
      const pauseS = 3600 * ran[0];
      const beside = { ...POD, node: 'n2', hasStart: false, pauseS, lifeS: (toMs - fromMs) / 1000 };
      const pods = [beside, { ...POD, name: 'db-1' }];
      const named = { namespace: 'batch', pod: 'db-0', uid: 'uid-1' };
      const hourly = { startMs: fromMs, endMs: toMs + 2 * HOUR_MS, everyMs: HOUR_MS };
      const phase = (name: string, isIn: (ms: number) => boolean): ToldSeries =>
        told('kube_pod_status_phase', { ...named, phase: name }, hourly, (ms) => Number(isIn(ms)));
      const store = storeOf([
        ...briefSeries({ pods, everyS: 3600, phaseS: 0 }),
        told('kube_pod_info', { ...named, node: 'n2' }, { ...hourly, startMs: toMs }),
        phase('Running', (ms) => ms < toMs),
        phase('Succeeded', (ms) => ms >= toMs),
      ]);
      const [start, end] = window.map((hour) => iso(START_MS + (hour - 1) * HOUR_MS));
      const asked = `window=${start},${end}&aggregate=namespace`;
      const { data, warnings = [] } = await ask(asked, store);
      const { batch: row } = data[0] ?? {};
      assert.ok(row?.accuracy.lower, 'no bounds');
      const hours = Math.max(0, Math.min(ran[1], window[1]) - Math.max(ran[0], window[0]));
      const truth = (hours + window[1] - window[0]) * (2 * CORE_USD + GIB_USD);
      const { lower, upper } = row.accuracy;
      assert.ok(lower * truth <= costOf(row) * (1 + 1e-9), `${costOf(row)} of ${truth}, ${lower}`);
      assert.equal(upper, 1);
      assert.equal(lower < 1, isCounted);
      const [warning = '', ...others] = warnings;
      assert.equal(/^containers that .*may have run.*: 1;/.test(warning), isCounted, warning);
      assert.deepEqual(others, []);
    });
});

const SCRAPES = [[60, 48], [60, 0], [60, 1], [30, 29], [30, 7]] as const; // prettier-ignore

describe('CPU that a counter loses when its container restarts lies within the bounds:', () => {
  for (const [everyS, phaseS] of SCRAPES)
    for (const restartS of [240, 1000])
      test(`every ${restartS} s, scraped each ${everyS} s after ${phaseS} s`, async () => {
        const fleet = { pods: [{ ...POD, restartS }], everyS, phaseS };
        const { data } = await ask(`${WHOLE}&aggregate=namespace`, storeOf(briefSeries(fleet)));
        const { batch: row } = data[0] ?? {};
        assert.ok(row, 'no row');
        const truth = HOURS * (2 * CORE_USD + GIB_USD);
        const { lower, upper } = row.accuracy;
        assert.ok(
          lower !== null && lower * truth <= costOf(row) * (1 + 1e-9),
          `${costOf(row)} of ${truth} is below ${lower}`,
        );
        // A loss is not above what was used between two samples.
        assert.ok(upper === 1 && lower >= 1 - everyS / restartS - 1e-9, `${lower} to ${upper}`);
      });

  test('none where no container restarts', async () => {
    const store = storeOf(briefSeries({ pods: [POD], everyS: 60, phaseS: 48 }));
    const { data } = await ask(`${WHOLE}&aggregate=namespace`, store);
    assert.deepEqual(data[0]?.['batch']?.accuracy, { lower: 1, upper: 1 });
  });
});
