/** The parts that commands share, put together: memory, workers, prices and a metrics store. */
import type { AllocationTasks, QueryOptions } from '../allocation/index.ts';
import { Arena, compileKernels, createMemory, Owners } from '../columnar/index.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../log.ts';
import { createDemo, type MetricsSource } from '../metrics/index.ts';
import { createPool } from '../pool/index.ts';
import { createCalendar, type Calendar } from '../query/index.ts';
import { openConfiguredStore } from './configured-store.ts';

/** What a query needs but its metrics store, and what reads its parameters. */
export interface Engine extends Omit<QueryOptions, 'source'> {
  readonly calendar: Calendar;
  readonly nowMs: () => number;
  close(): Promise<void>;
}

export interface Patience {
  /** A store that sends nothing for so long is given up. */
  readonly idleTimeoutMs: number;
}

export type OpenSource = MetricsSource & { close(): Promise<void> };

/** Everybody's demo shows the same fleet. */
const DEMO_SEED = 1;

const PATIENCE: Patience = { idleTimeoutMs: 30_000 };

/** @throws what a worker that cannot load throws */
export async function startEngine(config: Config, log: Logger): Promise<Engine> {
  const memory = createMemory(config.arenaBytes);
  const owners = new Owners();
  const pool = await createPool<AllocationTasks>({
    entry: new URL('../../workers/entry.js', import.meta.url),
    threads: config.workers,
    workerData: { memory, module: compileKernels(), owner: owners.take() },
    onError: (error) => log.error({ err: error }, 'a worker failed outside any task'),
  });
  return {
    arena: new Arena(memory),
    owners,
    pool,
    book: config.prices,
    clusterId: config.clusterId,
    clusterLabels: config.clusterLabel ? [config.clusterLabel] : ['cluster_id', 'cluster'],
    calendar: createCalendar(config.timezone),
    nowMs: clockOf(config),
    close: () => pool.close(),
  };
}

/** The store that the configuration names, or the demo. */
export function openSource(config: Config, patience: Patience = PATIENCE): OpenSource {
  if (config.metricsUrl !== undefined) {
    return openConfiguredStore(config, config.metricsUrl, patience.idleTimeoutMs);
  }
  const demo = createDemo({ seed: DEMO_SEED, nowMs: clockOf(config) });
  return { ...demo, close: () => Promise.resolve() };
}

function clockOf({ nowMs }: Config): () => number {
  return () => nowMs ?? Date.now();
}
