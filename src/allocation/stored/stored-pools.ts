/** Pools of load balancers (balancer-pools.ts) among stored assets. */
import { withOwner } from '../../columnar/index.ts';
import { isPassing, Unavailable, type Window } from '../../query/index.ts';
import { spanOf } from './set-index.ts';
import { storedAssets } from './stored-assets.ts';
import type { StoredOptions } from './stored.ts';

export interface StoredPools {
  /** By resource. */
  readonly pools: ReadonlyMap<string, string>;
  /** Warnings of damaged assets, whose load balancers are not known. */
  readonly lacking: readonly string[];
}

/**
 * Pools of load balancers among the stored assets of the days.
 * @throws {Unavailable} when a set cannot be read: what is damaged is set aside
 */
export async function storedPools(
  { sets, compute }: Pick<StoredOptions, 'sets' | 'compute'>,
  days: readonly Window[],
  signal: AbortSignal,
): Promise<StoredPools> {
  const spans = new Set(days.map(spanOf));
  const { stored, lacking } = storedAssets(sets, (window) => spans.has(spanOf(window)));
  if (stored.length === 0) return { pools: new Map(), lacking };
  try {
    const pools = await withOwner(compute, (owner) =>
      compute.pool.run('balancerPools', { stored, owner }, signal),
    );
    return { pools: new Map(pools), lacking };
  } catch (error) {
    if (error instanceof Unavailable && !isPassing(error))
      for (const set of stored) await sets.setAside(set);
    throw error;
  }
}
