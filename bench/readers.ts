/**
 * The on-demand query through each reader: the same fleet in a real Prometheus and a real
 * VictoriaMetrics on this machine, each reader in a server of its own.
 */
import { join } from 'node:path';
import { startProrata, type Prorata } from '../test/support/servers/prorata.ts';
import { startPrometheus, type Prometheus } from '../test/support/stores/prometheus.ts';
import { skipWithout } from '../test/support/servers/services.ts';
import { startVictoria, VICTORIA, type Victoria } from '../test/support/stores/victoria.ts';
import { cpuLine } from './cpu-line.ts';
import { Downloader } from './downloader.ts';
import { prepareStore } from './fleet-store.ts';
import type { Benchmark, BenchOptions } from './harness.ts';
import { peakBytes } from './process-figures.ts';
import { openCostQueries } from './opencost-queries.ts';
import { queryTask } from './query-task.ts';
import { MARGIN_MS, usageFleet, WINDOW_START_MS, type FleetOptions } from './usage-fleet.ts';
import { importSeries } from './victoria-import.ts';

const HOUR_MS = 3_600_000;

const READERS = [
  ['Prometheus', 'remote-read'],
  ['Prometheus', 'query-range'],
  ['VictoriaMetrics', 'victoria-export'],
  ['VictoriaMetrics', 'query-range'],
] as const;

export async function* readersBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const missing = skipWithout('prometheus', VICTORIA);
  if (missing !== false) return options.note(`readers is left out: ${missing}`);
  const size = options.isSmoke ? { containers: 50, hours: 1 } : { containers: 500, hours: 24 };
  const fleet = { ...size, intervalMs: 60_000, isFourOnly: false };
  const { folder, totals } = await prepareStore(fleet, options);
  const open: { stop(): Promise<void> }[] = [];
  const kept = <T extends { stop(): Promise<void> }>(one: T): T => {
    open.push(one);
    return one;
  };
  const downloader = new Downloader();
  try {
    const stores: Stores = {
      Prometheus: kept(await startPrometheus({ dataFolder: join(folder, 'data') })),
      VictoriaMetrics: kept(await startVictoria()),
    };
    await importSeries(stores.VictoriaMetrics.url, usageFleet(fleet).series);
    const servers: Prorata[] = [];
    for (const [store, reader] of READERS)
      servers.push(kept(await serve(stores[store].url, reader, fleet)));
    const tasks = servers.map((prorata, i) => {
      const name = READERS[i]?.join(', ') ?? '';
      return queryTask({ name, prorata, downloader, resolution: 'exact', fleet, totals });
    });
    tasks.push(openCostQueries(stores.Prometheus.url, fleet, downloader));
    const samples = 4 * fleet.containers * (60 * fleet.hours + (2 * MARGIN_MS) / 60_000 + 1);
    yield {
      title: `On demand through each reader, ${fleet.containers} containers × ${fleet.hours} h at 60 s`,
      amount: samples / 1e6,
      unit: 'M samples',
      isSlow: true,
      tasks,
    };
    const peaks = servers.map(({ pid }) => `${(peakBytes(pid) / 1e6).toFixed(0)} MB`);
    options.note(`peak resident size of each server: ${peaks.join(', ')}`);
    const working = [...Object.values(stores), ...servers, downloader].map(({ pid }) => pid);
    options.note(await cpuLine(tasks, working, options));
  } finally {
    await Promise.all([downloader.close(), ...open.map((one) => one.stop())]);
  }
}

interface Stores {
  readonly Prometheus: Prometheus;
  readonly VictoriaMetrics: Victoria;
}

function serve(url: string, reader: string, { hours }: FleetOptions): Promise<Prorata> {
  const now = new Date(WINDOW_START_MS + hours * HOUR_MS + MARGIN_MS).toISOString();
  return startProrata(['--metrics-url', url, '--metrics-reader', reader, '--now', now]);
}
