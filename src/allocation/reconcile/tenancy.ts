/**
 * Overhead of clusters that tenants share: their management, and the disks of their nodes. Each is
 * divided by usage hours (share-by-hours.ts) over the workloads of its cluster, before any filter, so
 * that a tenant's cost does not depend on the filter.
 */
import {
  addOverlaps,
  numbersIn,
  sumOverlaps,
  textColumn,
  type Placed,
  type Times,
  type Workspace,
} from '../../columnar/index.ts';
import { isTenancy, type ChargedAsset } from './charged-asset.ts';
import type { Rewrite } from '../row/overlay.ts';
import { ROW_KINDS } from '../row/row-kinds.ts';
import type { RowIndex } from './row-index.ts';
import { shareByHours } from './share-by-hours.ts';
import { TENANCY_SOURCES } from '../query/share-sources.ts';

interface Overhead {
  readonly asset: ChargedAsset;
  readonly usd: number;
}

/**
 * Adds to `sharedCost` of `rewrite`.
 * @param isItemized adds it to columns of TENANCY_SOURCES too
 */
export function shareTenancy(
  space: Workspace,
  rewrite: Rewrite,
  rows: RowIndex,
  assets: readonly ChargedAsset[],
  { isReconciled, isItemized }: { readonly isReconciled: boolean; readonly isItemized: boolean },
): void {
  const overheads = assets
    .filter(isTenancy)
    .map((asset): Overhead => ({
      asset,
      usd: isReconciled ? (asset.billed ?? asset.cost) : asset.cost,
    }))
    .filter(({ usd }) => usd !== 0);
  TENANCY_SOURCES.forEach(({ column }, i) => {
    const own = overheads.filter(({ asset }) => asset.isAttached === (i === 1));
    const columns = ['sharedCost', ...(isItemized ? [column] : [])];
    if (own.length > 0) shareOverheads(space, rewrite, rows, own, columns);
  });
}

/** Overheads of the same time are divided in one pass over the rows. */
function shareOverheads(
  space: Workspace,
  rewrite: Rewrite,
  rows: RowIndex,
  overheads: readonly Overhead[],
  columns: readonly string[],
): void {
  const placeOf = new Map<string, number>();
  for (const { asset } of overheads) {
    if (!placeOf.has(asset.cluster)) placeOf.set(asset.cluster, placeOf.size + 1);
  }
  const placed = workloadsOf(space, rows, placeOf);
  const spans = new Map<string, Overhead[]>();
  for (const overhead of overheads) {
    const { startMs, endMs } = overhead.asset;
    const same = spans.get(`${startMs}-${endMs}`) ?? [];
    if (same.push(overhead) === 1) spans.set(`${startMs}-${endMs}`, same);
  }
  const charge = (row: number, usd: number): void => {
    for (const values of columns.map((name) => rewrite.column(name))) {
      values[row] = (values[row] ?? 0) + usd;
    }
  };
  for (const same of spans.values()) {
    const times = rows.timesWithin(same[0]?.asset ?? { startMs: 0, endMs: 0 });
    const beside = sumOverlaps(space, placed, times);
    const rates = new Float64Array(placed.count);
    for (const { asset, usd } of same) {
      const place = placeOf.get(asset.cluster) ?? 0;
      const total = beside[place] ?? 0;
      if (total > 0) rates[place] = (rates[place] ?? 0) + usd / total;
      else {
        const payers = rows.inCluster(asset.cluster);
        shareByHours(rows.lives, payers, asset, (row, part) => charge(row, part * usd));
      }
    }
    addToAll(space, placed, times, rates, rewrite, columns);
  }
}

function addToAll(
  space: Workspace,
  placed: Placed,
  times: Times,
  rates: Float64Array,
  rewrite: Rewrite,
  columns: readonly string[],
): void {
  for (const name of columns) addOverlaps(space, placed, times, rates, rewrite.numbers(name));
}

/** The place of each workload's cluster. */
function workloadsOf(
  space: Workspace,
  rows: RowIndex,
  placeOf: ReadonlyMap<string, number>,
): Placed {
  const clusters = textColumn(rows.table, 'cluster');
  const places = numbersIn(space, clusters, (cluster) => placeOf.get(cluster) ?? 0);
  for (const kind of [ROW_KINDS.unmounted, ROW_KINDS.idle, ROW_KINDS.external]) {
    for (const row of rows.ofKind(kind)) places[row] = 0;
  }
  return { places, count: placeOf.size + 1 };
}
