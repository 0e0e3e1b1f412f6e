/**
 * What ran: pods, their containers and nodes, gathered from the condensed facts. Reading only; who
 * lived when, and for how much, is decided in workloads.ts.
 */
import { LABEL_NAMES, SCRAPE_GAP_MS, USAGE } from '../../metrics/catalogue.ts';
import type { SeriesRecord } from '../../columnar/index.ts';
import { DeviceClaims } from './device-claims.ts';
import type { DisputedFact } from './disputes.ts';
import { Endpoints } from './endpoints.ts';
import { FewMap } from './few-map.ts';
import { joined } from '../row/joined.ts';
import { nearestInTime } from '../row/nearest-in-time.ts';
import type {
  Balancer,
  Claim,
  Management,
  NetworkPrices,
  NodeDisk,
  NodeFacts,
  Volume,
} from './nodes-and-volumes.ts';
import {
  emptyContainer,
  podByUid,
  type Owner,
  type Pod,
  type PodName,
  type PodRequest,
} from './pods.ts';
import type { Texts } from './texts.ts';
import { gapsOfAll } from './gaps-of-all.ts';
import { Presence, type Stretch } from './presence.ts';

export type * from './nodes-and-volumes.ts';
export { ALLOCATION_MAX, emptyContainer, noRuns } from './pods.ts';
export type { Container, Owner, Pod, PodName, PodRequest, Resource } from './pods.ts';

/** How series name their cluster. */
export interface ClusterOptions {
  /** Labels that name it, the first present counts; and the name when none is. */
  readonly clusterLabels: readonly string[];
  readonly clusterId: string;
}

export interface InventoryOptions extends ClusterOptions {
  readonly gapMs: number;
}

/** Whom the labels of a record name. */
interface Named {
  readonly name: PodName;
  readonly pod: Pod;
  /** Its cluster is the default, as no label names one. */
  readonly isUnlabelled: boolean;
}

export class Inventory {
  readonly pods: PodName[] = [];
  /** By cluster, namespace and name: looked up for each series, so without a joined key. */
  readonly #byName: Map<string, Map<string, Map<string, PodName>>> = new Map();
  /** By the identity of records: the same labels come with all of a pod's facts. */
  readonly #byIdentity: Named[] = [];
  /** By `cluster\0node`; once settled, the last machine of each name. */
  readonly nodes: Map<string, NodeFacts> = new Map();
  /** Values of prices and sizes that series contradict each other about. */
  readonly disputes: DisputedFact[] = [];
  /** Names that several machines had, in order of time; by `cluster\0node`. */
  readonly machines: Map<string, readonly NodeFacts[]> = new Map();
  /** By `cluster\0namespace`. */
  readonly namespaceLabels: Map<string, Texts> = new Map();
  readonly namespaceAnnotations: Map<string, Texts> = new Map();
  /** By `cluster\0volume`. */
  readonly volumes: Map<string, Volume> = new Map();
  /** By `cluster\0namespace\0claim`. */
  readonly claims: Map<string, Claim> = new Map();
  /** By `cluster\0namespace\0service\0address`. */
  readonly balancers: Map<string, Balancer> = new Map();
  /** Addresses of services, which count if no series has prices of load balancers; by `cluster\0namespace\0service\0address`. */
  readonly ingresses: Map<string, Balancer> = new Map();
  /** By `cluster\0host\0device`. */
  readonly nodeDisks: Map<string, NodeDisk> = new Map();
  /** By `cluster\0provisioner`. */
  readonly managements: Map<string, Management> = new Map();
  /** Labels that a service's pods have, by `cluster\0namespace\0service`. */
  readonly selectors: Map<string, Texts> = new Map();
  readonly endpoints: Endpoints = new Endpoints();
  readonly deviceClaims: DeviceClaims = new DeviceClaims();
  /** Pods that request parts of GPUs, with their clusters. */
  readonly partRequests: Map<Pod, string> = new Map();
  /** By cluster. */
  readonly networkPrices: Map<string, NetworkPrices> = new Map();
  /** Owners of replica sets and jobs, by `cluster\0namespace\0name`. */
  readonly replicaSetOwners: Map<string, Owner> = new Map();
  readonly jobOwners: Map<string, Owner> = new Map();
  /** Intervals of the series of pods, by cluster. */
  readonly #intervalsMs: Map<string, number[]> = new Map();
  readonly #typicalMs: Map<string, number> = new Map();
  readonly #usualMs: ReadonlyMap<string, number>;
  /** The earliest and latest sample of any pod. */
  firstMs: number = Infinity;
  lastMs: number = -Infinity;
  /** Resources of nodes that look like accelerators, and are none that is known. */
  readonly unknownAccelerators: Set<string> = new Set();
  /** The metric that is being read. */
  reading = '';
  /** Metrics with series that name no cluster; whether others name another than the default. */
  readonly unlabelled: Set<string> = new Set();
  namesOtherCluster = false;
  readonly options: InventoryOptions;
  /** When each thing was seen, by the series that tells of it alone. */
  readonly #seen: Map<object, { firstMs: number; lastMs: number; isDoubled: boolean }> = new Map();
  /** When kube-state-metrics was scraped, by cluster. */
  readonly scrapes: Map<string, Presence> = new Map();
  readonly #gaps: Map<string, readonly Stretch[]> = new Map();
  /** Names of pods that OpenCost's exporter alone shows. */
  readonly #allocatedOnly: Set<PodName> = new Set();

