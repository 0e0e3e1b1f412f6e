/**
 * What a choice of nodes must meet, as linear rows over their counts: Σ count × gain ≥ least.
 * Meeting all of them is necessary to hold the pods; packing (pack.ts) tells whether it is enough.
 */
import { hasRoom, RESOURCES, ROUNDING, type Demand } from './demand.ts';
import type { Machine } from './machine.ts';

export interface Requirement {
  readonly least: number;
  /** Of amounts that pods take together; else of nodes that there must be. */
  readonly isOfPods: boolean;
  /** What one node of the machine adds; below 0 where its daemon sets take more than it gives. */
  readonly gain: (machine: Machine) => number;
}

/** What users prefer. */
export interface Preferences {
  /** Of CPU and RAM, in (0, 1]. */
  readonly targetUtilization: number;
  readonly minNodeCount: number;
}

/**
 * Required = static + daemon sets × nodes, which is at most the target's share of what nodes have;
 * at least one node has room for the largest pod beside the daemon sets (reference: cluster sizing
 * of Kubecost). GPUs are whole: no share of them is left free, and few machines have them.
 */
export function requirements(demand: Demand, preferences: Preferences): Requirement[] {
  const { total, perNode, largestPod } = demand;
  const shares = { cpuCores: preferences.targetUtilization, ramGiB: preferences.targetUtilization, gpus: 1 }; // prettier-ignore
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

/** How far short of the requirement the counts are; 0 or less: it is met. */
export function shortage(
  { least, gain }: Requirement,
  machines: readonly Machine[],
  counts: readonly number[],
): number {
  const sum = machines.reduce((all, machine, i) => all + (counts[i] ?? 0) * gain(machine), 0);
  const short = least - sum;
  return short <= ROUNDING * Math.max(1, Math.abs(least)) ? Math.min(short, 0) : short;
}

/** Nodes of one machine that meet all of them by themselves; Infinity: none do. */
export function nodesNeeded(rows: readonly Requirement[], machine: Machine): number {
  return rows.reduce((most, { least, gain }) => Math.max(most, needed(least, gain(machine))), 1);
}

function needed(least: number, gain: number): number {
  if (least <= 0) return gain < 0 ? Infinity : 0;
  return gain > 0 ? Math.ceil((least / gain) * (1 - ROUNDING)) : Infinity;
}
