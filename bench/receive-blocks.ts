/**
 * Blocks of samples as the receiver stores them: bytes a sample by kind of series, all files of a block
 * counted, and how long the usage of a day takes from the disk to batches, as the receiver reads it.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeLabels } from '../src/metrics/index.ts';
import {
  BlockFolder,
  chunkExtent,
  compareLabels,
  storedBatches,
  XorAppender,
  type BlockSeries,
  type LabelBytes,
  type StoredSeries,
  type XorChunk,
} from '../src/tsdb/index.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { seededRandom } from './random.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CUT_MS = 2 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 5);
const CHUNK_SAMPLES = 120;
/** How late samples are: of a collector that aligns its times, of one that does not, and as cAdvisor times usage itself. */
const ON_TIME: Lateness = { name: 'on time', usageMs: 0, stateMs: 0 };
const LATE: Lateness = { name: 'up to 40 ms late', usageMs: 40, stateMs: 40 };
const LATENESS: readonly Lateness[] = [
  ON_TIME,
  LATE,
  { name: 'usage up to 10 s late, state on time', usageMs: 10_000, stateMs: 0 },
];

interface Lateness {
  readonly name: string;
  readonly usageMs: number;
  readonly stateMs: number;
}

/** How a kind of series goes on: a value's successor; `r` in [0, 1). */
interface Kind {
  readonly name: string;
  readonly metrics: readonly string[];
  readonly next: (value: number, r: number, stepMs: number) => number;
}

const nanoseconds = (seconds: number): number => Math.round(seconds * 1e9) / 1e9;
const page = (bytes: number): number => Math.max(0, Math.round(bytes / 4096) * 4096);

const CPU: Kind = {
  name: 'CPU seconds, to the nanosecond',
  metrics: ['container_cpu_usage_seconds_total'],
  next: (value, r, stepMs) => nanoseconds(value + (r * stepMs) / 2000),
};
const MEMORY: Kind = {
  name: 'memory in use, by pages',
  metrics: ['container_memory_working_set_bytes'],
  next: (value, r) => (r < 0.3 ? value : page(value + (r - 0.65) * 1e7)),
};
const NETWORK: Kind = {
  name: 'network bytes',
  metrics: ['container_network_receive_bytes_total', 'container_network_transmit_bytes_total'],
  next: (value, r) => value + Math.floor(r * r * 1e6),
};
const STATE: Kind = {
  name: 'state of a container or pod, constant',
  metrics: [
    ...['cpu_requests', 'memory_requests', 'cpu_limits', 'memory_limits', 'info', 'running'].map(
      (one) => `kube_pod_container_${one}`,
    ),
    ...['info', 'owner', 'labels', 'created', 'start_time'].map((one) => `kube_pod_${one}`),
    ...['pending', 'running', 'succeeded', 'failed', 'unknown'].map(
      (one) => `kube_pod_phase_${one}`,
    ),
  ],
  next: (value) => value,
};
const KINDS: readonly Kind[] = [CPU, MEMORY, NETWORK, STATE];

interface Fleet {
  readonly kinds: readonly Kind[];
  readonly containers: number;
  readonly stepMs: number;
  readonly late: Lateness;
}

export async function* receiveBlocksBenchmarks(
  options: BenchOptions,
): AsyncGenerator<Benchmark, void> {
  const [small, large] = options.isSmoke ? [3, 5] : [250, 2000];
  for (const stepMs of [30_000, 60_000]) {
    for (const kinds of [...KINDS.map((kind) => [kind]), KINDS]) {
      const name = kinds.length === 1 ? (kinds[0]?.name ?? '') : 'all of them together';
      for (const late of LATENESS) {
        const [cut, day] = await bytesOf({ kinds, containers: small, stepMs, late });
        const what = `${name}, each ${stepMs / 1000} s, ${late.name}`;
        options.note(`${what}: ${day} B a sample of a day, ${cut} of two hours`);
      }
    }
    yield* readDay({ kinds: [CPU, MEMORY], containers: large, stepMs, late: LATE });
  }
}

/** Bytes a sample on the disk: of a block of two hours, and of a day's. */
async function bytesOf(fleet: Fleet): Promise<string[]> {
  return await withFolder(async (path) => {
    const folder = await filled(path, fleet);
    const cut = await perSample(path, folder);
    await folder.merge();
    const day = await perSample(path, folder);
    folder.close();
    return [cut, day];
  });
}

/** The first block's. */
async function perSample(path: string, folder: BlockFolder): Promise<string> {
  const [block] = folder.blocks;
  if (block === undefined) throw new Error('BUG: no block was written');
  let bytes = 0;
  for (const name of await readdir(join(path, block.ulid), { recursive: true })) {
    const file = await stat(join(path, block.ulid, name));
    if (file.isFile()) bytes += file.size;
  }
  return (bytes / block.samples).toFixed(2);
}

