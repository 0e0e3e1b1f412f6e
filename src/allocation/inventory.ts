/**
 * What ran: pods, their containers and nodes, gathered from the condensed facts. Reading only; who
 * lived when, and for how much, is decided in workloads.ts.
 */
import { FACTS, LABEL_NAMES, RESOURCE_OF_LABEL, type FactName } from '../metrics/index.ts';
import type { SeriesRecord } from '../columnar/index.ts';
import { Presence } from './presence.ts';
import { Runs } from './runs.ts';

/** How series name their cluster. */
export interface ClusterOptions {
  /** Labels that name it, the first present counts; and the name when none is. */
  readonly clusterLabels: readonly string[];
  readonly clusterId: string;
}

/** What a container is allocated. */
export type Resource = 'cpu' | 'ram' | 'gpu';

export interface Container {
  /** Its own start by a state metric, ms; NaN unknown. */
  startMs: number;
  /** Only usage names it. */
  readonly isStray: boolean;
  readonly requests: Readonly<Record<Resource, Runs>>;
}

export interface Pod {
  readonly uid: string;
  readonly presence: Presence;
  readonly startSeconds: Runs;
  readonly completionSeconds: Runs;
  readonly containers: Map<string, Container>;
  /** Only usage names it. */
  isStray: boolean;
  node: string;
  owner: Owner | undefined;
  labels: { readonly pairs: readonly [string, string][]; readonly lastMs: number } | undefined;
}

export interface Owner {
  readonly kind: string;
  readonly name: string;
}

/** Pods that have one name, one after the other: told apart by uid. */
export interface PodName {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  /** '' holds what came without a uid. */
  readonly byUid: Map<string, Pod>;
}

export interface NodePrices {
  readonly cpu: Runs;
  readonly ram: Runs;
  readonly gpu: Runs;
  readonly isSpot: Runs;
}

export interface InventoryOptions extends ClusterOptions {
  readonly gapMs: number;
}

type Reader = (inventory: Inventory, record: SeriesRecord) => void;

export class Inventory {
  readonly pods: Map<string, PodName> = new Map();
  readonly nodes: Map<string, NodePrices> = new Map();
  /** Owners of replica sets and jobs, by `cluster\0namespace\0name`. */
  readonly replicaSetOwners: Map<string, Owner> = new Map();
  readonly jobOwners: Map<string, Owner> = new Map();
  /** Median intervals seen, to stand in where a series has a single sample. */
  readonly intervalsMs: number[] = [];
  /** The earliest and latest sample of any pod. */
  firstMs: number = Infinity;
  lastMs: number = -Infinity;
  readonly options: InventoryOptions;

  constructor(options: InventoryOptions) {
    this.options = options;
  }

  add(fact: FactName, record: SeriesRecord): void {
    READERS[fact](this, record);
  }

  clusterOf(record: SeriesRecord): string {
    return first(record, this.options.clusterLabels) || this.options.clusterId;
  }

  /**
   * Usage of a container that no fact names: it is one more container of the pods of that name; a
   * pod that no fact names either is there as long as its usage.
   */
  addStray(record: SeriesRecord): void {
    const named = this.#named(record);
    const container = first(record, LABEL_NAMES.container);
    if (!named || container === '') return;
    if (named.byUid.size === 0) podByUid(named, '', this.options.gapMs).isStray = true;
    for (const pod of named.byUid.values()) {
      if (pod.isStray) {
        pod.presence.add(record);
        setNode(pod, record);
      }
      if (!pod.containers.has(container)) pod.containers.set(container, emptyContainer(true));
    }
  }

  #named(record: SeriesRecord): PodName | undefined {
    const name = first(record, LABEL_NAMES.pod);
    if (name === '') return undefined;
    const cluster = this.clusterOf(record);
    const namespace = first(record, LABEL_NAMES.namespace);
    const key = joined(cluster, namespace, name);
    const named = this.pods.get(key) ?? { cluster, namespace, name, byUid: new Map<string, Pod>() };
    this.pods.set(key, named);
    return named;
  }

  /** The pod a record names, made when new; what the record shows of its presence is noted. */
  podOf(record: SeriesRecord): Pod | undefined {
    const named = this.#named(record);
    if (!named) return undefined;
    const pod = podByUid(named, record.label('uid'), this.options.gapMs);
    pod.presence.add(record);
    if (record.firstMs < this.firstMs) this.firstMs = record.firstMs;
    if (record.lastMs > this.lastMs) this.lastMs = record.lastMs;
    if (record.intervalMs > 0) this.intervalsMs.push(record.intervalMs);
    return pod;
  }

  /** The median of the series' own intervals; one minute when there are none. */
  typicalIntervalMs(): number {
    const sorted = this.intervalsMs.toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 60_000;
  }
}

/** Parts of a key never contain a zero byte: label values are text. */
export function joined(...parts: readonly string[]): string {
  return parts.join('\0');
}

export function emptyContainer(isStray: boolean = false): Container {
  return { startMs: NaN, isStray, requests: { cpu: new Runs(), ram: new Runs(), gpu: new Runs() } };
}

