/**
 * The on-demand query in size: a day of 1,000, 10,000 and 50,000 containers, scraped each minute,
 * in servers of their own; then the resolutions compared. `--max-containers N` leaves out what is
 * larger, `--write` puts the tables into README.md.
 */
import { statfsSync } from 'node:fs';
import { freemem, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPrometheus } from '../test/support/stores/prometheus.ts';
import { skipWithout } from '../test/support/servers/services.ts';
import { Downloader } from './downloader.ts';
import { prepareStore } from './fleet-store.ts';
import type { BenchOptions } from './harness.ts';
import { allStreams, fourStreams, readsOf } from './remote-reads.ts';
import { resolutionTable, sizeChart, sizeTable, writeReport } from './scale-report.ts';
import { scaleFigures, type Refused, type ScaleFigures } from './scale-run.ts';
import { MARGIN_MS, WINDOW_START_MS } from './usage-fleet.ts';

const HOUR_MS = 3_600_000;
/** Containers, and how many runs of each query count. */
const SIZES: readonly (readonly [containers: number, rounds: number])[] = [
  [1000, 7],
  [10_000, 5],
  [50_000, 3],
];
const SMOKE_SIZES = [[50, 1]] as const;
const RESOLUTIONS = ['1m', 'exact', '5m'];
const ALL_RESOLUTIONS = ['exact', '1m', '2m', '5m', '10m', '30m', '60m'];
/** What a container's day takes on disk, and in memory of all processes together: generously. */
const DISK_BYTES = 20_000;
const MEMORY_BYTES = 120_000;

type Results = readonly (ScaleFigures | Refused)[];

export async function reportScale(options: BenchOptions): Promise<void> {
  const missing = skipWithout('prometheus');
  if (missing !== false) return options.note(`scale is left out: ${missing}`);
  const most = options.settings['max-containers'] ?? Infinity;
  const sizes = (options.isSmoke ? SMOKE_SIZES : SIZES).filter(([size]) => size <= most);
  const bySize: Results[] = [];
  for (const [containers, rounds] of sizes) {
    const tooMuch = shortage(containers);
    if (tooMuch) options.note(`${containers} containers are left out: ${tooMuch}`);
    else bySize.push(await measure(containers, rounds, RESOLUTIONS, options));
    options.note(sizeTable(bySize.at(-1) ?? []));
  }
  const [smallest = 0, rounds = 0] = sizes[0] ?? [];
  if (smallest === 0) return options.note('scale: no size is that small');
  const byResolution = await measure(smallest, rounds, ALL_RESOLUTIONS, options);
  const title = (text: string): string => `**${text}** (load ${loadavg()[0]?.toFixed(0)})`;
  const report = [
    title('A day of containers at 60 s'),
    sizeTable(bySize.flat()),
    sizeChart(bySize.flat()),
    title(`Resolutions, ${smallest} containers`),
    resolutionTable(byResolution),
  ].join('\n\n');
  options.note(report);
  if (options.settings.write) writeReport(report);
}

async function measure(
  containers: number,
  rounds: number,
  resolutions: readonly string[],
  options: BenchOptions,
): Promise<Results> {
  const hours = options.isSmoke ? 1 : 24;
  const fleet = { containers, hours, intervalMs: 60_000, isFourOnly: false };
  const { folder, totals } = await prepareStore(fleet, options);
  const store = await startPrometheus({ dataFolder: join(folder, 'data') });
  const downloader = new Downloader();
  try {
    const range = {
      startMs: WINDOW_START_MS - MARGIN_MS,
      endMs: WINDOW_START_MS + hours * HOUR_MS + MARGIN_MS,
    };
    const reads = readsOf(store.url, fourStreams(), range);
    const allReads = readsOf(store.url, allStreams(), range);
    const run = { fleet, storeUrl: store.url, downloader, reads, allReads, totals, rounds };
    const results: (ScaleFigures | Refused)[] = [];
    for (const resolution of resolutions) results.push(await scaleFigures(run, resolution));
    return results;
  } finally {
    await Promise.all([downloader.close(), store.stop()]);
  }
}

/** What there is too little of for so many containers; '' when there is enough. */
function shortage(containers: number): string {
  const { bavail, bsize } = statfsSync(tmpdir());
  const short = (name: string, needed: number, free: number): string =>
    free < needed
      ? `${name}: ${(free / 1e9).toFixed(1)} GB are free, ${(needed / 1e9).toFixed(1)} needed`
      : '';
  return (
    short('disk', DISK_BYTES * containers, bavail * bsize) ||
    short('memory', MEMORY_BYTES * containers, freemem())
  );
}
