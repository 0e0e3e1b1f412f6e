/** The parts that commands share, put together: memory, workers, prices and a metrics store. */
import {
  Room,
  Slots,
  type AllocationTasks,
  type QueryOptions,
  type StoredTasks,
} from '../allocation/index.ts';
import type { AssetTasks } from '../assets/index.ts';
import type { BillTasks } from '../bills/index.ts';
import type { CloudTasks } from '../cloud/index.ts';
import type { ClusterSizingTasks } from '../cluster-sizing/index.ts';
import type { CollectionTasks } from '../collections/index.ts';
import type { PredictionTasks } from '../prediction/index.ts';
import {
  Arena,
  compileKernels,
  createMemory,
  instantiateKernels,
  Owners,
  type KernelExports,
  type Owner,
} from '../columnar/index.ts';
import type { Config } from '../config.ts';
import type { ExternalTasks } from '../external/index.ts';
import type { Logger } from '../log.ts';
import { WORKER_BYTES, type MemoryBudget } from '../memory-budget.ts';
import { createDemo, type MetricsSource } from '../metrics/index.ts';
import { createPool, type Pool } from '../pool/index.ts';
import type { SizingTasks } from '../request-sizing/index.ts';
import { openConfiguredStore } from './configured-store.ts';
import { readNodeTypes } from './node-types.ts';
import { timeOf, type Time } from './time.ts';

export { timeOf, type Time } from './time.ts';

/** What workers do. */
type Tasks = AllocationTasks &
  AssetTasks &
  StoredTasks &
  BillTasks &
  ExternalTasks &
  CloudTasks &
  SizingTasks &
  ClusterSizingTasks &
  CollectionTasks &
  PredictionTasks;

/** What a query needs but its metrics store. */
export interface Engine extends Omit<QueryOptions, 'source' | 'pool'>, Time {
  readonly pool: Pool<Tasks>;
  readonly memory: MemoryBudget;
  /** Of the main thread, which computes nothing with them but where records end. */
  readonly kernels: KernelExports;
  close(): Promise<void>;
}

export interface Patience {
  /** A store that sends nothing for so long is given up. */
  readonly idleTimeoutMs: number;
}

export type OpenSource = MetricsSource & { close(): Promise<void> };

/** Everybody's demo shows the same fleet. */
export const DEMO_SEED = 1;

const PATIENCE: Patience = { idleTimeoutMs: 30_000 };

/** A semi-space, another and large new objects: as V8 counts what is young. */
const YOUNG_SPACES = 3;

/**
 * @throws {Fault} when the file of node types cannot be used
 * @throws what a worker that cannot load throws
 */
export async function startEngine(config: Config, log: Logger): Promise<Engine> {
  const nodeTypes = readNodeTypes(config.nodeTypes);
  const memory = createMemory(config.memory.arenaBytes, config.isMemoryChecked || undefined);
  const arena = new Arena(memory);
  const owners = new Owners(arena);
  const module = compileKernels();
  const pool = await createPool<Tasks>({
    entry: new URL('../../workers/entry.js', import.meta.url),
    threads: config.workers,
    heapBytes: config.memory.heapBytes,
    ownBytes: WORKER_BYTES,
    youngBytes: YOUNG_SPACES * config.memory.semiSpaceBytes,
    workerData: { memory, module, owner: owners.take(), nodeTypes },
    onError: (error) => log.error({ err: error }, 'a worker failed outside any task'),
  });
  const running: Set<Owner> = new Set();
  const room = new Room({ arena, owners, running });
  return {
    arena,
    owners,
    room,
    slots: new Slots(arena, owners, config.memory.slotsBytes, room),
    running,
    kernels: instantiateKernels(module, memory),
    pool,
    memory: config.memory,
    book: {
      ...config.prices,
      discount: config.discount,
      negotiatedDiscount: config.negotiatedDiscount,
    },
    clusterId: config.clusterId,
    clusterLabels: config.clusterLabel ? [config.clusterLabel] : ['cluster_id', 'cluster'],
    ...timeOf(config),
    close: () => pool.close(),
  };
}

/** The store that the configuration names, or the demo. */
export function openSource(config: Config, patience: Patience = PATIENCE): OpenSource {
  if (config.metricsUrl !== undefined) {
    return openConfiguredStore(config, config.metricsUrl, patience.idleTimeoutMs);
  }
  const demo = createDemo({ seed: DEMO_SEED, nowMs: timeOf(config).nowMs });
  return { ...demo, close: () => Promise.resolve() };
}
