/**
 * The on-demand query against the bare download of the samples that it needs, over a real Prometheus
 * on this machine: the same series sampled every 60 s, then every 6 s.
 */
import { join } from 'node:path';
import { startProrata } from '../test/support/servers/prorata.ts';
import { startPrometheus } from '../test/support/stores/prometheus.ts';
import { skipWithout } from '../test/support/servers/services.ts';
import { Downloader } from './downloader.ts';
import { prepareStore } from './fleet-store.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { cpuLine } from './cpu-line.ts';
import { peakBytes } from './process-figures.ts';
import { queryTask } from './query-task.ts';
import { allStreams, fourStreams, readsOf } from './remote-reads.ts';
import { MARGIN_MS, WINDOW_START_MS, type FleetOptions } from './usage-fleet.ts';

const HOUR_MS = 3_600_000;
const INTERVALS_MS = [60_000, 6_000];

export async function* onDemandBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const missing = skipWithout('prometheus');
  if (missing !== false) return options.note(`on-demand is left out: ${missing}`);
  const size = options.isSmoke ? { containers: 50, hours: 1 } : { containers: 2000, hours: 24 };
  const peaks: number[] = [];
  for (const intervalMs of INTERVALS_MS) {
    const isFourOnly = options.settings['four-only'] ?? false;
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
  const store = await prepareStore(fleet, options);
  const prometheus = await startPrometheus({ dataFolder: join(store.folder, 'data') });
  const endMs = WINDOW_START_MS + fleet.hours * HOUR_MS;
  const now = new Date(endMs + MARGIN_MS).toISOString();
  const prorata = await startProrata(['--metrics-url', prometheus.url, '--now', now]);
  const downloader = new Downloader();
  try {
    const range = { startMs: WINDOW_START_MS - MARGIN_MS, endMs: endMs + MARGIN_MS };
    const reads = readsOf(prometheus.url, fourStreams(), range);
    const allReads = readsOf(prometheus.url, allStreams(), range);
    const { containers, hours, intervalMs } = fleet;
    const samples = 4 * containers * ((range.endMs - range.startMs) / intervalMs + 1);
    const ours = (resolution: string): Task => {
      const name = `resolution=${resolution}`;
      return queryTask({ name, prorata, downloader, resolution, fleet, totals: store.totals });
    };
    const tasks: Task[] = [
      { name: 'bare download of the four streams', run: () => downloader.run(reads) },
      { name: 'the four streams, one after the other', run: () => downloader.runInTurn(reads) },
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
    const pids = [prometheus.pid, downloader.pid, prorata.pid];
    options.note(await cpuLine(tasks, pids, options));
  } finally {
    await Promise.all([downloader.close(), prorata.stop(), prometheus.stop()]);
  }
}
