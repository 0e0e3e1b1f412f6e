/** Real Prometheus servers that hold a fleet each, with or without the label of its cluster. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFleets } from '../fleets/fleet-series.ts';
import type { Fleet } from '../fleets/fleet.ts';
import { startPrometheus, type Prometheus } from './prometheus.ts';

/** @param hasLabel whether series name their cluster */
export async function storeOfFleet(fleet: Fleet, hasLabel: boolean): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'prorata-fleet-'));
  try {
    const file = join(folder, 'fleet.om');
    await writeFleets(file, [fleet]);
    if (!hasLabel) {
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replaceAll(/cluster_id="[^"]*",?/g, ''));
    }
    return await startPrometheus({ blocksFrom: [file] });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
