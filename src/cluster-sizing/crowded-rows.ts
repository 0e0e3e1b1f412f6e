/** Requirements that follow from pods being indivisible: large pods need large enough nodes. */
import { RESOURCES, ROUNDING, type Demand, type PodSizes } from './demand.ts';
import type { Machine } from './machine.ts';
import type { Requirement } from './requirements.ts';

/** The ratio of one examined rank to the one before. */
const STEP = 1.5;
const WIDTH = RESOURCES.length;

/**
 * For some k, takes the k largest pods by one resource. They need k places of at least the size of the
 * k-th pod, and a node has only so many of them. All that they use of any resource is on nodes with
 * room for the k-th pod.
 */
export function crowdedRows(demand: Demand): Requirement[] {
  return demand.moments.flatMap((pods) => {
    const count = pods.length / WIDTH;
    return RESOURCES.flatMap((_, by) => {
      const order = Array.from({ length: count }, (__, pod) => pod).sort(
        (a, b) => (pods[b * WIDTH + by] ?? 0) - (pods[a * WIDTH + by] ?? 0),
      );
      return ranksUpTo(count).flatMap((k) => rowsOf(demand, pods, order.slice(0, k), by));
    });
  });
}

/** @param largest the largest pods by the resource `by`, in falling order */
function rowsOf(
  demand: Demand,
  pods: PodSizes,
  largest: readonly number[],
  by: number,
): Requirement[] {
  const { perNode, daemonSetCount } = demand;
  const size = pods[(largest.at(-1) ?? 0) * WIDTH + by] ?? 0;
  if (size === 0) return [];
  const room = (machine: Machine, i: number): number => {
    const resource = RESOURCES[i] ?? 'cpuCores';
    return machine.allocatable[resource] - perNode[resource];
  };
  const places = (machine: Machine): number =>
    Math.floor((room(machine, by) / size) * (1 + ROUNDING));
  return [
    {
      least: largest.length,
      isOfPods: false,
      gain: (machine) => Math.min(places(machine), machine.podsMax - daemonSetCount),
    },
    ...RESOURCES.map((_, i) => ({
      least: largest.reduce((sum, pod) => sum + (pods[pod * WIDTH + i] ?? 0), 0),
      isOfPods: false,
      gain: (machine: Machine) => (places(machine) > 0 ? room(machine, i) : 0),
    })),
  ];
}

/** Growing ranks up to and including `count`. */
function ranksUpTo(count: number): number[] {
  const ranks: number[] = [];
  for (let k = count; k >= 1; k = Math.floor(k / STEP)) ranks.push(k);
  return ranks;
}
