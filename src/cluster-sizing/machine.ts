/** A node type as a place for pods. */
import type { NodeSize, NodeType } from '../pricing/index.ts';
import { hasRoom, RESOURCES, type Demand } from './demand.ts';

export interface Machine {
  readonly type: NodeType;
  /** Reserved for the system and kubelet. */
  readonly overhead: NodeSize;
  /** Available to pods, those of daemon sets included. */
  readonly allocatable: NodeSize;
  /** The maximum number of pods of a node, those of daemon sets included. */
  readonly podsMax: number;
}

/** Whether the machine can run the daemon sets, as each node must. */
export function isUsable(machine: Machine, { perNode, daemonSetCount }: Demand): boolean {
  return hasRoom(machine.allocatable, perNode) && machine.podsMax >= daemonSetCount;
}

/**
 * Leaves out machines that another one dominates: it has no less of anything and costs no more.
 * Replacing one by the other keeps every requirement (requirements.ts) met.
 * @returns the cheapest first
 */
export function undominated(machines: readonly Machine[]): Machine[] {
  const found: Machine[] = [];
  for (const machine of machines.toSorted(byPriceThenSize)) {
    if (!found.some((better) => isNoLess(better, machine))) found.push(machine);
  }
  return found;
}

function isNoLess(a: Machine, b: Machine): boolean {
  const isLarge = RESOURCES.every((resource) => a.allocatable[resource] >= b.allocatable[resource]);
  return isLarge && a.podsMax >= b.podsMax;
}

/** Larger machines come first among those of one price, so that the others are left out. */
function byPriceThenSize(a: Machine, b: Machine): number {
  const by =
    a.type.usdPerHour - b.type.usdPerHour ||
    b.allocatable.cpuCores - a.allocatable.cpuCores ||
    b.allocatable.ramGiB - a.allocatable.ramGiB ||
    b.allocatable.gpus - a.allocatable.gpus ||
    b.podsMax - a.podsMax;
  return by || (a.type.name < b.type.name ? -1 : 1);
}
