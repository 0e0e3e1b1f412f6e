/** Costs of rows of stored days by name, all days added up, highest cost first, in workers. */
import { resolve } from './charged-sets.ts';
import { GroupedMembers } from './grouped-members.ts';
import type { HeldSet } from '../caches/grouped-sets.ts';
import { inLanes } from '../caches/lanes.ts';
import { planOf, rowsQuery, type RowsRequest } from './rows-request.ts';
import { columnsNeeded } from '../query/stored-columns.ts';
import type { Member, StoredOptions } from './stored.ts';
import type { CostItems, ItemNames } from './cost-items.ts';
import type { WarningLike } from '../../query/index.ts';

export interface ItemsQuery extends RowsRequest, ItemNames {
  readonly idle: 'shared' | 'none';
}

export interface StoredItems extends CostItems {
  readonly warnings: readonly WarningLike[];
  /** A part of the days is not known. */
  readonly isPartial: boolean;
}

/** @throws {Unavailable} when sets cannot be read @throws {ArenaFull} */
export async function storedItems(
  options: StoredOptions,
  request: ItemsQuery,
  signal: AbortSignal,
): Promise<StoredItems> {
  const query = rowsQuery(request);
  const members = new GroupedMembers(options, query, columnsNeeded(query, 'allocations'));
  const resolved = await resolve(options, planOf(request, 'all'));
  const all = resolved.groups.flatMap((group) => group.members);
  const damages = new Set<string>();
  const held = new Map<Member, HeldSet>();
  const hold = (member: Member): Promise<void> =>
    members.unlessDamaged(member, damages, async () => {
      signal.throwIfAborted();
      held.set(member, await members.held(member, signal));
    });
  try {
    await inLanes(all, hold);
    // In order of time, so that sums are the same however the sets came.
    const sets = all.flatMap((member) => held.get(member)?.grouped ?? []);
    const { keys, controllers, most } = request;
    const input = { sets, keys, controllers, most };
    const items = await options.compute.pool.run('costItems', input, signal);
    return {
      ...items,
      warnings: [...resolved.warnings, ...damages],
      isPartial: resolved.isPartial || damages.size > 0,
    };
  } finally {
    for (const { release } of held.values()) release();
  }
}
