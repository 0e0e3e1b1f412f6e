/** What a store shows that does not fit together: still charged, but told with the answer. */
import { FACTS } from '../../metrics/catalogue.ts';
import type { DisputedFact } from '../inventory/disputes.ts';
import type { Inventory, NodeFacts } from '../inventory/inventory.ts';
import { parts } from '../row/joined.ts';
import { PairMap } from '../inventory/pair-map.ts';
import { UNSEEN_MS, type Life, type Stretch } from '../inventory/presence.ts';
import { combined } from '../inventory/runs.ts';
import type { PodLife, Workload, WorkloadOptions } from './workloads.ts';

/** How many things have no owner, and what they cost: USD. */
interface OwnerlessSum {
  readonly count: number;
  readonly cost: number;
  readonly clusters: readonly string[];
  /** As warnings name assets. */
  readonly assets: readonly string[];
}

/** Sums of the window, and of each set of the ledger that has any. */
export interface Ownerless extends OwnerlessSum {
  readonly ofSets: readonly (OwnerlessSum & { readonly set: number })[];
}

/** By what they lack. */
export interface OwnerlessCharges {
  /** Volumes that neither a claim held nor a pod mounted. */
  readonly unclaimedVolumes: Ownerless;
  /** Volumes of storage classes without a list price, at the price of the book. */
  readonly unlistedVolumes: Ownerless;
  /** Volumes that claims held and no pod mounted. */
  readonly unmountedVolumes: Ownerless;
  /** Directories of NFS servers: each server is charged once. */
  readonly servedVolumes: Ownerless;
  /** Load balancers whose service has no pods. */
  readonly unservedBalancers: Ownerless;
}

export interface Anomalies extends OwnerlessCharges {
  /** Nodes that were gone before pods on them were: `cluster/node`, in order. */
  readonly outlivedNodes: readonly string[];
  /** Claims that pods mount and that no volume is known of: `cluster/namespace/claim`, in order. */
  readonly unboundClaims: readonly string[];
  /** Pods that had one name at the same time, as pods of one cluster cannot: `cluster/namespace/pod`, in order. */
  readonly sameNames: readonly string[];
  /** Pods whose labels changed in the window, and their clusters. */
  readonly relabelledPods: number;
  readonly relabelledIn: readonly string[];
  /** Pods, nodes, volumes and load balancers that several exporters tell of at once. */
  readonly doubled: number;
  /** Prices and sizes that series contradict each other about, the most expensive first. */
  readonly disputes: readonly DisputedFact[];
  /** Metrics with series that name no cluster, where others name another than the default. */
  readonly unlabelled: readonly string[];
  /** Nodes that only prices name, where another cluster has pods and a node of that name: `cluster/node`, in order. */
  readonly strayPrices: readonly string[];
}

const PRICE = FACTS.nodeCpuPrice.selection.metric;

/** Times in which samples are missing, and what is not charged for them. */
export interface Gaps {
  readonly count: number;
  readonly hours: number;
  readonly usd: number;
  /** Nodes concerned: `cluster/node`, in order. */
  readonly nodes: readonly string[];
}

/** Gaps of the window, and of each set that has any. */
export interface GapsOfSets extends Gaps {
  readonly ofSets: readonly (Gaps & { readonly set: number })[];
}

const HOUR_MS = 3_600_000;
const NO_GAPS: GapsOfSets = { count: 0, hours: 0, usd: 0, nodes: [], ofSets: [] };

/**
 * Gaps between stretches of lives, in sets between the bounds. What is not charged is what was requested.
 * @param workloads containers of pods, or nodes
 */
export function gapsOf(workloads: readonly Workload[], setsMs: readonly number[]): GapsOfSets {
  const lacking = workloads.filter(({ pod }) => pod.life.stretches.length > 1);
  const within = (startMs: number, endMs: number): Gaps => {
    const hours = new Map<PodLife, number>();
    const nodes = new Set<string>();
    let usd = 0;
    for (const { pod, requests } of lacking)
      for (const gap of gapsIn(pod.life.stretches, startMs, endMs)) {
        nodes.add(`${pod.cluster}/${pod.node}`);
        if (hours.get(pod) === undefined)
          hours.set(pod, gapHours(pod.life.stretches, startMs, endMs));
        for (const resource of ['cpu', 'ram', 'gpu'] as const)
          usd += integral(requests[resource], pod.prices[resource], gap);
      }
    const allHours = [...hours.values()].reduce((sum, own) => sum + own, 0);
    return { count: hours.size, hours: allHours, usd, nodes: [...nodes].sort() };
  };
  if (lacking.length === 0) return NO_GAPS;
  const ofSets = setsMs
    .slice(1)
    .map((endMs, set) => ({ set, ...within(setsMs[set] ?? endMs, endMs) }));
  const all = within(setsMs[0] ?? 0, setsMs.at(-1) ?? 0);
  return { ...all, ofSets: ofSets.filter(({ count }) => count > 0) };
}

