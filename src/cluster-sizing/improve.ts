/** Makes a choice cheaper step by step, as long as the pods fit. */
import { nodesOf, usdPerHour, type NodePool } from './choice.ts';
import { RESOURCES, type Demand } from './demand.ts';
import type { Machine } from './machine.ts';
import { pack } from './pack.ts';
import { shortage, type Requirement } from './requirements.ts';

interface Task {
  readonly machines: readonly Machine[];
  readonly demand: Demand;
  readonly rows: readonly Requirement[];
  readonly kindsMax: number;
}

/**
 * Removes a node or replaces it by a cheaper one, whichever saves most, as long as the pods fit. It
 * helps where packing needs more nodes than the sums do.
 * @param pools pools that meet all rows and hold the pods
 * @param comparisonsMax it ends when so many pairs of a pod and a node have been compared
 */
export function improve(
  pools: readonly NodePool[],
  task: Task,
  comparisonsMax: number,
): readonly NodePool[] {
  let best = pools;
  let left = comparisonsMax;
  for (;;) {
    const better = cheaper(best, task).find((fewer) => {
      if (left <= 0 || !meetsRows(fewer, task)) return false;
      const nodes = nodesOf(fewer);
      left -= podCount(task.demand) * nodes.length;
      return hasPlaces(nodes, task.demand);
    });
    if (better === undefined) return best;
    best = better;
  }
}

/** The cheapest first. */
function cheaper(pools: readonly NodePool[], { machines, kindsMax }: Task): NodePool[][] {
  const changed = pools.flatMap(({ machine }) => {
    const usd = machine.type.usdPerHour;
    const without = changedBy(pools, machine, -1);
    const others = machines.filter(({ type }) => type.usdPerHour < usd);
    return [without, ...others.map((other) => changedBy(without, other, 1))];
  });
  return changed
    .filter(({ length }) => length > 0 && length <= kindsMax)
    .map((one) => ({ one, usd: usdPerHour(one) }))
    .sort((a, b) => a.usd - b.usd)
    .map(({ one }) => one);
}

function changedBy(pools: readonly NodePool[], machine: Machine, by: number): NodePool[] {
  const known = pools.some((pool) => pool.machine === machine);
  const all = known ? pools : [...pools, { machine, count: 0 }];
  return all
    .map((pool) => (pool.machine === machine ? { machine, count: pool.count + by } : pool))
    .filter(({ count }) => count > 0);
}

function meetsRows(pools: readonly NodePool[], { rows }: Task): boolean {
  const machines = pools.map(({ machine }) => machine);
  const counts = pools.map(({ count }) => count);
  return rows.every((row) => shortage(row, machines, counts) <= 0);
}

function hasPlaces(nodes: readonly Machine[], demand: Demand): boolean {
  return demand.moments.every((pods) => !pack(pods, nodes, demand).nodeOf.includes(-1));
}

/** The pods of all moments. */
function podCount({ moments }: Demand): number {
  return moments.reduce((count, pods) => count + pods.length / RESOURCES.length, 0);
}
