/**
 * Who lived when, on which node, owned by whom, at what price: the inventory's facts decided.
 */
import { BYTES_PER_GIB, type PriceBook } from '../pricing/index.ts';
import {
  emptyContainer,
  joined,
  type Container,
  type Inventory,
  type NodeFacts,
  type Owner,
  type Pod,
  type PodName,
  type Resource,
} from './inventory.ts';
import { Presence, type EndSource, type Life, type Stretch } from './presence.ts';
import { Runs } from './runs.ts';

/** One container of one pod, with its life; the unit that is billed. */
export interface Workload {
  readonly cluster: string;
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Only usage names it. */
  readonly isStray: boolean;
  readonly controllerKind: string;
  readonly controller: string;
  /** Pairs in order of name. */
  readonly labels: readonly (readonly [string, string])[];
  readonly stretches: readonly Stretch[];
  /** A counter of its usage stood at zero when the first stretch began. */
  readonly startsAtZero: boolean;
  readonly endSource: EndSource;
  readonly endUncertaintyMs: number;
  /** Requests and prices an hour and unit (core, byte, GPU) as pairs (fromMs, value). */
  readonly requests: Readonly<Record<Resource, readonly number[]>>;
  readonly prices: Readonly<Record<Resource, readonly number[]>>;
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
  /** Pods whose samples have gaps longer than two lookbacks. */
  readonly podsWithGaps: number;
}

/** Decides the inventory. Only workloads that overlap the window are kept. */
export function decideWorkloads(inventory: Inventory, options: WorkloadOptions): Workloads {
  const intervalMs = inventory.typicalIntervalMs();
  const nodesAreKnown = [...inventory.pods.values()].some(hasNode);
  const prices = new Map<string, Workload['prices']>();
  const list: Workload[] = [];
  let podsWithGaps = 0;
  for (const name of inventory.pods.values()) {
    for (const pod of incarnations(name, options.gapMs)) {
      const startMs = pod.startSeconds.smallest() * 1000;
      // Never scheduled: neither a start nor a node, where the store tells nodes.
      if (nodesAreKnown && pod.node === '' && startMs !== startMs && !pod.isStray) continue;
      const life = pod.presence.life({
        ...options,
        intervalMs,
        startMs,
        completionMs: pod.completionSeconds.smallest() * 1000,
      });
      if (!life || !overlaps(life, options)) continue;
      if (life.stretches.length > 1) podsWithGaps++;
      const nodeKey = joined(name.cluster, pod.node);
      const nodePrices =
        prices.get(nodeKey) ?? priceNode(inventory.nodes.get(nodeKey), options.book);
      prices.set(nodeKey, nodePrices);
      const shared = { ...describe(inventory, name, pod), prices: nodePrices };
      for (const [container, facts] of pod.containers) {
        const workload = billContainer(container, facts, life, shared);
        if (workload) list.push(workload);
      }
    }
  }
  return { list: list.sort(inOrder), podsWithGaps };
}

function hasNode(name: PodName): boolean {
  return [...name.byUid.values()].some((pod) => pod.node !== '');
}

function overlaps(life: Life, options: WorkloadOptions): boolean {
  return life.stretches.some(
    (s) => s.startMs < options.windowEndMs && s.endMs > options.windowStartMs,
  );
}

/**
 * The pods behind one name. Facts that came without a uid belong to the pod that has one; where no
 * fact has a uid, a changed start time tells one pod from the next.
 */
function incarnations(name: PodName, gapMs: number): Iterable<Pod> {
  const loose = name.byUid.get('');
  if (!loose) return name.byUid.values();
  if (name.byUid.size === 1) return splitByStart(loose, gapMs);
  const pods = [...name.byUid.values()].filter((pod) => pod !== loose);
  for (const pod of pods) adopt(pod, loose, pods.length === 1);
  return pods;
}

/** @param isOnly the loose facts can be of no other pod, so its presence counts too */
function adopt(pod: Pod, loose: Pod, isOnly: boolean): void {
  pod.node ||= loose.node;
  pod.owner ??= loose.owner;
  pod.labels ??= loose.labels;
  if (isOnly) {
    pod.presence.absorb(loose.presence);
    if (pod.startSeconds.isEmpty) pod.startSeconds.add(loose.startSeconds.merged());
    if (pod.completionSeconds.isEmpty) pod.completionSeconds.add(loose.completionSeconds.merged());
  }
  for (const [container, facts] of loose.containers) {
    const own = pod.containers.get(container) ?? emptyContainer(facts.isStray);
    pod.containers.set(container, own);
    for (const resource of ['cpu', 'ram', 'gpu'] as const) {
      if (own.requests[resource].isEmpty)
        own.requests[resource].add(facts.requests[resource].merged());
    }
    if (isOnly && own.startMs !== own.startMs) own.startMs = facts.startMs;
  }
}

