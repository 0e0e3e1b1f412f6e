/** Recommends nodes for a cluster: of one type, and of several. */
import type { Choice } from './choice.ts';
import type { Demand } from './demand.ts';
import { isUsable, undominated, type Machine } from './machine.ts';
import { chooseMulti } from './multi.ts';
import { requirements, type Preferences } from './requirements.ts';
import { chooseSingle } from './single.ts';

/** Undefined where no machine has room for the largest pod beside the daemon sets. */
export interface NodeRecommendation {
  readonly single: Choice | undefined;
  readonly multi: Choice | undefined;
}

/**
 * @param hasMix whether a mix of types is searched for
 * @throws {Unavailable} when the machine is far too busy to search
 */
export async function recommendNodes(
  machines: readonly Machine[],
  demand: Demand,
  preferences: Preferences,
  hasMix: boolean = true,
): Promise<NodeRecommendation> {
  const usable = undominated(machines.filter((machine) => isUsable(machine, demand)));
  const rows = requirements(demand, preferences);
  const single = chooseSingle(usable, demand, rows);
  return { single, multi: hasMix ? await chooseMulti(usable, demand, rows, single) : undefined };
}
