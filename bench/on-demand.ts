/**
 * The on-demand query against the bare download of the samples that it needs, over a real Prometheus
 * on this machine: the same series sampled every 60 s, then every 6 s.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FACTS, USAGE, type Selection, type TimeRange } from '../src/metrics/index.ts';
import { encodeReadRequest } from '../src/metrics/remote-read-request.ts';
import { snappy } from '../src/metrics/snappy.ts';
import { startProrata, type Prorata } from '../test/support/prorata.ts';
import { startPrometheus } from '../test/support/prometheus.ts';
import { skipWithout } from '../test/support/services.ts';
import type { Download } from './download.ts';
import { Downloader } from './downloader.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { cpuMs, peakBytes } from './process-figures.ts';
import { writeBlock, type BlockStats } from './store-block.ts';
import {
  MARGIN_MS,
  usageFleet,
  WINDOW_START_MS,
  type FleetOptions,
  type Totals,
} from './usage-fleet.ts';

const HOUR_MS = 3_600_000;
const INTERVALS_MS = [60_000, 6_000];
const TOLERANCE = 1e-9;
const CPU_ROUNDS = 7;
const TOTALS = ['cpuCoreHours', 'totalCost', 'cpuUsageCoreHours', 'ramUsageByteHours'] as const;

export async function* onDemandBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const missing = skipWithout('prometheus');
  if (missing !== false) return options.note(`on-demand is left out: ${missing}`);
  const size = options.isSmoke ? { containers: 50, hours: 1 } : { containers: 2000, hours: 24 };
  const peaks: number[] = [];
  for (const intervalMs of INTERVALS_MS) {
    const isFourOnly = options.flags.includes('--four-only');
    yield* compare({ ...size, intervalMs, isFourOnly }, peaks, options);
  }
  const [first = NaN, second = NaN] = peaks;
  options.note(`peak resident size, ten times the samples: ${(second / first).toFixed(2)}×\n`);
}

async function* compare(
  fleet: FleetOptions,
  peaks: number[],
  options: BenchOptions,
): AsyncGenerator<Benchmark> {
  const store = prepareStore(fleet, options);
  const prometheus = await startPrometheus({ dataFolder: join(store.folder, 'data') });
  const endMs = WINDOW_START_MS + fleet.hours * HOUR_MS;
  const now = new Date(endMs + MARGIN_MS).toISOString();
  const prorata = await startProrata(['--metrics-url', prometheus.url, '--now', now]);
  const downloader = new Downloader();
  try {
    const range = { startMs: WINDOW_START_MS - MARGIN_MS, endMs: endMs + MARGIN_MS };
    const readsOf = (selections: readonly Selection[]): Download[] =>
      selections.map((selection) => readOf(prometheus.url, selection, range));
    const reads = readsOf(streams());
    const facts = Object.values(FACTS).map(({ selection }) => selection);
    const allReads = readsOf([...facts, USAGE.cpu, USAGE.ram]);
    const { containers, hours, intervalMs } = fleet;
    const samples = 4 * containers * ((range.endMs - range.startMs) / intervalMs + 1);
    const window = `${new Date(WINDOW_START_MS).toISOString()},${new Date(endMs).toISOString()}`;
    const ours = (resolution: string): Task =>
      queryTask(prorata, downloader, { window, resolution }, store.totals);
    const tasks: Task[] = [
      { name: 'bare download of the four streams', run: () => downloader.run(reads) },
      { name: 'bare download of all that it reads', run: () => downloader.run(allReads) },
      ours('1m'),
      ours('exact'),
    ];
    yield {
      title: `On demand, ${containers} containers × ${hours} h at ${intervalMs / 1000} s`,
      amount: samples / 1e6,
      unit: 'M samples',
      isSlow: true,
      tasks,
    };
    const peak = peakBytes(prorata.pid);
    peaks.push(peak);
    const bytes = [await downloader.run(reads), await downloader.run(allReads)];
    const sizes = bytes.map((size) => `${(size / 1e6).toFixed(1)} MB`).join(' and ');
    options.note(`downloads of ${sizes}; peak resident size ${(peak / 1e6).toFixed(0)} MB`);
    const rounds = options.isSmoke ? 1 : CPU_ROUNDS;
    options.note(await cpuLine(tasks, [prometheus.pid, downloader.pid, prorata.pid], rounds));
  } finally {
    await Promise.all([downloader.close(), prorata.stop(), prometheus.stop()]);
  }
}

/** CPU time of the processes together, the least of some runs: what a busy machine alters least. */
async function cpuLine(
  tasks: readonly Task[],
  pids: readonly number[],
  rounds: number,
): Promise<string> {
  const total = (): number => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const leastMs = tasks.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [i, task] of tasks.entries()) {
      const before = total();
      await task.run();
      leastMs[i] = Math.min(leastMs[i] ?? Infinity, total() - before);
    }
  }
  const [first = NaN] = leastMs;
  const each = leastMs.map((ms) => `${ms.toFixed(0)} ms (${(ms / first).toFixed(2)}×)`);
  return `CPU time of all processes, in the order of the tasks: ${each.join(', ')}\n`;
}

