/** What assets come to, in all and by type. */
import type { AssetSet } from './asset.ts';

export interface AssetSums {
  readonly total: number;
  readonly adjustment: number;
  /** The most costly first. */
  readonly byType: readonly { readonly type: string; readonly usd: number }[];
}

/** @param set grouped by type */
export function assetSums(set: AssetSet): AssetSums {
  const all = Object.values(set);
  return {
    total: all.reduce((sum, { totalCost }) => sum + totalCost, 0),
    adjustment: all.reduce((sum, { adjustment }) => sum + adjustment, 0),
    byType: all
      .map(({ type, totalCost }) => ({ type, usd: totalCost }))
      .toSorted((a, b) => b.usd - a.usd),
  };
}
