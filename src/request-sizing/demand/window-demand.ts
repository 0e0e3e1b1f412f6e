/** Demand over the sets of a window, by as many workers as there are. */
import { type Owner, withOwner } from '../../columnar/index.ts';
import { slicesOf, type Compute } from '../../pool/index.ts';
import type { Filter } from '../../query/index.ts';
import type { StoredSet } from '../../storage/index.ts';
import type { UsageColumn } from '../../allocation/stored-rows.ts';
import type { FoundDemand } from './demand-tasks.ts';
import type { SizingTasks } from '../tasks.ts';
import type { UsedWindow } from './used-sets.ts';

/**
 * Sets that one task adds up, and how many such parts are in memory at once. Parts are always cut alike,
 * so that sums have the same bits with any number of workers.
 */
const PART_SETS = 8;
const ROUND_PARTS = 4;

export interface DemandQuery {
  readonly windows: readonly UsedWindow[];
  readonly columns: readonly UsageColumn[];
  readonly filter: Filter | null;
  readonly isLabelled: boolean;
}

/**
 * Memory does not grow with the sets: the sum so far is joined with the next four parts.
 * @param keeper owns the result
 * @throws {ArenaFull}
 */
export async function demandOver(
  compute: Compute<SizingTasks>,
  { windows, ...query }: DemandQuery,
  keeper: Owner,
  signal: AbortSignal,
): Promise<FoundDemand> {
  const round = windows.slice(-roundOf(windows.length));
  const before = windows.slice(0, -round.length);
  const sum = (part: readonly UsedWindow[], of: Owner): Promise<FoundDemand> =>
    sumPart(compute, { windows: part, ...query }, of, signal);
  if (windows.length <= PART_SETS) return await sum(windows, keeper);
  return await withOwner(compute, async (partsOwner) => {
    const earlier: FoundDemand[] =
      before.length === 0
        ? []
        : [await demandOver(compute, { windows: before, ...query }, partsOwner, signal)];
    const sums = slicesOf(round, PART_SETS).map((part) => sum(part, partsOwner));
    // Nobody may free memory under a task that still runs.
    await Promise.allSettled(sums);
    const all = [...earlier, ...(await Promise.all(sums))];
    const parts = all.map((each) => each.demand);
    const demand = await withOwner(compute, (owner) =>
      compute.pool.run('joinDemand', { parts, owner, keeper }, signal),
    );
    return { demand, damaged: all.flatMap((each) => each.damaged) };
  });
}

/** The number of sets of the last round; the others are full. */
function roundOf(sets: number): number {
  const most = PART_SETS * ROUND_PARTS;
  return sets % most || most;
}

function sumPart(
  compute: Compute<SizingTasks>,
  { windows, ...query }: DemandQuery,
  keeper: Owner,
  signal: AbortSignal,
): Promise<FoundDemand> {
  const isThere = (set: StoredSet | undefined): set is StoredSet => set !== undefined;
  const allocations = windows.map((each) => each.allocations).filter(isThere);
  const usage = windows.map((each) => each.usage).filter(isThere);
  return withOwner(compute, (owner) =>
    compute.pool.run('sumDemand', { allocations, usage, ...query, owner, keeper }, signal),
  );
}
