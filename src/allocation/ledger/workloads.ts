/**
 * Who lived when, on which node, owned by whom, at what price: the inventory's facts decided.
 */
import type { PriceBook } from '../../pricing/index.ts';
import { billContainer, billedBySize, isSystemPod, type Billed } from './bill-container.ts';
import { withPodRequests } from './pod-requests.ts';
import { machineOf, NO_MACHINE, type Machine } from './machine.ts';
import { bornMs, PodEnds, startMsOf } from './pod-ends.ts';
import { incarnations } from '../inventory/incarnations.ts';
import type { Inventory, NodeFacts, Pod, PodName } from '../inventory/inventory.ts';
import { gpusOf, type NodeGpus } from '../inventory/node-gpus.ts';
import { joined } from '../row/joined.ts';
import { inOrderOfName, NO_TEXTS, over, type NamedTexts } from '../inventory/named-texts.ts';
import type { NodePricer, NodePrices } from '../inventory/node-prices.ts';
import { PairMap } from '../inventory/pair-map.ts';
import { controllerOf } from '../inventory/owners.ts';
import {
  BY_SAMPLES,
  UNSEEN_MS,
  type Life,
  type LifeLimits,
  type Stretch,
} from '../inventory/presence.ts';
import { emptyContainer, type Container, type UsedBeside } from '../inventory/pods.ts';
import { FewMap } from '../inventory/few-map.ts';
import type { Runs } from '../inventory/runs.ts';
import { serviceIndex, type ServiceIndex } from '../inventory/services.ts';

/** One pod, with its life and all that its containers share. */
export interface PodLife {
  readonly cluster: string;
  readonly node: string;
  readonly namespace: string;
  readonly name: string;
  readonly controllerKind: string;
  readonly controller: string;
  readonly providerId: string;
  readonly machine: Machine;
  /** The pod's, and its namespace's where the pod has none of that name. */
  readonly labels: NamedTexts;
  readonly annotations: NamedTexts;
  readonly namespaceLabels: NamedTexts;
  readonly namespaceAnnotations: NamedTexts;
  /** Services that select it, in order of name. */
  readonly services: readonly string[];
  /** Keys of the claims it mounts. */
  readonly claims: ReadonlySet<string>;
  readonly isOnHostNetwork: boolean;
  readonly life: Life;
  /** Samples place it outside the window, so far apart that it may have run within: it costs nothing, but widens bounds. */
  readonly mayHaveRun: boolean;
  /** Its node's. */
  readonly prices: NodePrices;
  /** Its labels changed within the window. */
  readonly isRelabelled: boolean;
  /** Its node's, the most it had; Infinity unknown. */
  readonly capacityCores: number;
  readonly capacityRamBytes: number;
}

/** One container of one pod; the unit that is billed. */
export interface Workload extends Billed {
  readonly pod: PodLife;
}

const NO_CLAIMS: ReadonlySet<string> = new Set();

/** Step functions of nothing. */
export const NO_RUNS: PodLife['prices'] = { cpu: [], ram: [], gpu: [], source: '' };

/** The life of what is billed like a pod and has nothing of one, at no price. */
export function bareLife(cluster: string, life: Life): PodLife {
  return {
    cluster,
    node: '',
    namespace: '',
    name: '',
    controllerKind: '',
    controller: '',
    providerId: '',
    machine: NO_MACHINE,
    labels: [],
    annotations: [],
    namespaceLabels: [],
    namespaceAnnotations: [],
    services: [],
    claims: NO_CLAIMS,
    isOnHostNetwork: false,
    life,
    mayHaveRun: false,
    prices: NO_RUNS,
    isRelabelled: false,
    capacityCores: Infinity,
    capacityRamBytes: Infinity,
  };
}

export interface WorkloadOptions {
  readonly book: PriceBook;
  readonly readStartMs: number;
  readonly readEndMs: number;
  readonly windowStartMs: number;
  readonly windowEndMs: number;
  readonly gapMs: number;
  /** A resolution was asked for, not `exact`. */
  readonly onGrid: boolean;
}

