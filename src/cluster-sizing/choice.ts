/** A choice of nodes, and how far from the optimum it can be. */
import type { Demand, PodSizes } from './demand.ts';
import type { Machine } from './machine.ts';
import { pack } from './pack.ts';

export interface NodePool {
  readonly machine: Machine;
  readonly count: number;
}

export interface Choice {
  /** At least one pool; each machine in one pool only. */
  readonly pools: readonly NodePool[];
  readonly usdPerHour: number;
  /** A lower bound on the cost of any choice of this kind that holds the pods. */
  readonly usdPerHourBound: number;
}

/** Smaller gaps are below the resolution of prices and count as 0. */
const GAP_LEAST = 1e-7;

/** The part of its cost that an optimal choice might save; 0: it is optimal. */
export function gapOf({ usdPerHour: usd, usdPerHourBound }: Choice): number {
  const gap = usd > 0 ? (usd - usdPerHourBound) / usd : 0;
  return gap > GAP_LEAST ? gap : 0;
}

export function usdPerHour(pools: readonly NodePool[]): number {
  return pools.reduce((sum, { machine, count }) => sum + count * machine.type.usdPerHour, 0);
}

/** One entry for each node. */
export function nodesOf(pools: readonly NodePool[]): Machine[] {
  return pools.flatMap(({ machine, count }) => Array.from({ length: count }, () => machine));
}

/** The number of nodes of one machine that hold the pods of each moment, at least `count`. */
export function packedCount(machine: Machine, count: number, demand: Demand): number {
  const nodes = nodesOf([{ machine, count }]);
  const packed = demand.moments.map((pods) => countFor(pods, machine, nodes, demand));
  return Math.max(count, ...packed);
}

/**
 * Packing that adds nodes as it goes finds a count. Packing that starts with all of them may fill them
 * differently and need more.
 * @returns Infinity where a pod is too large for such a node
 */
function countFor(
  pods: PodSizes,
  machine: Machine,
  nodes: readonly Machine[],
  demand: Demand,
): number {
  const grown = pack(pods, nodes, demand, machine);
  if (grown.nodeOf.includes(-1)) return Infinity;
  const all = [...grown.nodes];
  while (pack(pods, all, demand).nodeOf.includes(-1)) all.push(machine);
  return all.length;
}
