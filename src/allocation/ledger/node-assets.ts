/**
 * Nodes as assets: what they cost is capacity × price over the time they existed. They are laid as
 * workloads whose request is the node's capacity, so that the same meter, with the same rules for
 * lives, grids and prices, integrates them and what is allocated on them.
 */
import type { Inventory, NodeFacts, Resource } from '../inventory/inventory.ts';
import { joined } from '../row/joined.ts';
import type { NodePricer } from '../inventory/node-prices.ts';
import { PairMap } from '../inventory/pair-map.ts';
import { machineLife, machineOf } from './machine.ts';
import { IDLE } from '../row/row-kinds.ts';
import type { Runs } from '../inventory/runs.ts';
import { valueAt } from './bill-container.ts';
import { bareLife, overlaps, type Workload, type WorkloadOptions } from './workloads.ts';

export interface NodeAssets {
  /** In order of cluster and node. */
  readonly list: readonly Workload[];
  /** Nodes of the window, as `cluster/node`, whose capacity of CPU or RAM the store does not tell. */
  readonly unknown: readonly string[];
}

export const NO_NODES: NodeAssets = { list: [], unknown: [] };

/** @param workloads tell nodes that no series of their own shows */
export function nodeAssets(
  inventory: Inventory,
  prices: NodePricer,
  workloads: readonly Workload[],
  options: WorkloadOptions,
): NodeAssets {
  const list: Workload[] = [];
  const unknown = new Set<string>();
  const byNode = new PairMap<Workload[]>();
  for (const workload of workloads)
    byNode.at(workload.pod.cluster, workload.pod.node, () => []).push(workload);
  for (const node of inventory.allMachines) {
    const life = machineLife(node, {
      ...options,
      intervalMs: inventory.typicalIntervalMs(node.cluster),
      startMs: node.createdSeconds.smallest() * 1000,
    });
    if (!life || !overlaps(life, options)) continue;
    const { cluster, name, capacity } = node;
    if (node.kind !== '') {
      const own = prices.pricesOfMachine(node);
      const pods = byNode.at(cluster, name, () => []).filter(({ pod }) => pod.prices === own);
      list.push(assetOf(node, life, prices, sizesOf(pods)));
    } else if (isKnown(node)) {
      list.push(
        assetOf(node, life, prices, {
          cpu: believed(capacity.cpu, UNITS_MAX, 'some'),
          ram: believed(capacity.ram, RAM_BYTES_MAX, 'some'),
          gpu: believed(capacity.gpu, UNITS_MAX),
        }),
      );
    } else unknown.add(`${node.cluster}/${node.name}`);
  }
  const known = new PairMap<true>();
  for (const { pod } of list) known.set(pod.cluster, pod.node, true);
  for (const { pod } of workloads) {
    const isTold = pod.node === '' || known.get(pod.cluster, pod.node);
    if (!isTold) unknown.add(`${pod.cluster}/${pod.node}`);
  }
  return { list: list.sort(byName), unknown: [...unknown].sort() };
}

/** A node without GPUs has no series of them. */
function isKnown({ capacity }: NodeFacts): boolean {
  return !capacity.cpu.isEmpty && !capacity.ram.isEmpty;
}

/** A node that is billed by its pods has what they have, and nothing idle. */
function sizesOf(pods: readonly Workload[]): Workload['requests'] {
  const changes = new Map<number, { readonly come: Workload[]; readonly gone: Workload[] }>();
  const changeAt = (atMs: number): { come: Workload[]; gone: Workload[] } => {
    const change = changes.get(atMs) ?? { come: [], gone: [] };
    changes.set(atMs, change);
    return change;
  };
  for (const pod of pods) {
    for (const { startMs, endMs } of pod.stretches) {
      changeAt(startMs).come.push(pod);
      changeAt(endMs).gone.push(pod);
    }
    for (const pairs of Object.values<readonly number[]>(pod.requests))
      for (let i = 0; i < pairs.length; i += 2) changeAt(pairs[i] ?? NaN);
  }
  const sizes: Record<Resource, number[]> = { cpu: [], ram: [], gpu: [] };
  const there = new Set<Workload>();
  for (const [atMs, { come, gone }] of [...changes].sort(([some], [other]) => some - other)) {
    for (const pod of gone) there.delete(pod);
    for (const pod of come) there.add(pod);
    for (const resource of ['cpu', 'ram', 'gpu'] as const) {
      let size = 0;
      for (const { requests } of there) size += valueAt(requests[resource], atMs);
      sizes[resource].push(atMs, size);
    }
  }
  return sizes;
}

function assetOf(
  facts: NodeFacts,
  life: Workload['pod']['life'],
  prices: NodePricer,
  requests: Workload['requests'],
): Workload {
  const { cluster, name, providerId } = facts;
  const machine = machineOf(facts);
  const own = { node: name, providerId, machine, prices: prices.pricesOfMachine(facts) };
  const pod = { ...bareLife(cluster, life), ...own };
  return {
    pod,
    container: IDLE,
    isUnmatched: false,
    stretches: life.stretches,
    allocated: [],
    gpuPart: 1,
    shares: [],
    isDoubted: false,
    isSized: false,
    zeroMs: NaN,
    requests,
  };
}

/** No machine has so many cores or GPUs, or so much memory. */
const UNITS_MAX = 100_000;
const RAM_BYTES_MAX = 2 ** 50;

/** Pairs (fromMs, value) without those that no machine has: the value before holds. */
function believed(runs: Runs, most: number, least?: 'some'): readonly number[] {
  const pairs = runs.merged();
  const isBelieved = (value: number): boolean =>
    (least === 'some' ? value > 0 : value >= 0) && value <= most;
  return pairs.filter((_, i) => isBelieved(pairs[i | 1] ?? NaN));
}

function byName({ pod: a }: Workload, { pod: b }: Workload): number {
  const [left, right] = [joined(a.cluster, a.node), joined(b.cluster, b.node)];
  const startOf = ({ life }: typeof a): number => life.stretches[0]?.startMs ?? 0;
  return left === right ? startOf(a) - startOf(b) : left < right ? -1 : 1;
}
