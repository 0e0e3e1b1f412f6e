/**
 * Who lived when, on which node, owned by whom, at what price: the inventory's facts decided.
 */
import type { PriceBook } from '../pricing/index.ts';
import { incarnations } from './incarnations.ts';
import type { Container, Inventory, Pod, PodName, Resource } from './inventory.ts';
import { joined } from './joined.ts';
import { inOrderOfName, NO_TEXTS, over, type NamedTexts } from './named-texts.ts';
import type { NodePricer, NodePrices } from './node-prices.ts';
import { PairMap } from './pair-map.ts';
import { controllerOf } from './owners.ts';
import type { Life, LifeLimits, Stretch } from './presence.ts';
import type { Runs } from './runs.ts';
import { serviceIndex, type ServiceIndex } from './services.ts';

/** Namespace, pod or container of what no pod can be charged with. */
export const UNMOUNTED = '__unmounted__';

/** One pod, with its life and all that its containers share. */
export interface PodLife {
  readonly cluster: string;
  readonly node: string;
  readonly namespace: string;
  readonly name: string;
  readonly controllerKind: string;
  readonly controller: string;
  readonly providerId: string;
  /** The pod's, and its namespace's where the pod has none of that name. */
  readonly labels: NamedTexts;
  readonly annotations: NamedTexts;
  readonly namespaceLabels: NamedTexts;
  readonly namespaceAnnotations: NamedTexts;
  /** Services that select it, in order of name. */
  readonly services: readonly string[];
  /** Keys of the claims it mounts. */
  readonly claims: ReadonlySet<string>;
  readonly life: Life;
  /** Its node's. */
  readonly prices: NodePrices;
}

/** One container of one pod; the unit that is billed. */
export interface Workload {
  readonly pod: PodLife;
  readonly container: string;
  /** Only usage names it. */
  readonly isStray: boolean;
  readonly stretches: readonly Stretch[];
  /** A counter of its usage stood at zero when the first stretch began. */
  readonly startsAtZero: boolean;
  /** Requests in units (core, byte, GPU) as pairs (fromMs, value). */
  readonly requests: Readonly<Record<Resource, readonly number[]>>;
  /** Of these no request is known: `requests` holds what OpenCost allocated, usage included. */
  readonly allocated: readonly Resource[];
}

const NO_CLAIMS: ReadonlySet<string> = new Set();

/** Step functions of nothing. */
export const NO_RUNS: PodLife['prices'] = { cpu: [], ram: [], gpu: [] };

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
    labels: [],
    annotations: [],
    namespaceLabels: [],
    namespaceAnnotations: [],
    services: [],
    claims: NO_CLAIMS,
    life,
    prices: NO_RUNS,
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
  /** In order of cluster, namespace, pod, container, start. */
  readonly list: readonly Workload[];
  /** In order of cluster, namespace, name, start. */
  readonly pods: readonly PodLife[];
  /** Pods whose samples have gaps longer than two lookbacks. */
  readonly podsWithGaps: number;
}

/** Decides the inventory. Only workloads that overlap the window are kept. */
export function decideWorkloads(
  inventory: Inventory,
  nodes: NodePricer,
  options: WorkloadOptions,
): Workloads {
  const decider = new Decider(inventory, nodes, options);
  // What is to be sorted is in order of name then: that comes to one look at each.
  for (const name of inventory.podsInOrder()) {
    for (const pod of incarnations(name, options.gapMs)) decider.decide(name, pod);
  }
  const { list, pods } = decider;
  return {
    list: list.sort(inOrder),
    pods: pods.sort(podsInOrder),
    podsWithGaps: pods.filter(({ life }) => life.stretches.length > 1).length,
  };
}

type NamespaceTexts = Pick<PodLife, 'namespaceLabels' | 'namespaceAnnotations'>;
type Mutable<Values> = { -readonly [Name in keyof Values]: Values[Name] };

class Decider {
  readonly list: Workload[] = [];
  readonly pods: PodLife[] = [];
  readonly #inventory: Inventory;
  readonly #options: WorkloadOptions;
  readonly #intervalMs: number;
  readonly #nodesAreKnown: boolean;
  readonly #nodes: NodePricer;
  readonly #services: ServiceIndex;
  /** One for all pods: what their own series tell is set before each is decided. */
  readonly #limits: Mutable<LifeLimits>;
  readonly #ofNamespaces: PairMap<NamespaceTexts> = new PairMap();
  readonly #providerIds: PairMap<string> = new PairMap();

