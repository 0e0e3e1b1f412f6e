/** Nodes that were chosen, and how sure it is that none cheaper would do. */
import type { Demand, PodSizes } from './demand.ts';
import type { Machine } from './machine.ts';
import { pack } from './pack.ts';

export interface NodePool {
  readonly machine: Machine;
  readonly count: number;
}

export interface Choice {
  /** At least one; no machine twice. */
  readonly pools: readonly NodePool[];
  readonly usdPerHour: number;
  /** No choice of this kind that holds the pods costs less. */
  readonly usdPerHourBound: number;
}

/** A gap that no price resolves is none. */
const GAP_LEAST = 1e-7;

/** By what part of its cost the best choice may be cheaper; 0: it is the best. */
export function gapOf({ usdPerHour: usd, usdPerHourBound }: Choice): number {
  const gap = usd > 0 ? (usd - usdPerHourBound) / usd : 0;
  return gap > GAP_LEAST ? gap : 0;
}

export function usdPerHour(pools: readonly NodePool[]): number {
  return pools.reduce((sum, { machine, count }) => sum + count * machine.type.usdPerHour, 0);
}

/** One entry a node. */
export function nodesOf(pools: readonly NodePool[]): Machine[] {
  return pools.flatMap(({ machine, count }) => Array.from({ length: count }, () => machine));
}

/** Nodes of one machine that hold the pods of all moments, at least `count`. */
export function packedCount(machine: Machine, count: number, demand: Demand): number {
  const nodes = nodesOf([{ machine, count }]);
  const packed = demand.moments.map((pods) => countFor(pods, machine, nodes, demand));
  return Math.max(count, ...packed);
}

/**
 * Growing finds a count; so many nodes from the start may be filled otherwise, and then need more.
 * @returns Infinity where a pod has room on no such node
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
