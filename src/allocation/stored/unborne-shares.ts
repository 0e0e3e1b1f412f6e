/** Warnings of costs to be shared that nobody bears, over the stored sets of an answer. */
import { NEVER } from '../../pool/index.ts';
import { inLanes } from '../caches/lanes.ts';
import { unborneWarnings, type BearersQuery } from '../query/share-bearers.ts';
import { columnsOfFilter } from '../query/stored-columns.ts';
import type { Member, Resolved, SetsQuery, StoredOptions } from './stored.ts';
import { unlessDamaged } from './unless-damaged.ts';

type Options = Pick<StoredOptions, 'sets' | 'caches' | 'compute'>;
interface Plan {
  readonly request: SetsQuery['request'] & { readonly query: BearersQuery };
}

/** Reads only the columns that tell who bears: nothing at all where nothing is shared by request. */
export async function withUnborneShares(
  options: Options,
  { request: { query, shareUsdPerMonth } }: Plan,
  resolved: Resolved,
): Promise<Resolved> {
  if (shareUsdPerMonth === 0 && query.share === null) return resolved;
  const { sets, caches, compute } = options;
  const { filter, share } = query;
  const filters = [filter, share].flatMap((each) => (each === null ? [] : columnsOfFilter(each)));
  const columns = [...new Set(['container', ...filters])];
  const damages = new Set<string>();
  const members = resolved.groups.flatMap((group) => group.members);
  const borne = await inLanes(members, async ({ stored, overheadUsd }: Member) => {
    const bearers = await unlessDamaged(sets, stored, damages, async () => {
      const { tables, release } = await caches.hot.open(stored, columns);
      return await compute.pool.run('bearers', { tables, filter, share }, NEVER).finally(release);
    });
    return { bearers, overheadUsd };
  });
  const unborne = unborneWarnings([...borne, { overheadUsd: resolved.unstoredOverheadUsd }]);
  const isDamaged = damages.size > 0;
  return {
    ...resolved,
    warnings: [...new Set([...resolved.warnings, ...damages, ...unborne])],
    isPartial: resolved.isPartial || isDamaged,
    isDamaged: resolved.isDamaged || isDamaged,
  };
}