function gapsIn(stretches: readonly Stretch[], startMs: number, endMs: number): Stretch[] {
  return stretches.slice(1).flatMap((after, i) => {
    const gap = {
      startMs: Math.max(startMs, stretches[i]?.endMs ?? Infinity),
      endMs: Math.min(endMs, after.startMs),
    };
    return gap.startMs < gap.endMs ? [gap] : [];
  });
}

function gapHours(stretches: readonly Stretch[], startMs: number, endMs: number): number {
  const ms = gapsIn(stretches, startMs, endMs).reduce(
    (sum, gap) => sum + gap.endMs - gap.startMs,
    0,
  );
  return ms / HOUR_MS;
}

/** @param amounts and prices an hour, as pairs (fromMs, value) */
function integral(amounts: readonly number[], prices: readonly number[], gap: Stretch): number {
  const pairs = combined([amounts, prices], ([amount = 0, price = 0]) => amount * price);
  let usd = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    const fromMs = i === 0 ? gap.startMs : Math.max(gap.startMs, pairs[i] ?? NaN);
    const toMs = Math.min(gap.endMs, pairs[i + 2] ?? Infinity);
    if (fromMs < toMs) usd += ((pairs[i + 1] ?? 0) * (toMs - fromMs)) / HOUR_MS;
  }
  return usd;
}

const NO_NODE = { lastMs: -Infinity, presence: undefined };
const NONE: Ownerless = { count: 0, cost: 0, clusters: [], assets: [], ofSets: [] };

export const NOTHING_OWNERLESS: OwnerlessCharges = {
  unclaimedVolumes: NONE,
  unlistedVolumes: NONE,
  unmountedVolumes: NONE,
  servedVolumes: NONE,
  unservedBalancers: NONE,
};

/** What single things cost in each set, USD. */
export type SpentBySet = Map<number, Map<number, number>>;

export function spend(spent: SpentBySet, thing: number, set: number, usd: number): void {
  const bySet = spent.get(thing) ?? new Map<number, number>();
  spent.set(thing, bySet);
  bySet.set(set, (bySet.get(set) ?? 0) + usd);
}

/** What is charged for: `name` is that of its asset. */
interface Thing {
  readonly cluster: string;
  readonly name: string;
}

/** @param things by their number, as in `spent` @param type of their assets */
export function ownerless(
  spent: SpentBySet,
  things: readonly Thing[],
  type: 'Disk' | 'LoadBalancer',
): Ownerless {
  const all = new OwnerlessThings();
  const bySet = new Map<number, OwnerlessThings>();
  for (const [place, costs] of spent) {
    const { cluster = '', name = '' } = things[place] ?? {};
    const asset = `${type}/${cluster}/${name}`;
    let cost = 0;
    for (const [set, usd] of costs) {
      const sum = bySet.get(set) ?? new OwnerlessThings();
      bySet.set(set, sum);
      sum.add(cluster, asset, usd);
      cost += usd;
    }
    all.add(cluster, asset, cost);
  }
  const ofSets = [...bySet].map(([set, { sum }]) => ({ set, ...sum }));
  return { ...all.sum, ofSets };
}

class OwnerlessThings {
  readonly #clusters: Set<string> = new Set();
  readonly #assets: string[] = [];
  #cost = 0;