export interface Workloads {
  /** In order of cluster, namespace, pod, container, start. On a grid with those of pods that may have run. */
  readonly list: readonly Workload[];
  /** Those that ran, in order of cluster, namespace, name, start. */
  readonly pods: readonly PodLife[];
  /** Containers with requests that were not believed, and their clusters in order. */
  readonly doubtedRequests: number;
  readonly doubtedIn: readonly string[];
}

/** Decides the inventory. Only workloads that overlap the window are kept, or on a grid those that may. */
export function decideWorkloads(
  inventory: Inventory,
  nodes: NodePricer,
  options: WorkloadOptions,
): Workloads {
  const decider = new Decider(inventory, nodes, options);
  // What is to be sorted is in order of name then: that comes to one look at each.
  for (const name of inventory.podsInOrder()) {
    decider.decideName(name, [...incarnations(name, options.gapMs)]);
  }
  const { list, pods } = decider;
  const isDoubted = (one: Workload): boolean => one.isDoubted && !one.pod.mayHaveRun;
  return {
    list: list.sort(inOrder),
    pods: pods.sort(podsInOrder),
    doubtedRequests: list.filter(isDoubted).length,
    doubtedIn: clustersOf(list, isDoubted),
  };
}

/** Clusters of the workloads that are meant, in order. */
export function clustersOf(
  list: readonly Workload[],
  isMeant: (one: Workload) => boolean,
): string[] {
  return [...new Set(list.flatMap((one) => (isMeant(one) ? [one.pod.cluster] : [])))].sort();
}

type NamespaceTexts = Pick<PodLife, 'namespaceLabels' | 'namespaceAnnotations'>;
interface OfMachine {
  readonly facts: NodeFacts | undefined;
  readonly gpus: NodeGpus;
  readonly machine: Machine;
}
type Mutable<Values> = { -readonly [Name in keyof Values]: Values[Name] };

class Decider {
  readonly list: Workload[] = [];
  readonly pods: PodLife[] = [];
  readonly #inventory: Inventory;
  readonly #options: WorkloadOptions;
  readonly #nodesAreKnown: boolean;
  readonly #nodes: NodePricer;
  readonly #services: ServiceIndex;
  /** One for all pods: what their own series tell is set before each is decided. */
  readonly #limits: Mutable<LifeLimits>;
  /** Limits of what no fact tells of. */
  readonly #bySamples: Omit<LifeLimits, 'intervalMs'>;
  readonly #ofNamespaces: PairMap<NamespaceTexts> = new PairMap();
  /** What is decided about each machine; undefined: an unknown one. */
  readonly #ofMachines: Map<NodeFacts | undefined, OfMachine> = new Map();
  readonly #ends: PodEnds;

  constructor(inventory: Inventory, nodes: NodePricer, options: WorkloadOptions) {
    this.#inventory = inventory;
    this.#nodes = nodes;
    this.#options = options;
    this.#nodesAreKnown = inventory.pods.some(hasNode);
    this.#services = serviceIndex(inventory.selectors, inventory.endpoints);
    const { readStartMs, readEndMs, windowEndMs, gapMs, onGrid } = options;
    const ofAll = { readStartMs, readEndMs, windowEndMs, gapMs, onGrid, startMs: NaN };
    this.#bySamples = ofAll;
    this.#limits = { ...ofAll, intervalMs: NaN };
    this.#ends = new PodEnds(inventory, ofAll);
  }

