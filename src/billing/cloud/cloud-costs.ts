/** Cloud costs for other rooms: costs by name and resource. */
import { withOwner } from '../../columnar/index.ts';
import { gather, type ChargeKey } from '../charges/index.ts';
import type { Filter, Window } from '../../query/index.ts';
import type { CloudItem } from './items.ts';
import { KNOWN } from './known-resources.ts';
import type { CloudOptions } from './routes.ts';
import type { CostMetric } from './schema.ts';

export interface CloudItemsQuery {
  /** Oldest first, without overlap. */
  readonly windows: readonly Window[];
  /** None: items have no name. */
  readonly keys: readonly ChargeKey[];
  /** Null: all charges. */
  readonly filter: Filter | null;
  readonly costMetric: CostMetric;
  /** Resources that have items of their own, as `resourceKey` spells them; null: all. */
  readonly resources: readonly string[] | null;
}

interface ItemsOptions extends Pick<CloudOptions, 'compute'> {
  readonly sets: Pick<CloudOptions['sets'], 'charges'>;
}

/**
 * Items of each window, an item for each name and resource; their costs add up to those of all
 * selected charges.
 * @throws {Unavailable} when a bill cannot be read
 */
export async function cloudItems(
  { sets, compute }: ItemsOptions,
  { windows, keys, filter, costMetric: metric, resources }: CloudItemsQuery,
  signal: AbortSignal,
): Promise<CloudItem[][]> {
  const startMs = windows[0]?.startMs ?? 0;
  const window = { startMs, endMs: windows.at(-1)?.endMs ?? startMs };
  const resource = { field: KNOWN, label: null };
  const query = { windows, keys: [...keys, resource], isSeparate: false, filter };
  const isNamed = keys.length > 0;
  const stored = sets.charges(window);
  const spec = { metric, resources };
  return await withOwner(compute, async (owner) => {
    const wanted = { stored, query, spec, owner, signal };
    const charges = await gather(compute, 'cloudSlice', wanted);
    const input = { ...charges, metric, isNamed, resources };
    return await compute.pool.run('cloudItems', input, signal);
  });
}