function first(record: SeriesRecord, names: readonly string[]): string {
  for (const name of names) {
    const value = record.label(name);
    if (value !== '') return value;
  }
  return '';
}

function podByUid(named: PodName, uid: string, gapMs: number): Pod {
  const known = named.byUid.get(uid);
  if (known) return known;
  const pod: Pod = {
    uid,
    presence: new Presence(gapMs),
    startSeconds: new Runs(),
    completionSeconds: new Runs(),
    containers: new Map(),
    isStray: false,
    node: '',
    owner: undefined,
    labels: undefined,
  };
  named.byUid.set(uid, pod);
  return pod;
}

function containerOf(pod: Pod | undefined, record: SeriesRecord): Container | undefined {
  const name = first(record, LABEL_NAMES.container);
  if (!pod || name === '') return undefined;
  const known = pod.containers.get(name);
  if (known) return known;
  const container = emptyContainer();
  pod.containers.set(name, container);
  return container;
}

function setNode(pod: Pod | undefined, record: SeriesRecord): void {
  if (pod) pod.node ||= first(record, LABEL_NAMES.node);
}

function ownerIn(record: SeriesRecord, kindLabel: string, nameLabel: string): Owner | undefined {
  const kind = record.label(kindLabel);
  const name = record.label(nameLabel);
  if (kind === '' || kind === '<none>' || name === '' || kind === 'Node') return undefined;
  return { kind: kind.toLowerCase(), name };
}

function readNamedOwner(owners: (inventory: Inventory) => Map<string, Owner>, ...names: string[]) {
  return (inventory: Inventory, record: SeriesRecord): void => {
    const owner = ownerIn(record, 'owner_kind', 'owner_name');
    const name = first(record, names);
    if (!owner || name === '') return;
    const namespace = first(record, LABEL_NAMES.namespace);
    owners(inventory).set(joined(inventory.clusterOf(record), namespace, name), owner);
  };
}

function readPrice(column: keyof NodePrices): Reader {
  return (inventory, record) => {
    const node = first(record, LABEL_NAMES.node);
    if (node === '') return;
    const key = joined(inventory.clusterOf(record), node);
    const prices = inventory.nodes.get(key) ?? {
      cpu: new Runs(),
      ram: new Runs(),
      gpu: new Runs(),
      isSpot: new Runs(),
    };
    inventory.nodes.set(key, prices);
    prices[column].add(record.pairs);
  };
}

const READERS: Readonly<Record<FactName, Reader>> = {
  requests(inventory, record) {
    const pod = inventory.podOf(record);
    setNode(pod, record);
    const resource = RESOURCE_OF_LABEL[record.label('resource')];
    if (resource) containerOf(pod, record)?.requests[resource].add(record.pairs);
  },
  podInfo(inventory, record) {
    const pod = inventory.podOf(record);
    setNode(pod, record);
    if (pod) pod.owner ??= ownerIn(record, 'created_by_kind', 'created_by_name');
  },
  podStart(inventory, record) {
    inventory.podOf(record)?.startSeconds.add(record.pairs);
  },
  podCompletion(inventory, record) {
    inventory.podOf(record)?.completionSeconds.add(record.pairs);
  },
  podOwner(inventory, record) {
    const pod = inventory.podOf(record);
    const owner = ownerIn(record, 'owner_kind', 'owner_name');
    const isController = record.label('owner_is_controller') !== 'false';
    if (pod && owner && (isController || !pod.owner)) pod.owner = owner;
  },
  podLabels(inventory, record) {
    const pod = inventory.podOf(record);
    if (!pod || (pod.labels && pod.labels.lastMs > record.lastMs)) return;
    const pairs = record
      .labels()
      .filter(([name]) => name.startsWith('label_'))
      .map(([name, value]): [string, string] => [name.slice('label_'.length), value]);
    pod.labels = { pairs, lastMs: record.lastMs };
  },
  containerInfo(inventory, record) {
    containerOf(inventory.podOf(record), record);
  },
  containerStart(inventory, record) {
    const container = containerOf(inventory.podOf(record), record);
    if (!container) return;
    // A restart moves the value on; the container's own start is the earliest.
    const { pairs } = record;
    for (let i = 1; i < pairs.length; i += 2) {
      const startMs = (pairs[i] ?? NaN) * 1000;
      if (!(container.startMs <= startMs)) container.startMs = startMs;
    }
  },
  replicaSetOwner: readNamedOwner((inventory) => inventory.replicaSetOwners, 'replicaset'),
  jobOwner: readNamedOwner((inventory) => inventory.jobOwners, 'exported_job_name', 'job_name'),
  nodeCpuPrice: readPrice('cpu'),
  nodeRamPrice: readPrice('ram'),
  nodeGpuPrice: readPrice('gpu'),
  nodeIsSpot: readPrice('isSpot'),
};

/** Facts in the order they are read: what comes first decides where sources disagree. */
export const FACT_NAMES: readonly FactName[] = Object.keys(FACTS) as FactName[];
