/**
 * Requirements that follow from the shapes of pods: cores of a node without RAM are useless.
 */
import { RESOURCES, type Demand, type PodSizes } from './demand.ts';
import type { Machine } from './machine.ts';
import type { Requirement } from './requirements.ts';

const WIDTH = RESOURCES.length;
/** Index of a fourth resource beside the others: each pod takes one place. */
const PLACES = WIDTH;

/**
 * For each resource, all nodes together must contribute at least the sum of all pods. A node counts with
 * no more of it than pods could use before the node runs out of another resource, filled by the pods
 * that use most of the first for each unit of the other. Pods may be divided and be on each node: it is
 * a bound.
 */
export function shapeRows(demand: Demand): Requirement[] {
  return demand.moments.flatMap((pods) =>
    RESOURCES.map((_, of): Requirement => {
      const others = [...RESOURCES.keys(), PLACES].filter((i) => i !== of);
      const most = others.map((by) => ({ by, given: mostFor(pods, of, by) }));
      return {
        least: sumOf(pods, of),
        isOfPods: true,
        gain: (machine) =>
          Math.min(
            room(machine, demand, of),
            ...most.map(({ by, given }) => given(room(machine, demand, by))),
          ),
      };
    }),
  );
}

function amount(pods: PodSizes, pod: number, i: number): number {
  return i === PLACES ? 1 : (pods[pod * WIDTH + i] ?? 0);
}

function sumOf(pods: PodSizes, i: number): number {
  let sum = 0;
  for (let pod = 0; pod < pods.length / WIDTH; pod++) sum += amount(pods, pod, i);
  return sum;
}

/** Room of a node beside its daemon sets. */
function room({ allocatable, podsMax }: Machine, demand: Demand, i: number): number {
  const resource = RESOURCES[i];
  return resource === undefined
    ? podsMax - demand.daemonSetCount
    : allocatable[resource] - demand.perNode[resource];
}

/** The fractional knapsack: the most that pods can use of one resource, given so much of another. */
function mostFor(pods: PodSizes, of: number, by: number): (room: number) => number {
  const ratio = (pod: number): number => amount(pods, pod, of) / amount(pods, pod, by);
  const order = Array.from({ length: pods.length / WIDTH }, (_, pod) => pod)
    .filter((pod) => amount(pods, pod, of) > 0)
    .sort((a, b) => ratio(b) - ratio(a));
  const taken = [0];
  const given = [0];
  for (const pod of order) {
    taken.push((taken.at(-1) ?? 0) + amount(pods, pod, by));
    given.push((given.at(-1) ?? 0) + amount(pods, pod, of));
  }
  return (limit) => {
    const place = firstAbove(taken, limit);
    const [before, whole] = [given[place - 1] ?? 0, given[place]];
    if (whole === undefined) return before;
    const part =
      (limit - (taken[place - 1] ?? 0)) / ((taken[place] ?? 0) - (taken[place - 1] ?? 0));
    return before + part * (whole - before);
  };
}

/** The index of the first number above the limit, in rising order; their count if there is none. */
function firstAbove(numbers: readonly number[], limit: number): number {
  let from = 0;
  let to = numbers.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((numbers[middle] ?? 0) > limit) to = middle;
    else from = middle + 1;
  }
  return from;
}