  get sum(): OwnerlessSum {
    const clusters = [...this.#clusters].sort();
    return { count: this.#assets.length, cost: this.#cost, clusters, assets: this.#assets };
  }

  add(cluster: string, asset: string, usd: number): void {
    this.#clusters.add(cluster);
    this.#assets.push(asset);
    this.#cost += usd;
  }
}

export function anomaliesOf(
  inventory: Inventory,
  pods: readonly PodLife[],
  charges: OwnerlessCharges,
  outlived: OutlivedNodes,
): Anomalies {
  const relabelled = pods.filter(({ isRelabelled }) => isRelabelled);
  return {
    ...charges,
    outlivedNodes: outlived.nodes,
    unboundClaims: unboundClaims(inventory, pods),
    sameNames: sameNames(pods),
    relabelledPods: relabelled.length,
    relabelledIn: [...new Set(relabelled.map(({ cluster }) => cluster))].sort(),
    doubled: inventory.doubled,
    disputes: inventory.disputes.toSorted((a, b) => b.usd - a.usd),
    unlabelled: inventory.namesOtherCluster ? [...inventory.unlabelled] : [],
    strayPrices: strayPrices(inventory),
  };
}

/** @param pods in order of cluster, namespace, name, start */
function sameNames(pods: readonly PodLife[]): string[] {
  const names = new Set<string>();
  pods.forEach((pod, i) => {
    const before = pods[i - 1];
    const isOfName =
      before?.name === pod.name &&
      before.namespace === pod.namespace &&
      before.cluster === pod.cluster;
    if (isOfName && bothMs(before.life, pod.life) > UNSEEN_MS)
      names.add(`${pod.cluster}/${pod.namespace}/${pod.name}`);
  });
  return [...names];
}

function bothMs({ stretches: one }: Life, { stretches: other }: Life): number {
  const startMs = Math.max(one[0]?.startMs ?? Infinity, other[0]?.startMs ?? Infinity);
  return Math.min(one.at(-1)?.endMs ?? -Infinity, other.at(-1)?.endMs ?? -Infinity) - startMs;
}

/** Prices without a cluster are in `unlabelled`. */
function strayPrices(inventory: Inventory): string[] {
  const nodes = [...inventory.nodes.values()];
  const isPriced = ({ cpu, ram }: NodeFacts): boolean => !cpu.isEmpty || !ram.isEmpty;
  const stray = nodes.filter(
    (node) =>
      isPriced(node) && node.capacity.cpu.isEmpty && !inventory.hasPods(node.cluster) &&
      !inventory.unlabelled.has(PRICE),
  ); // prettier-ignore
  if (stray.length === 0) return [];
  const unpriced = new Set(
    nodes.flatMap((node) =>
      !isPriced(node) && inventory.hasPods(node.cluster) ? [node.name] : [],
    ),
  );
  return stray
    .filter(({ name }) => unpriced.has(name))
    .map(({ cluster, name }) => `${cluster}/${name}`)
    .sort();
}

/** Nodes that pods outlived, as `cluster/node` in order, and these pods. */
export interface OutlivedNodes {
  readonly nodes: readonly string[];
  readonly pods: ReadonlySet<PodLife>;
}

/** A node that is gone tells nothing any more, but its pods are told of until they are removed. */
export function outlivedNodes(
  inventory: Inventory,
  lives: readonly PodLife[],
  { windowStartMs, windowEndMs, readEndMs, gapMs }: WorkloadOptions,
): OutlivedNodes {
  const untilMs = Math.min(windowEndMs, readEndMs);
  const outlived = new Set<string>();
  const pods = new Set<PodLife>();
  const lastSeenMs = new PairMap<number>();
  // A node whose samples are far apart is seen later than its pods end.
  const lastMsOf = (cluster: string, node: string): number => {
    const { lastMs, presence } = inventory.nodeOf(cluster, node) ?? NO_NODE;
    return lastMs + Math.max(0, (presence?.gapMs ?? gapMs) - gapMs);
  };
  for (const pod of lives) {
    const { cluster, node, life } = pod;
    const lastMs = lastSeenMs.at(cluster, node, lastMsOf);
    const endMs = Math.min(untilMs, life.stretches.at(-1)?.endMs ?? -Infinity);
    if (!(lastMs >= windowStartMs && endMs > lastMs + gapMs)) continue;
    outlived.add(`${cluster}/${node}`);
    pods.add(pod);
  }
  return { nodes: [...outlived].sort(), pods };
}

function unboundClaims({ claims }: Inventory, pods: readonly PodLife[]): string[] {
  const mounted = new Set<string>();
  for (const pod of pods) for (const key of pod.claims) mounted.add(key);
  const unbound = [...mounted].filter((key) => (claims.get(key)?.byVolume.size ?? 0) === 0);
  return unbound.map((key) => parts(key).join('/')).sort();
}