  /** @param pods of one name: a name is taken again only when it is free */
  decideName(name: PodName, pods: Pod[]): void {
    if (pods.length > 1) pods.sort((a, b) => bornMs(a) - bornMs(b));
    const known = this.pods.length;
    const lives = pods.map((pod, i) => this.#decide(name, pod, pods[i + 1]));
    if (name.used && this.pods.length === known) this.#decideUsed(name, name.used, pods, lives);
  }

  /**
   * The pod of a name that its exporter shows before or after the window only, if usage goes on beside that: it was
   * there, and what it requested is unknown.
   */
  #decideUsed(
    name: PodName,
    { presence, containers }: UsedBeside,
    pods: readonly Pod[],
    lives: readonly (Life | undefined)[],
  ): void {
    const last = pods.findLastIndex((one) => one.presence.firstMs <= presence.lastMs);
    const [pod, shown] = [pods[Math.max(0, last)], lives[Math.max(0, last)]];
    if (!pod || !shown || pod.isUnmatched) return;
    const afterMs = presence.lastMs - pod.presence.lastMs;
    const beforeMs = pod.presence.firstMs - presence.firstMs;
    const isEndKnown = !BY_SAMPLES.has(shown.endSource);
    if (!((afterMs > UNSEEN_MS && !isEndKnown) || beforeMs > UNSEEN_MS)) return;
    const intervalMs = this.#inventory.typicalIntervalMs(name.cluster);
    const life = presence.life({ ...this.#bySamples, intervalMs });
    if (!life || !overlaps(life, this.#options)) return;
    this.#add(name, { ...pod, containers: unmatchedContainers(containers) }, life);
  }

  /** @returns its life, also one outside of the window */
  #decide(name: PodName, pod: Pod, next: Pod | undefined): Life | undefined {
    const startMs = startMsOf(pod);
    // Never scheduled: neither a start nor a node, where the store tells nodes.
    if (this.#nodesAreKnown && pod.node === '' && startMs !== startMs && !pod.isUnmatched)
      return undefined;
    // Rejected: nothing of it ever ran.
    if (pod.status.isBornFailed && !pod.wasTaken) return undefined;
    const limits = this.#limits;
    limits.startMs = startMs;
    limits.intervalMs = this.#inventory.typicalIntervalMs(name.cluster);
    limits.status = pod.status;
    limits.deletionMs = pod.deletionSeconds.largest() * 1000;
    limits.scrapes = this.#inventory.scrapes.get(name.cluster);
    limits.goneBy = this.#ends.of(name.cluster, pod, next);
    const life = pod.presence.life(limits);
    const isKept = limits.onGrid ? mayOverlap : overlaps;
    if (life && isKept(life, this.#options)) this.#add(name, pod, life);
    return life;
  }

  #add(name: PodName, pod: Pod, life: Life): void {
    const under = this.#machineUnder(name.cluster, pod.node, life);
    const described = this.#describe(name, pod, life, under);
    const { capacityCores: cores, capacityRamBytes: ramBytes } = described;
    const room = { gpus: under.gpus, cores, ramBytes };
    if (!described.mayHaveRun) this.pods.push(described);
    const containers: Billed[] = [];
    pod.containers.forEach((facts, container) => {
      containers.push(billContainer(container, facts, life, room));
    });
    const reserved = withPodRequests(containers, name.requests, pod, life, room);
    for (const billed of billedBySize(under.facts?.kind ?? '', described.annotations, reserved))
      this.list.push({ pod: described, ...billed });
  }

  /** Pods of a namespace share its texts. */
  readonly #textsOf = (cluster: string, namespace: string): NamespaceTexts => {
    const { namespaceLabels, namespaceAnnotations } = this.#inventory;
    const key = joined(cluster, namespace);
    return {
      namespaceLabels: inOrderOfName(namespaceLabels.get(key)?.pairs ?? NO_TEXTS),
      namespaceAnnotations: inOrderOfName(namespaceAnnotations.get(key)?.pairs ?? NO_TEXTS),
    };
  };

  #machineUnder(cluster: string, node: string, { stretches }: Life): OfMachine {
    const [startMs, endMs] = [startOf(stretches), stretches.at(-1)?.endMs ?? 0];
    const facts = this.#inventory.machineIn(cluster, node, { startMs, endMs });
    const known = this.#ofMachines.get(facts);
    if (known) return known;
    const found = { facts, gpus: gpusOf(facts), machine: machineOf(facts) };
    this.#ofMachines.set(facts, found);
    return found;
  }

  #describe(name: PodName, pod: Pod, life: Life, { facts, machine }: OfMachine): PodLife {
    const inventory = this.#inventory;
    const { cluster, namespace } = name;
    const owner = controllerOf(inventory, name, pod.owner);
    const ownLabels = pod.labels?.pairs ?? NO_TEXTS;
    const capacity = facts?.capacity;
    const [startMs, endMs] = [startOf(life.stretches), life.stretches.at(-1)?.endMs ?? 0];
    const ofNamespace = this.#ofNamespaces.at(cluster, namespace, this.#textsOf);
    const prices = this.#nodes.pricesOf(cluster, pod.node, { startMs, endMs });
    return {
      cluster,
      node: pod.node,
      namespace,
      name: name.name,
      controllerKind: owner?.kind ?? '',
      controller: owner?.name ?? '',
      providerId: facts?.providerId ?? '',
      machine,
      labels: over(ofNamespace.namespaceLabels, ownLabels),
      annotations: over(ofNamespace.namespaceAnnotations, pod.annotations?.pairs ?? NO_TEXTS),
      namespaceLabels: ofNamespace.namespaceLabels,
      namespaceAnnotations: ofNamespace.namespaceAnnotations,
      services: this.#services.of(
        { cluster, namespace, name: name.name, address: pod.address, stretches: life.stretches },
        ownLabels,
      ),
      claims: pod.claims ?? NO_CLAIMS,
      isOnHostNetwork: pod.isOnHostNetwork,
      life,
      mayHaveRun: !overlaps(life, this.#options),
      prices: isSystemPod(facts?.kind ?? '', namespace)
        ? { ...NO_RUNS, source: prices.source }
        : prices,
      isRelabelled: isWithin(pod.labels?.changedMs ?? NaN, this.#options),
      capacityCores: mostOf(capacity?.cpu),
      capacityRamBytes: mostOf(capacity?.ram),
    };
  }
}

function unmatchedContainers(names: Iterable<string>): FewMap<Container> {
  const containers = new FewMap<Container>();
  for (const name of names) containers.set(name, emptyContainer(true));
  return containers;
}

function isWithin(
  atMs: number,
  { windowStartMs, windowEndMs }: Pick<WorkloadOptions, 'windowStartMs' | 'windowEndMs'>,
): boolean {
  return atMs > windowStartMs && atMs < windowEndMs;
}

/** Infinity where nothing above 0 is told. */
function mostOf(capacity: Runs | undefined): number {
  const most = capacity?.largest() ?? NaN;
  return most > 0 ? most : Infinity;
}

function hasNode(name: PodName): boolean {
  return [...name.byUid.values()].some((pod) => pod.node !== '');
}

export function overlaps(
  life: Life,
  options: Pick<WorkloadOptions, 'windowStartMs' | 'windowEndMs'>,
): boolean {
  return life.stretches.some(
    (s) => s.startMs < options.windowEndMs && s.endMs > options.windowStartMs,
  );
}

/** Whether it does if its start, its end or a gap is off by as much as it can be. */
function mayOverlap(
  { stretches, startUncertaintyMs, endUncertaintyMs }: Life,
  { windowStartMs, windowEndMs }: WorkloadOptions,
): boolean {
  const [first, last] = [stretches[0], stretches.at(-1)];
  return (
    first !== undefined &&
    last !== undefined &&
    first.startMs - startUncertaintyMs < windowEndMs &&
    last.endMs + endUncertaintyMs > windowStartMs
  );
}

export function inOrder(a: Workload, b: Workload): number {
  return (
    (a.pod === b.pod ? 0 : byName(a.pod, b.pod)) ||
    compare(a.container, b.container) ||
    startOf(a.stretches) - startOf(b.stretches)
  );
}

function podsInOrder(a: PodLife, b: PodLife): number {
  return byName(a, b) || startOf(a.life.stretches) - startOf(b.life.stretches);
}

function byName(a: PodLife, b: PodLife): number {
  return (
    compare(a.cluster, b.cluster) || compare(a.namespace, b.namespace) || compare(a.name, b.name)
  );
}

function startOf(stretches: readonly Stretch[]): number {
  return stretches[0]?.startMs ?? 0;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
