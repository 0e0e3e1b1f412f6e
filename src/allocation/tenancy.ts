/**
 * Overhead of clusters that tenants share: their management, and the disks of their nodes. Each is
 * divided by usage hours (usage-hours.ts) over the workloads of its cluster, before any filter, so
 * that what a tenant bears does not depend on who looks.
 */
import { isTenancy, type ChargedAsset } from './charged-asset.ts';
import type { Rewrite } from './overlay.ts';
import type { RowsBy } from './rows-by.ts';
import { shareByHours } from './usage-hours.ts';

/** What of `sharedCost` it is, by kind of asset: names in breakdowns, and columns of the amounts. */
export const TENANCY_SOURCES: readonly { readonly name: string; readonly column: string }[] = [
  { name: 'clusterManagement', column: 'tenancy:clusterManagement' },
  { name: 'attachedDisks', column: 'tenancy:attachedDisks' },
];

/** Adds to `sharedCost` of `rewrite`, and keeps apart what it is for. */
export function shareTenancy(
  rewrite: Rewrite,
  rows: RowsBy,
  assets: readonly ChargedAsset[],
  isReconciled: boolean,
): void {
  for (const asset of assets.filter(isTenancy)) {
    const usd = isReconciled ? (asset.billed ?? asset.cost) : asset.cost;
    if (usd === 0) continue;
    const source = TENANCY_SOURCES[asset.isAttached ? 1 : 0];
    if (source === undefined) throw new Error('BUG: no name for what tenants share');
    const columns = ['sharedCost', source.column].map((name) => rewrite.column(name));
    shareByHours(rows.lives, rows.inCluster(asset.cluster), asset, (row, part) => {
      for (const column of columns) column[row] = (column[row] ?? 0) + part * usd;
    });
  }
}
