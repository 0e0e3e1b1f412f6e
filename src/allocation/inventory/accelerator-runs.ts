/** Amounts of extended resources and huge pages as they are read: of each resource a step function. */
import { Runs } from './runs.ts';

/** Runs by the name of a resource. */
export type Accelerators = Map<string, Runs>;

export function addHugepages(
  of: { hugepages: Accelerators | undefined } | undefined,
  resource: string,
  pairs: readonly number[],
): void {
  if (of !== undefined) addTo((of.hugepages ??= new Map()), resource, pairs);
}

export function addAccelerator(
  of: { accelerators: Accelerators | undefined } | undefined,
  resource: string,
  pairs: readonly number[],
): void {
  if (of === undefined) return;
  addTo((of.accelerators ??= new Map()), resource, pairs);
}

function addTo(all: Accelerators, resource: string, pairs: readonly number[]): void {
  const runs = all.get(resource) ?? new Runs();
  all.set(resource, runs);
  runs.add(pairs);
}
