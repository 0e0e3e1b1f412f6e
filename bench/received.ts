/**
 * The on-demand query over samples that were received, beside the same over a real Prometheus that is read, whose block
 * has the same samples: a day of 2,000 containers in one block, as merging leaves it.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProrata, type Prorata } from '../test/support/servers/prorata.ts';
import { skipWithout } from '../test/support/servers/services.ts';
import { startPrometheus } from '../test/support/stores/prometheus.ts';
import { cpuLine } from './cpu-line.ts';
import { Downloader } from './downloader.ts';
import { prepareStore } from './fleet-store.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { peakBytes } from './process-figures.ts';
import { queryTask } from './query-task.ts';
import { MARGIN_MS, WINDOW_START_MS, type FleetOptions } from './usage-fleet.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export async function* receivedBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const missing = skipWithout('prometheus');
  if (missing !== false) return options.note(`received is left out: ${missing}`);
  const size = options.isSmoke ? { containers: 50, hours: 1 } : { containers: 2000, hours: 24 };
  const fleet: FleetOptions = { ...size, intervalMs: MINUTE_MS, isFourOnly: false };
  const store = await prepareStore(fleet, options);
  const blocks = join(store.folder, 'data');
  const endMs = WINDOW_START_MS + fleet.hours * HOUR_MS;
  const now = new Date(endMs + MARGIN_MS).toISOString();
  const folder = mkdtempSync(join(tmpdir(), 'prorata-received-'));
  mkdirSync(join(folder, 'receiver'));
  cpSync(blocks, join(folder, 'receiver', 'blocks'), { recursive: true });
  const receiving = await startProrata(['--now', now, '--receive', '--data-dir', folder]);
  const prometheus = await startPrometheus({ dataFolder: blocks });
  const reading = await startProrata(['--now', now, '--metrics-url', prometheus.url]);
  const downloader = new Downloader();
  const task = (over: string, prorata: Prorata, resolution: string): Task => {
    const name = `${over}, resolution=${resolution}`;
    return queryTask({ name, prorata, downloader, resolution, fleet, totals: store.totals });
  };
  const tasks = ['1m', 'exact'].flatMap((resolution) => [
    task('over remote read', reading, resolution),
    task('over the receiver', receiving, resolution),
  ]);
  try {
    yield {
      title: `Received, ${fleet.containers} containers × ${fleet.hours} h at 60 s`,
      amount: fleet.containers * fleet.hours,
      unit: 'container-hours',
      isSlow: true,
      tasks,
    };
    const peaks = [reading, receiving].map(({ pid }) => (peakBytes(pid) / 1e6).toFixed(0));
    options.note(`peak resident size ${peaks[0]} MB over remote read, ${peaks[1]} MB received`);
    const pids = [prometheus.pid, reading.pid, receiving.pid];
    options.note(await cpuLine(tasks, pids, options));
  } finally {
    const ends = [downloader.close(), receiving.stop(), reading.stop(), prometheus.stop()];
    await Promise.all(ends);
    rmSync(folder, { recursive: true, force: true });
  }
}
