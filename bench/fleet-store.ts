/** The data folder of a Prometheus that a fleet lives in, written once and kept for later runs. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchOptions } from './harness.ts';
import { writeStore, type BlockStats } from './store-block.ts';
import { fleetRange, usageFleet, type FleetOptions, type Totals } from './usage-fleet.ts';

export interface Store {
  /** With the block in its folder `data`. */
  readonly folder: string;
  readonly totals: Totals;
}

export async function prepareStore(fleet: FleetOptions, options: BenchOptions): Promise<Store> {
  const kind = fleet.isFourOnly ? 'four' : 'all';
  const name = `${fleet.containers}x${fleet.hours}h-${fleet.intervalMs}ms-${kind}-1`;
  const folder = join(tmpdir(), `prorata-bench-${name}`);
  const note = join(folder, 'written.json');
  if (!existsSync(note)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    const startedMs = performance.now();
    const { series, totals } = usageFleet(fleet);
    const stats = await writeStore(join(folder, 'data'), fleetRange(fleet), series);
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
