/** Demand over the sets of a window, by as many workers as there are. */
import type { Arena, Owner, Owners } from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import type { Filter } from '../query/index.ts';
import type { StoredSet } from '../storage/index.ts';
import type { UsageColumn } from '../allocation/stored-rows.ts';
import type { DemandAt } from './demand-at.ts';
import type { DamagedInput } from './sum-demand.ts';
import type { SizingTasks } from './tasks.ts';
import type { UsedWindow } from './used-sets.ts';

/**
 * Sets that one task adds up. Parts are always cut alike, so that sums have the same bits with any
 * number of workers.
 */
const PART_SETS = 8;

export interface DemandOptions {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<SizingTasks>;
}

export interface DemandAsked {
  readonly windows: readonly UsedWindow[];
  readonly columns: readonly UsageColumn[];
  readonly filter: Filter | null;
  readonly isLabelled: boolean;
}

/**
 * @param keeper has the result
 * @throws {ArenaFull}
 */
export async function demandOver(
  options: DemandOptions,
  { windows, ...asked }: DemandAsked,
  keeper: Owner,
  signal: AbortSignal,
): Promise<{ demand: DemandAt; damaged: readonly DamagedInput[] }> {
  const parts = Array.from({ length: Math.max(1, Math.ceil(windows.length / PART_SETS)) }, (_, i) =>
    windows.slice(i * PART_SETS, (i + 1) * PART_SETS),
  );
  const sum = (part: readonly UsedWindow[], of: Owner): ReturnType<typeof sumPart> =>
    sumPart(options, { windows: part, ...asked }, of, signal);
  const [only] = parts;
  if (only && parts.length === 1) return await sum(only, keeper);
  return await withOwner(options, async (partsOwner) => {
    const sums = parts.map((part) => sum(part, partsOwner));
    // Nobody may free memory under a task that still runs.
    await Promise.allSettled(sums);
    const all = await Promise.all(sums);
    const demand = await withOwner(options, (owner) =>
      options.pool.run(
        'joinDemand',
        { parts: all.map((each) => each.demand), owner, keeper },
        signal,
      ),
    );
    return { demand, damaged: all.flatMap((each) => each.damaged) };
  });
}

function sumPart(
  options: DemandOptions,
  { windows, ...asked }: DemandAsked,
  keeper: Owner,
  signal: AbortSignal,
): Promise<{ demand: DemandAt; damaged: readonly DamagedInput[] }> {
  const isThere = (set: StoredSet | undefined): set is StoredSet => set !== undefined;
  const allocations = windows.map((each) => each.allocations).filter(isThere);
  const usage = windows.map((each) => each.usage).filter(isThere);
  return withOwner(options, (owner) =>
    options.pool.run('sumDemand', { allocations, usage, ...asked, owner, keeper }, signal),
  );
}

/** Runs `work` with an owner whose memory is released at its end. */
export async function withOwner<T>(
  { arena, owners }: Pick<DemandOptions, 'arena' | 'owners'>,
  work: (owner: Owner) => Promise<T>,
): Promise<T> {
  const owner = owners.take();
  try {
    return await work(owner);
  } finally {
    arena.release(owner);
    owners.giveBack(owner);
  }
}