async function* readDay(fleet: Fleet): AsyncGenerator<Benchmark, void> {
  const home = await mkdtemp(join(tmpdir(), 'prorata-bench-blocks-'));
  try {
    const [parts, whole] = [join(home, 'parts'), join(home, 'whole')];
    const twelve = await filled(parts, fleet);
    const one = await filled(whole, fleet);
    await one.merge();
    const samples = twelve.blocks.reduce((sum, block) => sum + block.samples, 0);
    yield {
      title: `usage of ${fleet.containers} containers for 24 h at ${fleet.stepMs / 1000} s, from blocks to batches, 1 thread`,
      amount: samples / 1e6,
      unit: 'M samples',
      isSlow: true,
      tasks: [readTask('a block a day', one), readTask('a block each two hours', twelve)],
    };
    one.close();
    twelve.close();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The checksum is the number of samples. */
function readTask(name: string, folder: BlockFolder): Task {
  const range = { startMs: START_MS, endMs: START_MS + DAY_MS - 1 };
  let samples = 0;
  function* counted(series: Iterable<StoredSeries>): Generator<StoredSeries, void> {
    for (const one of series) {
      for (const { bytes } of one.spans) samples += samplesIn(bytes);
      yield one;
    }
  }
  let memory: Uint8Array = new Uint8Array(0);
  const room = (bytes: number): Uint8Array => {
    if (memory.length < bytes) memory = new Uint8Array(bytes);
    return memory;
  };
  const run = (): void => {
    samples = 0;
    for (const metric of [...CPU.metrics, ...MEMORY.metrics])
      for (const _ of storedBatches(counted(folder.stored({ metric, matchers: [] }, range)), room));
  };
  return { name, run, checksum: () => samples };
}

/** Chunks are as they stand in files. */
function samplesIn(bytes: Uint8Array): number {
  let samples = 0;
  for (let at = 0; at < bytes.length;) {
    const extent = chunkExtent(bytes, at, { path: 'a span', offset: at });
    if (extent === undefined) throw new Error('BUG: a span is cut off');
    const data = at + extent.lengthBytes + 1;
    samples += ((bytes[data] ?? 0) << 8) | (bytes[data + 1] ?? 0);
    at += extent.totalBytes;
  }
  return samples;
}

async function withFolder<Result>(work: (path: string) => Promise<Result>): Promise<Result> {
  const path = await mkdtemp(join(tmpdir(), 'prorata-bench-blocks-'));
  try {
    return await work(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** A day in twelve blocks, and the first two hours of the next, which show that the day is over. */
async function filled(path: string, fleet: Fleet): Promise<BlockFolder> {
  const folder = await BlockFolder.open(path);
  const series = seriesOf(fleet);
  for (let startMs = START_MS; startMs <= START_MS + DAY_MS; startMs += CUT_MS) {
    const endMs = startMs + CUT_MS;
    await folder.cut({ startMs, endMs }, cutOf(series, fleet, { startMs, endMs }));
  }
  return folder;
}

interface Running {
  readonly labels: LabelBytes;
  readonly next: Kind['next'];
  readonly random: () => number;
  readonly lateMs: number;
  value: number;
}

function seriesOf({ kinds, containers, late }: Fleet): Running[] {
  const series: Running[] = [];
  for (let place = 0; place < containers; place++)
    for (const kind of kinds)
      for (const metric of kind.metrics) {
        const random = seededRandom(series.length);
        const value = Math.floor(random() * 1e9);
        const labels = encodeLabels({ __name__: metric, ...labelsOf(place) });
        const lateMs = kind === STATE ? late.stateMs : late.usageMs;
        series.push({ labels, next: kind.next, random, lateMs, value });
      }
  return series.sort((a, b) => compareLabels(a.labels, b.labels));
}

/** As cAdvisor and kube-state-metrics name theirs, with what a scrape adds. */
function labelsOf(place: number): Record<string, string> {
  const service = `service-${place % 200}`;
  const suffix = (place * 7919 + 46_656).toString(36);
  return {
    cluster: 'production-eu-1',
    container: service,
    instance: `10.0.${place % 100}.11:10250`,
    job: 'kubelet',
    namespace: `team-${place % 40}`,
    node: `ip-10-0-${place % 100}-11.eu-west-1.compute.internal`,
    pod: `${service}-6f7d9c5b8-${suffix}`,
    uid: `4c1d2e3f-0000-4000-8000-${String(place).padStart(12, '0')}`,
  };
}

function* cutOf(
  series: readonly Running[],
  { stepMs }: Fleet,
  range: { startMs: number; endMs: number },
): Generator<BlockSeries, void> {
  for (const one of series) {
    const chunks: XorChunk[] = [];
    let appender = new XorAppender();
    for (let timeMs = range.startMs; timeMs < range.endMs; timeMs += stepMs) {
      if (appender.count === CHUNK_SAMPLES) {
        chunks.push(appender.finish());
        appender = new XorAppender();
      }
      one.value = one.next(one.value, one.random(), stepMs);
      appender.append(timeMs + Math.floor(one.random() * one.lateMs), one.value);
    }
    chunks.push(appender.finish());
    yield { labels: one.labels, chunks };
  }
}
