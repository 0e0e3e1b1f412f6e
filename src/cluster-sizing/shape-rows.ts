/**
 * Requirements that follow from the shapes of pods: the cores of a node without RAM are of no use.
 */
import { RESOURCES, type Demand, type PodSizes } from './demand.ts';
import type { Machine } from './machine.ts';
import type { Requirement } from './requirements.ts';

const WIDTH = RESOURCES.length;
/** Beside the resources, each pod takes one place. */
const PLACES = WIDTH;

/**
 * Of each resource, what nodes give together is at least what pods take; and a node gives no more
 * than those pods take that take most of it for what they take of something else, as long as that
 * lasts. Pods may be cut for this, and be on every node: it is a bound.
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

/** What a node has for pods that are not of daemon sets. */
function room({ allocatable, podsMax }: Machine, demand: Demand, i: number): number {
  const resource = RESOURCES[i];
  return resource === undefined
    ? podsMax - demand.daemonSetCount
    : allocatable[resource] - demand.perNode[resource];
}

/** The fractional knapsack: the most of one thing that pods take for so much of another. */
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

/** The place of the first that is larger, among numbers that grow; their count where none is. */
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
