/** One of several stores: its name, its cluster, its replicas, and how its reads went. */
import {
  StoreFailure,
  type Batch,
  type MetricsSource,
  type OpenStore,
  type StorePace,
} from '../metrics/index.ts';
import { ClusterLabels } from './cluster-labels.ts';
import { StoreState } from './store-state.ts';

export interface StoreEntry {
  /** Unique among the stores. */
  readonly name: string;
  /** Series without a label of a cluster are of this one; undefined: of `--cluster-id`. */
  readonly cluster: string | undefined;
  /** Stores that scrape the same, so that one of them suffices; the first that has samples of a time counts. */
  readonly replicas: readonly Replica[];
}

export interface Replica {
  readonly source: Pick<OpenStore, 'close'> &
    Partial<Pick<OpenStore, 'chosen' | 'clockAheadMs'>> &
    MetricsSource;
  /** Undefined: the number of its reads at once is fixed. */
  readonly pace: StorePace | undefined;
}

export class OneStore {
  readonly entry: StoreEntry;
  readonly replicas: readonly OneReplica[];

  /** @param labels that name clusters */
  constructor(entry: StoreEntry, labels: readonly string[]) {
    this.entry = entry;
    const { cluster } = entry;
    this.replicas = entry.replicas.map(
      (replica, i) =>
        new OneReplica(
          entry.replicas.length > 1 ? `${entry.name}/${i + 1}` : entry.name,
          replica,
          cluster === undefined ? undefined : new ClusterLabels(cluster, labels),
        ),
    );
  }

  /** Such as `store 'eu' of cluster 'production'`. */
  get title(): string {
    return titleOf(this.entry.name, this.entry.cluster);
  }

  get readsMost(): number {
    return this.replicas[0]?.source.concurrentReads ?? 1;
  }
}

export function titleOf(name: string, cluster: string | undefined): string {
  return `store '${name}'${cluster === undefined ? '' : ` of cluster '${cluster}'`}`;
}

export class OneReplica {
  readonly name: string;
  readonly source: Replica['source'];
  readonly pace: StorePace | undefined;
  readonly labels: ClusterLabels | undefined;
  readonly state: StoreState = new StoreState();

  constructor(name: string, { source, pace }: Replica, labels: ClusterLabels | undefined) {
    this.name = name;
    this.source = source;
    this.pace = pace;
    this.labels = labels;
  }

  /** The batch with the cluster's label, in `room`; a copy also where all series have one. */
  labelled(batch: Batch, room: (bytes: number) => Uint8Array): Batch {
    const given = this.labels?.give(batch, room) ?? batch;
    if (given.bytes !== batch.bytes) return given;
    const bytes = room(batch.bytes.length);
    bytes.set(batch.bytes);
    return { encoding: batch.encoding, bytes };
  }
}

/** A failure of one of several stores, which its message names. */
export class OneStoreFailure extends StoreFailure {
  readonly store: OneStore;
  /** Without the store's name. */
  readonly reason: string;

  constructor(store: OneStore, cause: StoreFailure) {
    const { status, hint, mayRetry, retryAfterMs, answered, isTooMuch } = cause;
    super(`${cause.message} (${store.title})`, {
      status,
      mayRetry,
      isTooMuch,
      retryAfterMs,
      cause: cause.cause ?? cause,
      ...(hint === undefined ? {} : { hint }),
      ...(answered === undefined ? {} : { answered }),
    });
    this.store = store;
    this.reason = cause.message;
  }
}