  /** @param usualMs intervals of clusters whose pods show none */
  constructor(options: InventoryOptions, usualMs: ReadonlyMap<string, number> = new Map()) {
    this.options = options;
    this.#usualMs = usualMs;
  }

  /**
   * Where labels of one series name several clusters, it is of the one that pods are in: an exporter's own id of the
   * cluster may differ from the name that the store gives it.
   */
  clusterOf(record: SeriesRecord): string {
    const { clusterLabels } = this.options;
    const home = clusterLabels.find((label) => this.#byName.has(record.label(label)));
    return this.#noted(home === undefined ? first(record, clusterLabels) : record.label(home));
  }

  #noted(named: string): string {
    if (named === '') this.unlabelled.add(this.reading);
    else if (named !== this.options.clusterId) this.namesOtherCluster = true;
    return named || this.options.clusterId;
  }

  /** Whether pods are in it. */
  hasPods(cluster: string): boolean {
    return this.#byName.has(cluster);
  }

  /** In order of cluster, namespace and name. */
  podsInOrder(): PodName[] {
    return inOrder(this.#byName)
      .flatMap(inOrder)
      .flatMap((names) => [...names.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
  }

  nodeOf(cluster: string, node: string): NodeFacts | undefined {
    return this.nodes.get(joined(cluster, node));
  }

  /** All that had the name, in order of time. */
  machinesOf(cluster: string, node: string): readonly NodeFacts[] {
    const key = joined(cluster, node);
    const last = this.nodes.get(key);
    return this.machines.get(key) ?? (last ? [last] : []);
  }

  /** The machine that had the name in that time, for most of it where there were several. */
  machineIn(cluster: string, node: string, { startMs, endMs }: Stretch): NodeFacts | undefined {
    if (this.machines.size === 0) return this.nodeOf(cluster, node);
    const machines = this.machinesOf(cluster, node);
    return machines[nearestInTime(machines.map(asStretch), { startMs, endMs })];
  }

  /** The machine of a pod, by when the pod is seen. */
  machineUnder(cluster: string, { node, presence }: Pod): NodeFacts | undefined {
    const { firstMs: startMs, lastMs: endMs } = presence;
    return this.machineIn(cluster, node, { startMs, endMs });
  }

  get allMachines(): NodeFacts[] {
    return [...this.nodes].flatMap(([key, last]) => this.machines.get(key) ?? [last]);
  }

  /**
   * Notes that `record` is the one series that tells of `thing`: where another was seen at the same
   * time, there are several exporters.
   */
  see(thing: object, { firstMs, lastMs }: SeriesRecord): void {
    if (firstMs !== firstMs) return;
    const before = this.#seen.get(thing);
    if (!before) return void this.#seen.set(thing, { firstMs, lastMs, isDoubled: false });
    before.isDoubled ||= firstMs < before.lastMs && lastMs > before.firstMs;
    before.firstMs = Math.min(before.firstMs, firstMs);
    before.lastMs = Math.max(before.lastMs, lastMs);
  }

  /** Things that several exporters tell of. */
  get doubled(): number {
    return [...this.#seen.values()].filter(({ isDoubled }) => isDoubled).length;
  }

  /**
   * Usage of a container that no fact names: it is one more container of the pods of that name; a
   * pod that no fact names either is there as long as its usage.
   */
  addUnmatched(record: SeriesRecord): void {
    this.reading = USAGE.cpu.metric;
    // A marker that a series ended is no usage.
    if (!(record.firstMs <= record.lastMs)) return;
    const named = this.#named(record);
    const container = first(record, LABEL_NAMES.container);
    if (!named || container === '') return;
    const { gapMs } = this.options;
    if (named.byUid.size === 0) podByUid(named, '', gapMs).isUnmatched = true;
    named.used ??= { presence: new Presence(gapMs), containers: new Set() };
    named.used.presence.add(record);
    named.used.containers.add(container);
    for (const pod of named.byUid.values()) {
      if (pod.isUnmatched) {
        pod.presence.add(record);
        setNode(this, pod, record);
      }
      // One that had the name before used it.
      if (record.lastMs <= pod.startSeconds.smallest() * 1000) continue;
      if (!pod.containers.get(container)) pod.containers.set(container, emptyContainer(true));
    }
  }

  addScrapes(record: SeriesRecord): void {
    const { firstMs, lastMs, intervalMs } = record;
    const scrapes = at(this.scrapes, this.clusterOf(record), () => new Presence(SCRAPE_GAP_MS));
    scrapes.add({ firstMs, lastMs, intervalMs, staleMs: NaN });
  }

  /** Usage after completions, and while kube-state-metrics or a shard was down: pods told of beside it were there. */
  addSeen(record: SeriesRecord): void {
    const cluster = this.clusterOf(record);
    const { intervalMs } = record;
    for (const { status, presence, node } of this.#named(record)?.byUid.values() ?? []) {
      status.usedLastsMs.push(record.lastMs);
      for (const gap of [...this.#stateGaps(cluster), ...presence.gapsBetween()]) {
        const firstMs = Math.max(record.firstMs, gap.startMs);
        const lastMs = Math.min(record.lastMs, gap.endMs);
        if (!(firstMs <= lastMs) || !presence.isBeside(firstMs, lastMs)) continue;
        const seen = { firstMs, lastMs, intervalMs, staleMs: NaN };
        presence.add(seen);
        this.nodeOf(cluster, node)?.presence.add(seen);
      }
    }
  }

  /** When nothing of the cluster is told of. The first call comes after all facts on pods. */
  #stateGaps(cluster: string): readonly Stretch[] {
    const { gapMs } = this.options;
    return at(this.#gaps, cluster, () =>
      gapsOfAll(this.#byName.get(cluster), this.scrapes.get(cluster), gapMs),
    );
  }

  #named(record: SeriesRecord): PodName | undefined {
    const name = first(record, LABEL_NAMES.pod);
    if (name === '') return undefined;
    const cluster = this.#noted(first(record, this.options.clusterLabels));
    const namespace = first(record, LABEL_NAMES.namespace);
    const inCluster = at(this.#byName, cluster, emptyMap<Map<string, PodName>>);
    const names = at(inCluster, namespace, emptyMap<PodName>);
    return at(names, name, () => {
      const named: PodName = {
        cluster,
        namespace,
        name,
        byUid: new FewMap(),
        requests: undefined,
        used: undefined,
      };
      this.pods.push(named);
      return named;
    });
  }

  /** The pod a record names, made when new; what the record shows of its presence is noted. */
  podOf(record: SeriesRecord): Pod | undefined {
    const named = this.#identified(record);
    if (named) this.#notePresence(named, record);
    return named?.pod;
  }

  /**
   * The pod that a record of OpenCost's exporter names. It shows a pod for minutes after it is gone,
   * so that its samples count only where nothing else shows a pod of that name.
   */
  allocatedPodOf(record: SeriesRecord): Pod | undefined {
    const name = this.#named(record);
    if (!name) return undefined;
    if (name.byUid.size === 0) this.#allocatedOnly.add(name);
    if (!this.#allocatedOnly.has(name)) return this.#allocatedPod(name, record);
    const named = this.#identified(record);
    if (named) this.#notePresence(named, record);
    return named?.pod;
  }

  /** OpenCost shows pods of one name with the uid of another namespace's (opencost#4041): names decide then. */
  #allocatedPod(name: PodName, record: SeriesRecord): Pod {
    const uid = record.label('uid');
    const own = name.byUid.get(uid);
    if (own) return own;
    const [only, ...others] = name.byUid.values();
    return only && others.length === 0 ? only : podByUid(name, '', this.options.gapMs);
  }

  /** Adds a request of a pod as a whole. It shows no pod: kube-scheduler has it without a uid. */
  addPodRequest(kind: PodRequest['kind'], resource: string, record: SeriesRecord): void {
    const { firstMs, lastMs } = record;
    const pairs = [...record.pairs];
    const named = firstMs === firstMs ? this.#named(record) : undefined;
    if (!named) return;
    const container = kind === 'init' ? first(record, LABEL_NAMES.container) : '';
    const request = { kind, uid: record.label('uid'), container, resource, firstMs, lastMs, pairs };
    (named.requests ??= []).push(request);
  }

  #identified(record: SeriesRecord): Named | undefined {
    const { identity } = record;
    const known = identity < 0 ? undefined : this.#byIdentity[identity];
    if (known) {
      if (known.isUnlabelled) this.unlabelled.add(this.reading);
      return known;
    }
    const name = this.#named(record);
    if (!name) return undefined;
    const pod = podByUid(name, record.label('uid'), this.options.gapMs);
    const isUnlabelled = first(record, this.options.clusterLabels) === '';
    const named = { name, pod, isUnlabelled };
    if (identity >= 0) this.#byIdentity[identity] = named;
    return named;
  }

  #notePresence({ pod, name }: Named, record: SeriesRecord): void {
    pod.presence.add(record);
    if (record.firstMs < this.firstMs) this.firstMs = record.firstMs;
    if (record.lastMs > this.lastMs) this.lastMs = record.lastMs;
    if (record.intervalMs > 0)
      at(this.#intervalsMs, name.cluster, () => []).push(record.intervalMs);
  }

  /**
   * Interval of series of a cluster with a single sample, ms: the median of its pods' series, else that of its nodes',
   * else one minute. Call it after all facts on pods are read.
   */
  typicalIntervalMs(cluster: string): number {
    return at(this.#typicalMs, cluster, () => {
      const sorted = Float64Array.from(this.#intervalsMs.get(cluster) ?? []).sort();
      return sorted[sorted.length >> 1] ?? this.#usualMs.get(cluster) ?? 60_000;
    });
  }
}

/** What `map` has at `key`, made when it has nothing yet. */
export function at<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function asStretch({ sinceMs: startMs, untilMs: endMs }: NodeFacts): Stretch {
  return { startMs, endMs };
}

/** Values in order of their keys. */
function inOrder<Value>(map: ReadonlyMap<string, Value>): Value[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

function emptyMap<Value>(): Map<string, Value> {
  return new Map();
}

export function first(record: SeriesRecord, names: readonly string[]): string {
  for (const name of names) {
    const value = record.label(name);
    if (value !== '') return value;
  }
  return '';
}

/**
 * Notes the node that a record names. An address is what was scraped, where others name the node; then neither
 * its node nor what it says is allocated counts.
 * @returns false for a record whose node does not count
 */
export function setNode(inventory: Inventory, pod: Pod | undefined, record: SeriesRecord): boolean {
  if (!pod) return true;
  const node = first(record, LABEL_NAMES.node);
  if (node === '') return true;
  const isNamed = (name: string): boolean => !isAddress(inventory, record, name);
  const counts = isNamed(node);
  if (!counts && pod.node !== '' && isNamed(pod.node)) return false;
  if (counts && pod.node !== '' && !isNamed(pod.node)) {
    pod.node = node;
    pod.containers.forEach((container) => (container.allocated = undefined));
  }
  pod.node ||= node;
  const { firstMs, lastMs } = record;
  if (pod.uid !== '' || !counts || firstMs !== firstMs) return true;
  (pod.places ??= []).push({ node, address: record.label('pod_ip'), firstMs, lastMs });
  return true;
}

/** Names of nodes have no port. Facts on nodes are read before those that were scraped of them. */
function isAddress(inventory: Inventory, record: SeriesRecord, node: string): boolean {
  if (node.includes(':')) return true;
  if (inventory.nodes.size === 0 || !/^\d+(\.\d+){3}$/.test(node)) return false;
  return inventory.nodeOf(inventory.clusterOf(record), node) === undefined;
}
