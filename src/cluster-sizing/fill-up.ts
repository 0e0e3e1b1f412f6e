/** Adds nodes until the pods fit. */
import { nodesOf, packedCount, usdPerHour, type NodePool } from './choice.ts';
import type { Demand, PodSizes } from './demand.ts';
import type { Machine } from './machine.ts';
import { leftOver, pack } from './pack.ts';

/**
 * Pods that are left over get nodes of the one machine that holds them all at the lowest cost; then all
 * pods are packed again, as the order of the nodes has changed.
 * @returns the same pools if all pods fit; undefined if some fit on no machine that may be added
 */
export function fillUp(
  pools: readonly NodePool[],
  machines: readonly Machine[],
  demand: Demand,
  kindsMax: number,
): readonly NodePool[] | undefined {
  for (const pods of demand.moments) {
    const left = leftOver(pods, pack(pods, nodesOf(pools), demand));
    if (left.length === 0) continue;
    const allowed = pools.length < kindsMax ? machines : pools.map(({ machine }) => machine);
    const more = cheapestFor(left, allowed, demand);
    return more && fillUp(add(pools, more), machines, demand, kindsMax);
  }
  return pools;
}

function cheapestFor(
  left: PodSizes,
  machines: readonly Machine[],
  demand: Demand,
): NodePool | undefined {
  const alone = { ...demand, moments: [left] };
  return machines
    .map((machine): NodePool => ({ machine, count: packedCount(machine, 0, alone) }))
    .filter(({ count }) => count < Infinity)
    .reduce<NodePool | undefined>(
      (best, one) => (best && usdPerHour([best]) <= usdPerHour([one]) ? best : one),
      undefined,
    );
}

function add(pools: readonly NodePool[], more: NodePool): NodePool[] {
  const isKnown = pools.some(({ machine }) => machine === more.machine);
  if (!isKnown) return [...pools, more];
  return pools.map(({ machine, count }) => ({
    machine,
    count: machine === more.machine ? count + more.count : count,
  }));
}