interface Store {
  readonly folder: string;
  readonly totals: Totals;
}

/** Written once, and kept for later runs. */
function prepareStore(fleet: FleetOptions, options: BenchOptions): Store {
  const kind = fleet.isFourOnly ? 'four' : 'all';
  const name = `${fleet.containers}x${fleet.hours}h-${fleet.intervalMs}ms-${kind}-1`;
  const folder = join(tmpdir(), `prorata-bench-${name}`);
  const note = join(folder, 'written.json');
  if (!existsSync(note)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    const startedMs = performance.now();
    const { series, totals } = usageFleet(fleet);
    const stats = writeBlock(join(folder, 'data'), series);
    const seconds = (performance.now() - startedMs) / 1000;
    writeFileSync(note, JSON.stringify({ totals: totals(), stats, seconds }));
  }
  const written = JSON.parse(readFileSync(note, 'utf8')) as Written;
  const { stats, seconds, totals } = written;
  const size = `${(stats.samples / 1e6).toFixed(1)} M samples in ${(stats.bytes / 1e6).toFixed(0)} MB`;
  options.note(`store of ${stats.series} series, ${size}, written in ${seconds.toFixed(0)} s`);
  return { folder, totals };
}

interface Written {
  readonly totals: Totals;
  readonly stats: BlockStats;
  readonly seconds: number;
}

/** Requests of CPU and of memory are two streams: together they are as much as both usages. */
function streams(): Selection[] {
  const { metric } = FACTS.requests.selection;
  const requests = ['cpu', 'memory'].map((value) => ({
    metric,
    matchers: [{ label: 'resource', operator: '=' as const, value }],
  }));
  return [USAGE.cpu, USAGE.ram, ...requests];
}

function readOf(url: string, selection: Selection, range: TimeRange): Download {
  return {
    method: 'POST',
    origin: url,
    path: '/api/v1/read',
    headers: {
      'accept-encoding': 'identity',
      'content-encoding': 'snappy',
      'content-type': 'application/x-protobuf',
      'x-prometheus-remote-read-version': '0.1.0',
    },
    body: snappy(encodeReadRequest(selection, range)),
  };
}

function queryTask(
  prorata: Prorata,
  downloader: Downloader,
  parameters: Readonly<Record<'window' | 'resolution', string>>,
  expected: Totals,
): Task {
  const path = `/model/allocation/compute?${new URLSearchParams(parameters).toString()}`;
  return {
    name: `resolution=${parameters.resolution}`,
    run: () => downloader.run([{ method: 'GET', origin: prorata.url, path }]),
    async checksum() {
      const response = await fetch(prorata.url + path);
      const { data } = (await response.json()) as { data: Record<string, Row>[] };
      const totals = totalsOf(data.flatMap((set) => Object.values(set)));
      // On a grid usage counts as it is at the grid's points: only requests are the same.
      const isExact = parameters.resolution === 'exact';
      const names = isExact ? TOTALS : (['cpuCoreHours', 'totalCost'] as const);
      for (const name of names) requireClose(name, totals[name], expected[name]);
      return totals.cpuCoreHours + totals.totalCost;
    },
  };
}

/** One container's allocation, as the answer has it. */
type Row = Readonly<
  Record<
    'minutes' | 'cpuCoreHours' | 'totalCost' | 'cpuCoreUsageAverage' | 'ramByteUsageAverage',
    number
  >
>;

function totalsOf(rows: readonly Row[]): Totals {
  const sum = (value: (row: Row) => number): number =>
    rows.reduce((total, row) => total + value(row), 0);
  return {
    cpuCoreHours: sum((row) => row.cpuCoreHours),
    totalCost: sum((row) => row.totalCost),
    cpuUsageCoreHours: sum((row) => (row.cpuCoreUsageAverage * row.minutes) / 60),
    ramUsageByteHours: sum((row) => (row.ramByteUsageAverage * row.minutes) / 60),
  };
}

function requireClose(name: string, actual: number, expected: number): void {
  if (Math.abs(actual - expected) <= TOLERANCE * expected) return;
  throw new Error(`BUG: ${name} is ${actual}, and the samples say ${expected}`);
}
