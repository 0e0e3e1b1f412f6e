/** What a server's process has of its folder, put together anew each time it starts. */
import { join } from 'node:path';
import {
  createBuilder,
  readAllocationFilter,
  storedRoutes,
  type Builder,
} from '../../../src/allocation/index.ts';
import { readCloudFilter } from '../../../src/billing/cloud/index.ts';
import { openBills, type Bills } from '../../../src/billing/deliveries/index.ts';
import { openCollectionStore, Registry } from '../../../src/collections/index.ts';
import type { HttpHandler } from '../../../src/http/index.ts';
import type { MetricsSource } from '../../../src/metrics/index.ts';
import { createAdmission } from '../../../src/pool/index.ts';
import { createCalendar } from '../../../src/query/index.ts';
import { openAnswers, openCaches } from '../../../src/server/caches.ts';
import { cloudBill } from '../../../src/server/cloud-bill.ts';
import { metricsOf, type Engine } from '../../../src/server/engine.ts';
import type { Config } from '../../../src/settings/config.ts';
import { openArrowFiles, type Sets } from '../../../src/storage/index.ts';
import { openRouter } from '../servers/open-router.ts';
import type { SimulatedDisk } from './disk.ts';
import { DAY_MS, HOUR_MS } from './fleet.ts';

/** An engine that many months share, as its workers take a while to start. */
export interface Machine {
  readonly engine: Engine;
  readonly config: Config;
}

export interface Surroundings {
  readonly folder: string;
  readonly disk: SimulatedDisk;
  readonly source: MetricsSource;
  readonly nowMs: () => number;
  readonly elapsedMs: () => number;
  /** Hears what goes wrong in the background. */
  readonly onFailed: (what: string, error: unknown) => void;
}

export interface Process {
  readonly sets: Sets;
  readonly bills: Bills;
  readonly collections: Registry;
  readonly builder: Builder;
  readonly handler: HttpHandler;
  /** Sentences about damage that was found at the start. */
  readonly notes: readonly string[];
  end(): Promise<void>;
}

const CACHE_BYTES = { hot: 4 << 20, written: 4 << 20, grouped: 4 << 20, charges: 1 << 20 };

export async function startProcess(
  { engine, config }: Machine,
  { folder, disk, source, nowMs, elapsedMs, onFailed }: Surroundings,
): Promise<Process> {
  const { compute, memory } = engine;
  const notes: string[] = [];
  const note = (sentence: string): unknown => notes.push(sentence);
  const sets = await openArrowFiles({
    folder: join(folder, 'data'),
    arena: compute.arena,
    note,
    nowMs,
    disk,
    graceMs: 0,
  });
  try {
    const clock = { calendar: createCalendar('UTC'), nowMs };
    const readers = { kubernetes: readAllocationFilter, cloud: readCloudFilter };
    const stored = await openCollectionStore({ folder, readers, nowMs, note, disk });
    const admission = createAdmission({
      lane: 'questions',
      running: 4,
      waiting: 100,
      waitMs: 10_000,
    });
    const caches = openCaches(compute, CACHE_BYTES);
    const billed = { cloud: cloudBill(sets) };
    const answers = openAnswers(memory, admission);
    const routes = storedRoutes({ sets, billed, caches, compute, clock, answers });
    const builder = createBuilder({
      compute,
      metrics: metricsOf(config, source),
      sets,
      timezone: 'UTC',
      rules: {
        calendar: clock.calendar,
        retentionMs: 800 * DAY_MS,
        refreshMs: 300_000,
        sealAfterMs: HOUR_MS,
      },
      admission,
      nowMs,
      elapsedMs,
      bytesMax: Infinity,
      onBuilt: () => undefined,
      onFailed,
    });
    return {
      sets,
      bills: openBills({ sets, compute, clock }),
      collections: new Registry(stored),
      builder,
      handler: openRouter(routes, { log: onFailed }),
      notes,
      async end() {
        for (const cache of Object.values(caches)) cache.clear();
        await sets.close();
      },
    };
  } catch (error) {
    await sets.close();
    throw error;
  }
}
