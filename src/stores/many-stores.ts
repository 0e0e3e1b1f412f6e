/** Several metrics stores as one source: of a cluster each, of shards of one, or of several clusters themselves. */
import type { Batch, MetricsSource, ReadTogether, Remaining, Room } from '../metrics/index.ts';
import { mergedRead, type MergedRead } from './merged-read.ts';
import { OneStore, OneStoreFailure, type OneReplica, type StoreEntry } from './one-store.ts';
import { WaitingMemory } from './waiting-memory.ts';

export interface ManyStoresOptions {
  /** Labels that name clusters; the first is the one that series get. */
  readonly clusterLabels: readonly string[];
  /** The deadline of one read of a store. */
  readonly readTimeoutMs: number;
}

export interface ManyStores extends MetricsSource {
  readonly stores: readonly OneStore[];
  close(): Promise<void>;
}

/** Reads at once of all stores together; each store has its own limit. */
const READS_MOST = 8;
/** A store is kept waiting for at most this share of a read's deadline. */
const PATIENCE = 1 / 4;
/** Tells of each pod: a cluster without it has no pods. */
const POD_INFO = 'kube_pod_info';

const ownMemory: Room = (bytes) => new Uint8Array(bytes);

/** @param entries of unique names */
export function openManyStores(
  entries: readonly StoreEntry[],
  options: ManyStoresOptions,
): ManyStores {
  const stores = entries.map((entry) => new OneStore(entry, options.clusterLabels));
  return manyOf(stores, options);
}

function manyOf(stores: readonly OneStore[], options: ManyStoresOptions): ManyStores {
  const clusters = [...clustersOf(stores).values()];
  const replicas = stores.flatMap((store) => store.replicas);
  const waiting = new WaitingMemory();
  const merged = (
    metrics: readonly string[],
    begin: MergedRead['begin'],
    [signal, onWarning, room = ownMemory]: readonly [
      AbortSignal,
      MergedRead['onWarning'],
      Room | undefined,
    ],
  ): AsyncGenerator<Batch, void> =>
    mergedRead({
      stores: inTurn(clusters, metrics[0] ?? '').flat(),
      begin,
      signal,
      onWarning,
      room,
      waiting,
      patienceMs: PATIENCE * options.readTimeoutMs,
      onEmpty: (empty) => {
        if (!metrics.includes(POD_INFO)) return;
        for (const sentence of withoutPods(clusters, empty)) onWarning?.(sentence);
      },
    });
  return {
    stores,
    name: nameOf(stores),
    concurrentReads: Math.min(
      READS_MOST,
      stores.reduce((sum, store) => sum + store.readsMost, 0),
    ),
    clusters: clusters.map((all) =>
      all.flatMap((store) => store.replicas.map(({ source }) => source)),
    ),
    hasReplicas: replicas.length > clusters.length,
    get readerName() {
      const names = new Set(replicas.map(({ source }) => source.readerName ?? 'none'));
      return names.size === 1 ? [...names].join('') : 'several';
    },
    read(selection, range, signal, onWarning, room) {
      const begin: MergedRead['begin'] = ({ source }, until, own) =>
        source.read(selection, range, until, onWarning, own);
      return merged([selection.metric], begin, [signal, onWarning, room]);
    },
    async together(signal) {
      const readers = new Map<OneReplica, ReadTogether | undefined>(
        await Promise.all(
          replicas.map(async (replica) => [replica, await readerOf(replica, signal)] as const),
        ),
      );
      if ([...readers.values()].every((reader) => reader === undefined)) return undefined;
      return (metrics, range, own, onWarning, room) => {
        const begin: MergedRead['begin'] = (replica, until, memory) => {
          const reader = readers.get(replica) ?? oneByOne(replica);
          return reader(metrics, range, until, onWarning, memory);
        };
        return merged(metrics, begin, [own, onWarning, room]);
      };
    },
    earliestSampleMs: (signal) => earliestOf(replicas, signal),
    without: (error) => remaining(stores, error, options),
    async close() {
      for (const { pace } of replicas) pace?.close();
      await Promise.all(replicas.map(({ source }) => source.close()));
    },
  };
}

/** Stores by cluster, in their order; one without a cluster is by itself. */
function clustersOf(stores: readonly OneStore[]): ReadonlyMap<string, readonly OneStore[]> {
  const clusters = new Map<string, OneStore[]>();
  for (const store of stores) {
    const { name, cluster } = store.entry;
    const key = cluster === undefined ? `store ${name}` : `cluster ${cluster}`;
    clusters.set(key, [...(clusters.get(key) ?? []), store]);
  }
  return clusters;
}

/** Reads of different metrics begin at different clusters, so that reads side by side are of different stores. */
function inTurn<T>(clusters: readonly T[], metric: string): readonly T[] {
  let sum = 0;
  for (const letter of metric) sum += letter.codePointAt(0) ?? 0;
  const first = sum % Math.max(1, clusters.length);
  return [...clusters.slice(first), ...clusters.slice(0, first)];
}

/** A replica that fails now is read one by one: then it is seen whether another stands in for it. */
async function readerOf(
  { source }: OneReplica,
  signal: AbortSignal,
): Promise<ReadTogether | undefined> {
  try {
    return await source.together?.(signal);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

function oneByOne({ source }: OneReplica): ReadTogether {
  return async function* (metrics, ...rest) {
    for (const metric of metrics) yield* source.read({ metric, matchers: [] }, ...rest);
  };
}

async function earliestOf(
  replicas: readonly OneReplica[],
  signal: AbortSignal,
): Promise<number | undefined> {
  const found = await Promise.all(
    replicas.map(async ({ source }) => {
      return await source.earliestSampleMs?.(signal).catch(() => undefined);
    }),
  );
  const known = found.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Clusters of which no store has a pod, each as a sentence. */
function withoutPods(
  clusters: readonly (readonly OneStore[])[],
  empty: readonly OneStore[],
): string[] {
  const all = clusters.filter((stores) => stores.every((store) => empty.includes(store)));
  return all.map(
    (stores) =>
      `${stores.map(({ title }) => title).join(' and ')} has no samples of ${POD_INFO} in this time: what ran there then is not in the answer`,
  );
}

function remaining(
  stores: readonly OneStore[],
  error: unknown,
  options: ManyStoresOptions,
): Remaining | undefined {
  if (!(error instanceof OneStoreFailure)) return undefined;
  const others = stores.filter((store) => store !== error.store);
  if (others.length === 0 || others.length === stores.length) return undefined;
  return {
    source: manyOf(others, options),
    warning: `${error.store.title} is missing from this answer: ${error.reason}`,
  };
}

/** Names shown in all; more are counted. */
const NAMED = 4;

function nameOf(stores: readonly OneStore[]): string {
  const names = stores.map(({ entry }) => entry.name);
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.length === 1 ? 'metrics store' : 'metrics stores'} ${names.slice(0, NAMED).join(', ')}${more}`;
}
