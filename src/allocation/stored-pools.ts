/** Pools of load balancers (balancer-pools.ts) that stored assets tell of. */
import { withOwner } from '../columnar/index.ts';
import type { Window } from '../query/index.ts';
import { ASSETS } from './keep-set.ts';
import { spanOf } from './set-index.ts';
import type { StoredOptions } from './stored.ts';

/**
 * Pools of load balancers by resource, as far as stored assets of the days tell of them.
 * @throws {Unavailable} when a set cannot be read
 */
export async function storedPools(
  options: Pick<StoredOptions, 'sets' | 'pool' | 'arena' | 'owners'>,
  days: readonly Window[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const spans = new Set(days.map(spanOf));
  const { sets, pool } = options;
  const stored = sets
    .list(ASSETS)
    .filter(({ key, damage }) => damage === undefined && spans.has(spanOf(key)))
    .flatMap(({ key }) => sets.locate(key) ?? []);
  if (stored.length === 0) return new Map();
  return new Map(
    await withOwner(options, (owner) => pool.run('balancerPools', { stored, owner }, signal)),
  );
}
