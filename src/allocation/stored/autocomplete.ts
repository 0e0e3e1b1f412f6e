/** The values of a field over stored sets, to complete a user's input. */
import type { StoredSet } from '../../storage/index.ts';
import { columnsOfValues, firstOf, onlyColumn } from './field-values.ts';
import type { AutocompletePlan, ValuesQuery } from '../params/autocomplete-params.ts';
import type { HotSets } from '../caches/hot-sets.ts';
import { inLanes } from '../caches/lanes.ts';
import { resolveSets, type SetsQuery, type StoredOptions } from './stored.ts';
import { unlessDamaged } from './unless-damaged.ts';
import type { WarningLike } from '../../query/index.ts';

export interface Values {
  /** Each once, in order. */
  readonly values: readonly string[];
  readonly warnings: readonly WarningLike[];
  /** A part of the days is not known. */
  readonly isPartial: boolean;
}

/** Reads each set in a worker, and only the columns of the field and the filter. */
export async function valuesOfSets(
  { sets, caches, compute, clock }: Pick<StoredOptions, 'sets' | 'caches' | 'compute' | 'clock'>,
  { days, request, nowMs }: AutocompletePlan,
  signal: AbortSignal,
): Promise<Values> {
  const plan: SetsQuery = {
    days,
    nowMs,
    unit: 'none',
    view: 'allocations',
    request: { shareUsdPerMonth: 0 },
  };
  const resolved = resolveSets(sets, clock.calendar, plan);
  const members = resolved.groups.flatMap((group) => group.members);
  const damages = new Set<string>();
  const values = new Set<string>();
  await inLanes(members, async ({ stored }) => {
    signal.throwIfAborted();
    const found = await unlessDamaged(sets, stored, damages, () =>
      valuesOfSet(compute.pool, caches.hot, stored, request, signal),
    );
    for (const value of found ?? []) values.add(value);
  });
  return {
    values: firstOf(values, request),
    warnings: [...new Set([...resolved.warnings, ...damages])],
    isPartial: resolved.isPartial || damages.size > 0,
  };
}

async function valuesOfSet(
  pool: StoredOptions['compute']['pool'],
  hot: HotSets,
  stored: StoredSet,
  request: ValuesQuery,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const column = onlyColumn(request);
  if (column !== undefined) {
    return await pool.run('valuesInTexts', { stored, column, request }, signal);
  }
  const set = await hot.open(stored, columnsOfValues(request));
  const { tables } = set;
  return await pool.run('valuesInRows', { tables, request }, signal).finally(() => set.release());
}