function splitByStart(pod: Pod, gapMs: number): Pod[] {
  const starts = pod.startSeconds.merged();
  if (starts.length <= 2) return [pod];
  const completions = pod.completionSeconds.merged();
  const pods: Pod[] = [];
  for (let i = 0; i < starts.length; i += 2) {
    const fromMs = starts[i] ?? NaN;
    const untilMs = starts[i + 2] ?? Infinity;
    const presence = new Presence(gapMs);
    presence.absorb(pod.presence, i === 0 ? -Infinity : fromMs, untilMs);
    pods.push({
      ...pod,
      presence,
      startSeconds: runsOf([fromMs, starts[i + 1] ?? NaN]),
      completionSeconds: runsOf(slice(completions, fromMs, untilMs)),
    });
  }
  return pods;
}

function runsOf(pairs: readonly number[]): Runs {
  const runs = new Runs();
  runs.add(pairs);
  return runs;
}

function slice(pairs: readonly number[], fromMs: number, untilMs: number): number[] {
  const inside: number[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const at = pairs[i] ?? NaN;
    if (at >= fromMs && at < untilMs) inside.push(at, pairs[i + 1] ?? NaN);
  }
  return inside;
}

type Shared = Pick<
  Workload,
  'cluster' | 'node' | 'namespace' | 'pod' | 'controllerKind' | 'controller' | 'labels' | 'prices'
>;

function describe(inventory: Inventory, name: PodName, pod: Pod): Omit<Shared, 'prices'> {
  const owner = controllerOf(inventory, name, pod.owner);
  return {
    cluster: name.cluster,
    node: pod.node,
    namespace: name.namespace,
    pod: name.name,
    controllerKind: owner?.kind ?? '',
    controller: owner?.name ?? '',
    labels: pod.labels?.pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)) ?? [],
  };
}

/** Names of jobs that a CronJob made: its name, then a time in seconds or minutes. */
const CRON_JOB = /^(.+)-(?:\d{10}|\d{8})$/;

/**
 * The controller a user knows: a replica set's deployment, a job's cron job (its kind stays `job`,
 * as the peers have it).
 */
function controllerOf(inventory: Inventory, name: PodName, owner: Owner | undefined) {
  if (!owner) return undefined;
  const key = joined(name.cluster, name.namespace, owner.name);
  if (owner.kind === 'replicaset') return inventory.replicaSetOwners.get(key) ?? owner;
  if (owner.kind !== 'job') return owner;
  const cronJob = inventory.jobOwners.get(key)?.name ?? CRON_JOB.exec(owner.name)?.[1];
  return { kind: 'job', name: cronJob ?? owner.name };
}

function billContainer(
  container: string,
  facts: Container,
  life: Life,
  shared: Shared,
): Workload | undefined {
  // A container that starts later than its pod, by its own state metric.
  const laterMs = facts.startMs === facts.startMs ? facts.startMs : -Infinity;
  const stretches = life.stretches
    .map((s) => ({ startMs: Math.max(s.startMs, laterMs), endMs: s.endMs }))
    .filter((s) => s.startMs < s.endMs);
  if (stretches.length === 0) return undefined;
  const startsLater = laterMs > (life.stretches[0]?.startMs ?? Infinity);
  return {
    ...shared,
    container,
    isStray: facts.isStray,
    stretches,
    startsAtZero: life.startIsKnown || startsLater,
    endSource: life.endSource,
    endUncertaintyMs: life.endUncertaintyMs,
    requests: {
      cpu: facts.requests.cpu.merged(),
      ram: facts.requests.ram.merged(),
      gpu: facts.requests.gpu.merged(),
    },
  };
}

/** A node's prices over time; where it has none, the book's, by whether it is a spot node. */
function priceNode(node: NodeFacts | undefined, book: PriceBook): Workload['prices'] {
  const spot = node?.isSpot.merged() ?? [];
  const isSpot = spot.at(-1) === 1;
  const cpu = isSpot ? book.spotCpuCoreHour : book.cpuCoreHour;
  const ram = isSpot ? book.spotRamGiBHour : book.ramGiBHour;
  return {
    cpu: orDefault(node?.cpu, cpu, true),
    ram: orDefault(node?.ram, ram, true).map((v, i) => (i % 2 === 1 ? v / BYTES_PER_GIB : v)),
    gpu: orDefault(node?.gpu, book.gpuHour, false),
  };
}

/** @param zeroIsUnknown a price of 0 means that the exporter had none (CPU and RAM are never free) */
function orDefault(
  runs: Runs | undefined,
  price: number,
  zeroIsUnknown: boolean,
): readonly number[] {
  const pairs = runs?.merged() ?? [];
  if (pairs.length === 0) return [0, price];
  return pairs.map((v, i) => (i % 2 === 1 && (v < 0 || (zeroIsUnknown && v === 0)) ? price : v));
}

function inOrder(a: Workload, b: Workload): number {
  return (
    compare(a.cluster, b.cluster) ||
    compare(a.namespace, b.namespace) ||
    compare(a.pod, b.pod) ||
    compare(a.container, b.container) ||
    (a.stretches[0]?.startMs ?? 0) - (b.stretches[0]?.startMs ?? 0)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
