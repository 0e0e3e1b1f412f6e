/** A node type as a place for pods. */
import type { NodeSize, NodeType } from '../pricing/index.ts';
import { hasRoom, RESOURCES, type Demand } from './demand.ts';

export interface Machine {
  readonly type: NodeType;
  /** What system and kubelet take of it. */
  readonly overhead: NodeSize;
  /** What is left for pods, those of daemon sets included. */
  readonly allocatable: NodeSize;
  /** Pods that a node may have, those of daemon sets included. */
  readonly podsMax: number;
}

/** Machines that cannot have the daemon sets, which every node has, are none to choose from. */
export function isUsable(machine: Machine, { perNode, daemonSetCount }: Demand): boolean {
  return hasRoom(machine.allocatable, perNode) && machine.podsMax >= daemonSetCount;
}

/**
 * Without those that another is to be preferred to, whatever is asked: which has no less of anything
 * and costs no more. Taking one for the other keeps each requirement (requirements.ts) met.
 * @returns the cheapest first
 */
export function undominated(machines: readonly Machine[]): Machine[] {
  const kept: Machine[] = [];
  for (const machine of machines.toSorted(byPriceThenSize)) {
    if (!kept.some((better) => isNoLess(better, machine))) kept.push(machine);
  }
  return kept;
}

function isNoLess(a: Machine, b: Machine): boolean {
  const isLarge = RESOURCES.every((resource) => a.allocatable[resource] >= b.allocatable[resource]);
  return isLarge && a.podsMax >= b.podsMax;
}

/** Of machines of one price, the larger first, so that it leaves the others out. */
function byPriceThenSize(a: Machine, b: Machine): number {
  const by =
    a.type.usdPerHour - b.type.usdPerHour ||
    b.allocatable.cpuCores - a.allocatable.cpuCores ||
    b.allocatable.ramGiB - a.allocatable.ramGiB ||
    b.allocatable.gpus - a.allocatable.gpus ||
    b.podsMax - a.podsMax;
  return by || (a.type.name < b.type.name ? -1 : 1);
}
