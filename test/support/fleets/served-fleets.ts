/** Fleets in a real Prometheus. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Prometheus, startPrometheus } from '../stores/prometheus.ts';
import { writeFleets } from './fleet-series.ts';
import type { Fleet } from './fleet.ts';

export async function serveFleets(fleets: readonly Fleet[]): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'prorata-fleets-'));
  try {
    const file = join(folder, 'fleets.om');
    await writeFleets(file, fleets);
    return await startPrometheus({ blocksFrom: [file] });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
