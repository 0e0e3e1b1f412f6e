/** What nodes a cluster should have: of one type, and of several. */
import type { Choice } from './choice.ts';
import type { Demand } from './demand.ts';
import { isUsable, undominated, type Machine } from './machine.ts';
import { chooseMulti } from './multi.ts';
import { requirements, type Preferences } from './requirements.ts';
import { chooseSingle } from './single.ts';

/** Undefined where no machines hold the largest pod beside what every node bears. */
export interface Recommended {
  readonly single: Choice | undefined;
  readonly multi: Choice | undefined;
}

/** @param timeLimitMs after which the best mix that is known is taken */
export async function recommend(
  machines: readonly Machine[],
  demand: Demand,
  preferences: Preferences,
  timeLimitMs: number,
): Promise<Recommended> {
  const usable = undominated(machines.filter((machine) => isUsable(machine, demand)));
  const rows = requirements(demand, preferences);
  const single = chooseSingle(usable, demand, rows);
  return { single, multi: await chooseMulti(usable, demand, rows, single, timeLimitMs) };
}
