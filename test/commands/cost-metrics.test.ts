/** Costs in `/metrics` under OpenCost's names, scraped by the very Prometheus that the server reads. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  COST_OF_HOUR as HOUR,
  exportLive,
  liveSeries,
  pastOf,
  type LiveExporter,
} from '../support/fleets/live-fleet.ts';
import { startServerProcess, type ServerProcess } from '../support/servers/server-process.ts';
import { skipWithout } from '../support/servers/services.ts';
import { startPrometheus, type Prometheus } from '../support/stores/prometheus.ts';
import { writeSeries } from '../support/stores/series-file.ts';

const WITHIN_MS = 120_000;
const CHEAP = 'prices:\n  cpuCoreHour: 0.03\n  ramGiBHour: 0.004\n  gpuHour: 1\n';
const DEAR = 'prices:\n  cpuCoreHour: 0.5\n  ramGiBHour: 0.25\n  gpuHour: 4\n';

interface Found {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

async function found(store: Prometheus, query: string): Promise<readonly Found[]> {
  const url = `${store.url}/api/v1/query?query=${encodeURIComponent(query)}`;
  const reply = await fetch(url);
  const text = await reply.text();
  assert.equal(reply.status, 200, `${query}: ${text}`);
  return (JSON.parse(text) as { data: { result: Found[] } }).data.result;
}

async function numberOf(store: Prometheus, query: string): Promise<number> {
  const [first, ...others] = await found(store, query);
  assert.equal(others.length, 0, query);
  return Number(first?.value[1]);
}

async function until<Value>(what: string, ask: () => Promise<Value | undefined>): Promise<Value> {
  for (const endMs = Date.now() + WITHIN_MS; Date.now() < endMs; await sleep(200)) {
    const value = await ask();
    if (value !== undefined) return value;
  }
  throw new Error(`${what}: not within ${WITHIN_MS} ms`);
}

interface AllocationRow {
  readonly cpuCost: number;
  readonly ramCost: number;
  readonly gpuCost: number;
}

/** CPU, RAM and GPUs of the last whole hour before now, of what ran all of it. */
async function costOfHour(server: ServerProcess): Promise<number> {
  const endMs = Date.now() - 60_000;
  const [start, end] = [endMs - 3_600_000, endMs].map((ms) => new Date(ms).toISOString());
  const window = encodeURIComponent(`${start},${end}`);
  const reply = await fetch(`${server.url}/model/allocation/compute?window=${window}`);
  assert.equal(reply.status, 200);
  const { data } = (await reply.json()) as { data: Record<string, AllocationRow>[] };
  return Object.values(data[0] ?? {}).reduce(
    (sum, { cpuCost, ramCost, gpuCost }) => sum + cpuCost + ramCost + gpuCost,
    0,
  );
}

describe('costs in /metrics', { skip: skipWithout('prometheus', 'promtool') }, () => {
  let home: string;
  let store: Prometheus;
  let server: ServerProcess;
  let live: LiveExporter;
  const targets = (): string => join(home, 'targets');

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'prorata-costs-'));
    await mkdir(targets());
    const file = join(home, 'live.om');
    const nowMs = Math.floor(Date.now() / 1000) * 1000;
    const series = liveSeries(nowMs);
    await writeSeries(file, pastOf(series, nowMs));
    live = await exportLive(series);
    store = await startPrometheus({ blocksFrom: [file], targetsFolder: targets() });
    server = await start(CHEAP);
  });
  after(async () => {
    await server.stop();
    await store.stop();
    live.close();
    await rm(home, { recursive: true, force: true });
  });

  /** Starts with prices of its own, and has itself scraped. */
  async function start(prices: string, ...flags: readonly string[]): Promise<ServerProcess> {
    const config = join(home, 'config.yaml');
    await writeFile(config, prices);
    const started = await startServerProcess([
      `--config=${config}`,
      `--metrics-url=${store.url}`,
      '--refresh=0',
      '--workers=1',
      '--cost-metrics-interval=1s',
      ...flags,
    ]);
    const list = JSON.stringify([{ targets: [`127.0.0.1:${started.port}`, live.target] }]);
    await writeFile(join(home, 'targets.new'), list);
    await rename(join(home, 'targets.new'), join(targets(), 'server.json'));
    return started;
  }

  test('promtool finds nothing to say of them, and each tells whose it is', async () => {
    const text = await until('costs', async () => {
      const reply = await fetch(`${server.url}/metrics`);
      const all = await reply.text();
      return all.includes('container_cpu_allocation{') ? all : undefined;
    });
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    // The name is OpenCost's.
    const isCount =
      'node_gpu_count non-histogram and non-summary metrics should not have "_count" suffix\n';
    assert.equal(checked.stdout + checked.stderr, isCount);
    const lines = text
      .split('\n')
      .filter((line) => /^(container|node|pod|pv|kubecost)_/.test(line));
    assert.ok(lines.length > 20, text);
    for (const line of lines) assert.ok(line.includes('cost_source="prorata"'), line);
    const web = lines.find(
      (line) => line.startsWith('container_cpu_allocation') && line.includes('web-2'),
    );
    assert.match(
      web ?? '',
      /^container_cpu_allocation\{namespace="shop",pod="web-2",container="main",instance="n2",node="n2",cost_source="prorata"\} 1\.5/,
    );
    const node = lines.find((line) => line.startsWith('node_total_hourly_cost{instance="n2"'));
    assert.match(
      node ?? '',
      /instance="n2",node="n2",instance_type="type-n2",region="here",provider_id="aws:\/\/\/us-east-1a\/i-n2",arch="arm64"/,
    );
    assert.match(
      text,
      /^pod_pvc_allocation\{namespace="data",pod="db-0",persistentvolumeclaim="disk",persistentvolume="pv-1",.*\} 10737418\d\d\d\d(\.|$)/m,
    );
  });

  test('they add up to the hour of the API, within 1 %', async () => {
    const scraped = await until('a scrape', async () => {
      const sum = await numberOf(store, HOUR);
      return sum > 0 ? sum : undefined;
    });
    const expected = await costOfHour(server);
    assert.ok(Math.abs(scraped / expected - 1) < 0.01, `${scraped}, the API says ${expected}`);
  });

  test('prices that are changed hold at once, whatever the store has of the old ones', async () => {
    const price = 'max(node_cpu_hourly_cost{node="n1"})';
    await until('an old price', async () =>
      Math.abs((await numberOf(store, price)) - 0.03) < 1e-9 ? true : undefined,
    );
    await server.stop();
    server = await start(DEAR);
    await until('a new price', async () =>
      Math.abs((await numberOf(store, price)) - 0.5) < 1e-9 ? true : undefined,
    );
    // Old prices are in the store for the whole hour that is asked about; none is read.
    const expected = await costOfHour(server);
    const scraped = await numberOf(store, HOUR);
    assert.ok(Math.abs(scraped / expected - 1) < 0.01, `${scraped}, the API says ${expected}`);
  });
});
