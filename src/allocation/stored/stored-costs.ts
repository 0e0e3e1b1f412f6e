/** Costs of rows of stored sets, day by day, to be combined with other costs. */
import { withOwner } from '../../columnar/index.ts';
import type { AggregateKey, WarningLike, Window } from '../../query/index.ts';
import { resolve } from './charged-sets.ts';
import { GroupedMembers } from './grouped-members.ts';
import { inLanes } from '../caches/lanes.ts';
import { planOf, rowsQuery, type RowsRequest } from './rows-request.ts';
import { columnsNeeded } from '../query/stored-columns.ts';
import type { ChargedRows } from './charged-rows.ts';
import type { Member, StoredOptions } from './stored.ts';
import type { CostTotals } from './cost-totals.ts';
import { RESOURCE_COLUMNS, type ResourceCosts } from './resource-costs.ts';

export interface CostsQuery extends RowsRequest {
  /** Whether to list costs of volumes and load balancers by resource. */
  readonly resources: boolean;
}

/** Costs of the rows of one set. */
export interface SetCosts {
  readonly costs: CostTotals;
  /** They are in the costs, too. */
  readonly resources: ResourceCosts | null;
}

export interface StoredCosts {
  /** Oldest first; a day that is not stored costs nothing. */
  readonly days: readonly { readonly window: Window; readonly sets: readonly SetCosts[] }[];
  readonly warnings: readonly WarningLike[];
  /** A part of the days is not known. */
  readonly isPartial: boolean;
}

/**
 * Rows by name and, where idle is separate, by the provider id of their node.
 * @throws {Unavailable} when sets cannot be read @throws {ArenaFull}
 */
export async function storedCosts(
  options: StoredOptions,
  request: CostsQuery,
  signal: AbortSignal,
): Promise<StoredCosts> {
  const query = rowsQuery(request);
  const columns = columnsNeeded(query, 'allocations');
  const members = new GroupedMembers(options, query, columns);
  const resolved = await resolve(options, planOf(request, 'none'));
  const damages = new Set<string>();
  const costsIn = (member: Member): Promise<SetCosts | undefined> =>
    members.unlessDamaged(member, damages, async () => {
      signal.throwIfAborted();
      const costs = await costsOf(options.compute, members, member, request.keys, signal);
      if (!request.resources) return { costs, resources: null };
      const more = [...(columns ?? []), ...RESOURCE_COLUMNS];
      const read = resourcesOf(options.compute, request, signal);
      return { costs, resources: await members.read(member, [...new Set(more)], read) };
    });
  const days = await inLanes(resolved.groups, async ({ window, members: of }) => {
    const sets = await Promise.all(of.map(costsIn));
    return { window, sets: sets.filter((each) => each !== undefined) };
  });
  return {
    days: days.reverse(),
    warnings: [...resolved.warnings, ...damages],
    isPartial: resolved.isPartial || damages.size > 0,
  };
}

async function costsOf(
  { pool }: StoredOptions['compute'],
  members: GroupedMembers,
  member: Member,
  keys: readonly AggregateKey[],
  signal: AbortSignal,
): Promise<CostTotals> {
  const { grouped, release } = await members.held(member, signal);
  return await pool.run('costTotals', { grouped, keys }, signal).finally(release);
}

function resourcesOf(
  compute: StoredOptions['compute'],
  { filter, keys }: CostsQuery,
  signal: AbortSignal,
): (rows: ChargedRows) => Promise<ResourceCosts> {
  return (rows) =>
    withOwner(compute, (owner) =>
      compute.pool.run('resourceCosts', { ...rows, filter, keys, owner }, signal),
    );
}
