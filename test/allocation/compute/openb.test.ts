/**
 * A week of a trace in a real Prometheus, through the real server, against its closed form. The trace
 * is a generated one, or the one of which OPENB names the folder of pods.csv and nodes.csv: then all
 * 149 days with OPENB_FULL=1.
 */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Amounts,
  openbAmounts,
  openbFleet,
  type OpenbPod,
  TRACE_START_MS,
} from '../../../scripts/openb-fleet.ts';
import { isSeen } from '../../../scripts/openb-series.ts';
import { loadOpenb, readOpenb } from '../../../scripts/openb.ts';
import { generateOpenb } from '../../support/openb-trace.ts';
import { type Allocations, type Prorata, startProrata } from '../../support/servers/prorata.ts';
import { type Prometheus, startPrometheus } from '../../support/stores/prometheus.ts';
import { skipWithout } from '../../support/servers/services.ts';

const TRACE = process.env['OPENB'];
const skip = skipWithout('prometheus', 'promtool');

const DAY_MS = 86_400_000;
const INTERVAL_MS = 60_000;
/** Scrapes go on beyond the window, as in life. */
const MARGIN_MS = 900_000;
const isFull = TRACE !== undefined && process.env['OPENB_FULL'] === '1';
const [firstDay, endDay] = isFull ? [0, 149] : [126, 133];
const [startMs, endMs] = [TRACE_START_MS + firstDay * DAY_MS, TRACE_START_MS + endDay * DAY_MS];

let pods: readonly OpenbPod[] = [];
let folder = '';
let prometheus: Prometheus | undefined;
let prorata: Prorata | undefined;

before(async () => {
  if (skip !== false) return;
  const { podsCsv, nodesCsv } = generateOpenb(firstDay);
  const all = TRACE === undefined ? openbFleet(podsCsv, nodesCsv) : await readOpenb(TRACE);
  pods = all.filter((pod) => pod.startMs < endMs && pod.endMs > startMs);
  folder = await mkdtemp(join(tmpdir(), 'prorata-openb-'));
  const plan = {
    startMs: startMs - MARGIN_MS,
    endMs: endMs + MARGIN_MS,
    intervalMs: INTERVAL_MS,
    usageIntervalMs: 5 * INTERVAL_MS,
    nodeIntervalMs: 5 * INTERVAL_MS,
  };
  await loadOpenb(pods, plan, join(folder, 'data'));
  prometheus = await startPrometheus({ dataFolder: join(folder, 'data') });
  prorata = await startProrata(['--metrics-url', prometheus.url]);
});

after(async () => {
  await prorata?.stop();
  await prometheus?.stop();
  if (folder !== '') await rm(folder, { recursive: true, force: true });
});

async function rowsOf(resolution: string): Promise<Allocations> {
  assert.ok(prorata, 'prorata does not run');
  const window = `${new Date(startMs).toISOString()},${new Date(endMs).toISOString()}`;
  const [rows] = await prorata.allocations({ window, resolution });
  assert.ok(rows, 'no rows');
  return rows;
}

/** The row of a pod, by the end of its key: which cluster it stands in is the server's to name. */
function byPod(rows: Allocations): Map<string, Amounts> {
  return new Map(
    Object.entries(rows).map(([key, row]) => [key.split('/').slice(1).join('/'), row]),
  );
}

function keyOf(pod: OpenbPod): string {
  return [pod.node.name, pod.namespace, pod.name, 'main'].join('/');
}

const FIELDS = [
  'cpuCoreHours',
  'ramByteHours',
  'gpuHours',
  'cpuCost',
  'ramCost',
  'gpuCost',
] as const;

/** Each field within [lowMs, highMs] of run time at the pod's request. */
function within(pod: OpenbPod, row: Amounts | undefined, lowMs: number, highMs: number): void {
  const life = openbAmounts(pod, pod.startMs, pod.endMs);
  const perMs = (field: keyof Amounts): number => life[field] / (pod.endMs - pod.startMs);
  for (const field of FIELDS) {
    const got = row?.[field] ?? 0;
    const [low, high] = [lowMs * perMs(field), highMs * perMs(field)];
    assert.ok(got >= low && got <= high, `${pod.name} ${field}: ${got} not in [${low}, ${high}]`);
  }
}

function runMs(pod: OpenbPod): number {
  return Math.min(pod.endMs, endMs) - Math.max(pod.startMs, startMs);
}

test(
  'exact: pods with a recorded end, or still running, equal the closed form',
  { skip },
  async () => {
    const rows = byPod(await rowsOf('exact'));
    const known = pods.filter(
      (pod) => isSeen(pod, INTERVAL_MS) && (pod.endRecorded || pod.endMs > endMs + INTERVAL_MS),
    );
    assert.ok(known.length > 300, `${known.length} pods`);
    for (const pod of known) {
      const wanted = openbAmounts(pod, startMs, endMs);
      const row = rows.get(keyOf(pod));
      for (const field of FIELDS) {
        const error = Math.abs((row?.[field] ?? 0) - wanted[field]);
        assert.ok(
          error <= 1e-9 * wanted[field],
          `${keyOf(pod)} ${field}: ${row?.[field]}, closed form ${wanted[field]}`,
        );
      }
    }
  },
);

test('exact: pods deleted while running are within one scrape interval', { skip }, async () => {
  const rows = byPod(await rowsOf('exact'));
  for (const pod of pods)
    within(pod, rows.get(keyOf(pod)), runMs(pod) - INTERVAL_MS - 1, runMs(pod) + INTERVAL_MS + 1);
});

/**
 * The table's cells at 1m say that a point may be lost and none is gained: 30s 0 to 2.00, 5m 0.80 to
 * 1.00, 1h 0.98 to 1.00. In between, a life counts as the whole minutes it was begun to. The table is
 * of whole lives: where the window cuts the start, nothing is lost there to make up for an end that
 * only samples tell, up to one point late.
 */
function insideTable(rows: ReadonlyMap<string, Amounts>, pod: OpenbPod): void {
  const late = pod.endRecorded || pod.startMs > startMs ? 0 : INTERVAL_MS;
  const most = Math.ceil(runMs(pod) / INTERVAL_MS) * INTERVAL_MS + late;
  within(pod, rows.get(keyOf(pod)), runMs(pod) - INTERVAL_MS - 1, most + 1);
}

test('1m: pods with a recorded end are inside the accuracy table', { skip }, async () => {
  const rows = byPod(await rowsOf('1m'));
  for (const pod of pods.filter((one) => one.endRecorded)) insideTable(rows, pod);
});

test('1m: pods deleted while running are inside the accuracy table', { skip }, async () => {
  const rows = byPod(await rowsOf('1m'));
  for (const pod of pods.filter((one) => !one.endRecorded)) insideTable(rows, pod);
});

test('no row stands for a pod that did not run', { skip }, async () => {
  const expected = new Set(pods.map(keyOf));
  const strange = [...byPod(await rowsOf('exact'))].filter(([key, row]) => {
    return !expected.has(key) && row.cpuCoreHours + row.ramByteHours + row.gpuHours > 0;
  });
  assert.deepEqual(strange, []);
});
