/** The cheapest nodes of one type. */
import { packedCount, usdPerHour, type Choice, type NodePool } from './choice.ts';
import type { Demand } from './demand.ts';
import type { Machine } from './machine.ts';
import { nodesNeeded, type Requirement } from './requirements.ts';

interface Candidate extends NodePool {
  readonly isPacked: boolean;
}

/**
 * The requirements give each type's minimum count; packing may need more. The cheapest candidate is
 * packed until the cheapest is one that was packed before: all others cost at least as much even with
 * their minimum.
 * @returns undefined when no type holds the demand
 */
export function chooseSingle(
  machines: readonly Machine[],
  demand: Demand,
  rows: readonly Requirement[],
): Choice | undefined {
  const candidates = machines
    .map((machine): Candidate => ({ machine, count: nodesNeeded(rows, machine), isPacked: false }))
    .filter(({ count }) => count < Infinity);
  const usdPerHourBound = Math.min(...candidates.map((one) => usdPerHour([one])));
  for (;;) {
    const best = cheapest(candidates);
    if (best === undefined) return undefined;
    if (best.isPacked) {
      const { machine, count } = best;
      return { pools: [{ machine, count }], usdPerHour: usdPerHour([best]), usdPerHourBound };
    }
    const count = packedCount(best.machine, best.count, demand);
    candidates.splice(candidates.indexOf(best), 1);
    if (count < Infinity) candidates.push({ machine: best.machine, count, isPacked: true });
  }
}

function cheapest(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, one) => (best === undefined || compare(one, best) < 0 ? one : best),
    undefined,
  );
}

/** By cost, then by the number of nodes. */
function compare(a: Candidate, b: Candidate): number {
  return (
    usdPerHour([a]) - usdPerHour([b]) ||
    a.count - b.count ||
    (a.machine.type.name < b.machine.type.name ? -1 : 1)
  );
}
