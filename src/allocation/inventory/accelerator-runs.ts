/** Units of extended resources as they are read: of each resource a step function. */
import { Runs } from './runs.ts';

/** Runs by the name of a resource. */
export type Accelerators = Map<string, Runs>;

export function addAccelerator(
  of: { accelerators: Accelerators | undefined } | undefined,
  resource: string,
  pairs: readonly number[],
): void {
  if (of === undefined) return;
  const all = (of.accelerators ??= new Map());
  const runs = all.get(resource) ?? new Runs();
  all.set(resource, runs);
  runs.add(pairs);
}
