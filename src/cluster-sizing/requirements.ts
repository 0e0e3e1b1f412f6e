/**
 * Requirements on a choice of nodes, as linear rows over their counts: Σ count × gain ≥ least. They are
 * necessary for holding the pods; packing (pack.ts) shows whether they suffice.
 */
import { hasRoom, RESOURCES, ROUNDING, type Demand } from './demand.ts';
import type { Machine } from './machine.ts';

export interface Requirement {
  readonly least: number;
  /** The row comes from the sums of pods, not from a minimum of nodes. */
  readonly isOfPods: boolean;
  /** The contribution of one node; below 0 where its daemon sets take more than it has. */
  readonly gain: (machine: Machine) => number;
}

/** Preferences of users. */
export interface Preferences {
  /** Share of CPU and RAM, in (0, 1]. */
  readonly targetUtilization: number;
  readonly minNodeCount: number;
}

/**
 * Static pods + daemon sets × nodes must be at most the target share of all nodes, and at least one
 * node must have room for the largest pod beside the daemon sets, as in Kubecost's cluster sizing. The
 * target share does not apply to GPUs, which are indivisible and which few machines have.
 */
export function requirements(demand: Demand, preferences: Preferences): Requirement[] {
  const { total, perNode, largestPod } = demand;
  const shares = {
    cpuCores: preferences.targetUtilization,
    ramGiB: preferences.targetUtilization,
    gpus: 1,
  };
  const largest = {
    cpuCores: largestPod.cpuCores + perNode.cpuCores,
    ramGiB: largestPod.ramGiB + perNode.ramGiB,
    gpus: 0,
  };
  return [
    ...RESOURCES.map((resource) => ({
      least: total[resource],
      isOfPods: true,
      gain: ({ allocatable }: Machine) =>
        allocatable[resource] * shares[resource] - perNode[resource],
    })),
    {
      least: demand.podCount,
      isOfPods: true,
      gain: ({ podsMax }) => podsMax - demand.daemonSetCount,
    },
    {
      least: 1,
      isOfPods: false,
      gain: ({ allocatable }) => (hasRoom(allocatable, largest) ? 1 : 0),
    },
    { least: preferences.minNodeCount, isOfPods: false, gain: () => 1 },
  ];
}

/** By how much the counts miss the requirement; 0 or less: they meet it. */
export function shortage(
  { least, gain }: Requirement,
  machines: readonly Machine[],
  counts: readonly number[],
): number {
  const sum = machines.reduce((all, machine, i) => all + (counts[i] ?? 0) * gain(machine), 0);
  const short = least - sum;
  return short <= ROUNDING * Math.max(1, Math.abs(least)) ? Math.min(short, 0) : short;
}

/** The number of nodes of one machine that meet all rows; Infinity: no number does. */
export function nodesNeeded(rows: readonly Requirement[], machine: Machine): number {
  return rows.reduce((most, { least, gain }) => Math.max(most, needed(least, gain(machine))), 1);
}

function needed(least: number, gain: number): number {
  if (least <= 0) return gain < 0 ? Infinity : 0;
  return gain > 0 ? Math.ceil((least / gain) * (1 - ROUNDING)) : Infinity;
}
