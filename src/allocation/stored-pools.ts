/** Pools of load balancers (balancer-pools.ts) that stored assets tell of. */
import type { Window } from '../query/index.ts';
import { ASSETS } from './keep-set.ts';
import { spanOf } from './set-index.ts';
import type { StoredOptions } from './stored.ts';

/**
 * Pools of load balancers by resource, as far as stored assets of the days tell of them.
 * @throws {Unavailable} when a set cannot be read
 */
export async function storedPools(
  { sets, pool, arena, owners }: Pick<StoredOptions, 'sets' | 'pool' | 'arena' | 'owners'>,
  days: readonly Window[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const spans = new Set(days.map(spanOf));
  const stored = sets
    .list(ASSETS)
    .filter(({ key, damage }) => damage === undefined && spans.has(spanOf(key)))
    .flatMap(({ key }) => sets.locate(key) ?? []);
  if (stored.length === 0) return new Map();
  const owner = owners.take();
  try {
    return new Map(await pool.run('balancerPools', { stored, owner }, signal));
  } finally {
    arena.release(owner);
    owners.giveBack(owner);
  }
}
