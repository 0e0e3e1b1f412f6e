/** The parts that commands share, put together: memory, workers, prices and a metrics store. */
import {
  Room,
  Slots,
  type AllocationTasks,
  type Metrics,
  type QueryCompute,
  type StoredTasks,
} from '../allocation/index.ts';
import type { AssetTasks } from '../assets/index.ts';
import type { BillTasks } from '../billing/deliveries/index.ts';
import type { CloudTasks } from '../billing/cloud/index.ts';
import type { ClusterSizingTasks } from '../cluster-sizing/index.ts';
import type { InstallationTasks } from '../installation/index.ts';
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
import type { Config } from '../settings/config.ts';
import type { ExternalTasks } from '../billing/external/index.ts';
import type { Logger } from '../terminal/log.ts';
import { WORKER_BYTES, type MemoryBudget } from '../settings/memory-budget.ts';
import { counted, noReads, type MetricsSource, type ReadCounts } from '../metrics/index.ts';
import { createDemo, DEMO_SEED } from '../demo/index.ts';
import { useNewerPrices, type PriceBook } from '../pricing/index.ts';
import type { OneStore } from '../stores/index.ts';
import { createPool, type Pool } from '../pool/index.ts';
import type { SavingsTasks } from '../savings/index.ts';
import type { SizingTasks } from '../request-sizing/index.ts';
import { onlyUrl, readMetricsUrls } from '../settings/metrics-urls.ts';
import { openConfiguredStore } from './configured-store.ts';
import { openConfiguredStores } from './metrics-stores/open-stores.ts';
import { noStore, receivedElsewhere, sourceKindOf } from './source-kind.ts';
import { readNewerPrices } from './newer-prices.ts';
import { readNodeTypes } from './node-types.ts';
import { clockOf } from './clock.ts';

/** The tasks of workers. */
type Tasks = AllocationTasks &
  AssetTasks &
  StoredTasks &
  BillTasks &
  ExternalTasks &
  CloudTasks &
  SizingTasks &
  ClusterSizingTasks &
  CollectionTasks &
  InstallationTasks &
  SavingsTasks &
  PredictionTasks;

/** Memory and workers of all computations. */
export interface EngineCompute extends QueryCompute {
  readonly pool: Pool<Tasks>;
  /** The main thread's, which computes nothing with them but where records end. */
  readonly kernels: KernelExports;
}

export interface Engine {
  readonly compute: EngineCompute;
  readonly memory: MemoryBudget;
  close(): Promise<void>;
}

export interface StoreTimeouts {
  /** A store that sends nothing for so long is given up. */
  readonly idleTimeoutMs: number;
}

export type OpenSource = MetricsSource & {
  close(): Promise<void>;
  /** Where there are several. */
  readonly stores?: readonly OneStore[];
};

const STORE_TIMEOUTS: StoreTimeouts = { idleTimeoutMs: 30_000 };

/** A semi-space, another and large new objects: as V8 counts what is young. */
const YOUNG_SPACES = 3;

/**
 * @throws {Fault} when the file of node types cannot be used
 * @throws the error of a worker that cannot load
 */
export async function startEngine(config: Config, log: Logger): Promise<Engine> {
  const { isListOn, controlPlanes } = config;
  const nodeTypes = readNodeTypes(config.nodeTypes);
  const newerPrices = await readNewerPrices(config.dataDir, (sentence) => log.info({}, sentence));
  useNewerPrices(newerPrices);
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
    workerData: {
      memory,
      module,
      owner: owners.take(),
      nodeTypes,
      isListOn,
      controlPlanes,
      newerPrices,
    },
    onError: (error) => log.error({ err: error }, 'a worker failed outside any task'),
  });
  const running: Set<Owner> = new Set();
  const room = new Room({ arena, owners, running });
  const slots = new Slots(arena, owners, config.memory.slotsBytes, room);
  const kernels = instantiateKernels(module, memory);
  const onClusterFailed: EngineCompute['onClusterFailed'] = ({ cluster, read, error }) =>
    log.error(
      { cluster, read, error },
      'BUG: an invariant failed in one cluster; less of it is charged',
    );
  return {
    compute: { arena, owners, room, slots, running, kernels, pool, onClusterFailed },
    memory: config.memory,
    close: () => pool.close(),
  };
}

export function bookOf({ prices, discount, negotiatedDiscount }: Config): PriceBook {
  return { ...prices, discount, negotiatedDiscount };
}

/** The metrics store and the prices that costs are computed from. */
export function metricsOf(config: Config, source: MetricsSource): Metrics {
  const { clusterId } = config;
  const clusterLabels = clusterLabelsOf(config);
  return { source, book: bookOf(config), clusterId, clusterLabels };
}

function clusterLabelsOf({ clusterLabel }: Config): readonly string[] {
  return clusterLabel ? [clusterLabel] : ['cluster_id', 'cluster'];
}

/**
 * The store that the configuration names, what is received, or the demo. Without any each read fails.
 * @param received absent: what others receive, which cannot be read here
 * @throws {Fault} when the configuration names more than one of them
 */
export function openSource(
  config: Config,
  timeouts: StoreTimeouts = STORE_TIMEOUTS,
  counts: ReadCounts = noReads(),
  received: OpenSource = receivedElsewhere(),
): OpenSource {
  const kind = sourceKindOf(config);
  const source = kind === 'receiver' ? received : sourceOf(config, kind, timeouts, counts);
  return counted(source, counts);
}

/** The address of the store, where there is one; it may be that of blocks. */
function onlyStore({ metricsUrl, metricsStores }: Config): string | undefined {
  if (metricsUrl === undefined || metricsStores !== undefined) return undefined;
  const stores = readMetricsUrls(metricsUrl);
  return stores === undefined ? metricsUrl : onlyUrl(stores);
}

function sourceOf(
  config: Config,
  kind: Exclude<ReturnType<typeof sourceKindOf>, 'receiver'>,
  timeouts: StoreTimeouts,
  counts: ReadCounts,
): OpenSource {
  if (kind === 'none') return noStore();
  if (kind === 'store') {
    const limits = { ...timeouts, onRetry: () => void counts.retries++ };
    const only = onlyStore(config);
    return only === undefined
      ? openConfiguredStores(config, clusterLabelsOf(config), limits)
      : openConfiguredStore(config, only, limits);
  }
  const demo = createDemo({ seed: DEMO_SEED, nowMs: clockOf(config).nowMs });
  return { ...demo, close: () => Promise.resolve() };
}