  constructor(inventory: Inventory, nodes: NodePricer, options: WorkloadOptions) {
    this.#inventory = inventory;
    this.#nodes = nodes;
    this.#options = options;
    this.#intervalMs = inventory.typicalIntervalMs();
    this.#nodesAreKnown = inventory.pods.some(hasNode);
    this.#services = serviceIndex(inventory.selectors, inventory.endpoints);
    const { readStartMs, readEndMs, windowEndMs, gapMs, onGrid } = options;
    const ofAll = { readStartMs, readEndMs, windowEndMs, gapMs, onGrid };
    this.#limits = { ...ofAll, intervalMs: this.#intervalMs, startMs: NaN, completionMs: NaN };
  }

  decide(name: PodName, pod: Pod): void {
    const startMs = pod.startSeconds.smallest() * 1000;
    // Never scheduled: neither a start nor a node, where the store tells nodes.
    if (this.#nodesAreKnown && pod.node === '' && startMs !== startMs && !pod.isStray) return;
    this.#limits.startMs = startMs;
    this.#limits.completionMs = pod.completionSeconds.smallest() * 1000;
    const life = pod.presence.life(this.#limits);
    if (!life || !overlaps(life, this.#options)) return;
    const described = this.#describe(name, pod, life);
    this.pods.push(described);
    pod.containers.forEach((facts, container) => {
      const workload = billContainer(container, facts, described);
      if (workload) this.list.push(workload);
    });
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

  readonly #providerIdOf = (cluster: string, node: string): string =>
    this.#inventory.nodeOf(cluster, node)?.providerId ?? '';

  #describe(name: PodName, pod: Pod, life: Life): PodLife {
    const inventory = this.#inventory;
    const { cluster, namespace } = name;
    const owner = controllerOf(inventory, name, pod.owner);
    const ownLabels = pod.labels?.pairs ?? NO_TEXTS;
    const ofNamespace = this.#ofNamespaces.at(cluster, namespace, this.#textsOf);
    return {
      cluster,
      node: pod.node,
      namespace,
      name: name.name,
      controllerKind: owner?.kind ?? '',
      controller: owner?.name ?? '',
      providerId: this.#providerIds.at(cluster, pod.node, this.#providerIdOf),
      labels: over(ofNamespace.namespaceLabels, ownLabels),
      annotations: over(ofNamespace.namespaceAnnotations, pod.annotations?.pairs ?? NO_TEXTS),
      namespaceLabels: ofNamespace.namespaceLabels,
      namespaceAnnotations: ofNamespace.namespaceAnnotations,
      services: this.#services.of(
        { cluster, namespace, name: name.name, address: pod.address, stretches: life.stretches },
        ownLabels,
      ),
      claims: pod.claims ?? NO_CLAIMS,
      life,
      prices: this.#nodes.pricesOf(cluster, pod.node),
    };
  }
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

function billContainer(container: string, facts: Container, pod: PodLife): Workload | undefined {
  const { life } = pod;
  // A container that starts later than its pod, by its own state metric.
  const laterMs = facts.startMs === facts.startMs ? facts.startMs : -Infinity;
  const startsLater = laterMs > (life.stretches[0]?.startMs ?? Infinity);
  const stretches = startsLater ? from(life.stretches, laterMs) : life.stretches;
  if (stretches.length === 0) return undefined;
  return {
    pod,
    container,
    isStray: facts.isStray,
    stretches,
    startsAtZero: life.startIsKnown || startsLater,
    requests: {
      cpu: sourceOf(facts, 'cpu').merged(),
      ram: sourceOf(facts, 'ram').merged(),
      gpu: sourceOf(facts, 'gpu').merged(),
    },
    allocated: facts.allocated ? RESOURCE_NAMES.filter((name) => isAllocated(facts, name)) : NONE,
  };
}

const RESOURCE_NAMES: readonly Resource[] = ['cpu', 'ram', 'gpu'];

/** Of these OpenCost's allocation stands in for requests; shared by all without. */
const NONE: readonly Resource[] = [];

function isAllocated(facts: Container, resource: Resource): boolean {
  return sourceOf(facts, resource) !== facts.requests[resource];
}

/** Requests before what OpenCost says is allocated: that is sampled, and holds usage. */
function sourceOf({ requests, allocated }: Container, resource: Resource): Runs {
  const own = requests[resource];
  const other = allocated?.[resource];
  return own.isEmpty && other?.isEmpty === false ? other : own;
}

function from(stretches: readonly Stretch[], startMs: number): Stretch[] {
  return stretches
    .map((s) => ({ startMs: Math.max(s.startMs, startMs), endMs: s.endMs }))
    .filter((s) => s.startMs < s.endMs);
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
