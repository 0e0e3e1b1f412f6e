/** Stored rows adjusted to the billed cost of their assets, with the overhead that tenants share. */
import { billedCosts, setsWithBilled, type AssetsOf } from '../../assets/billed.ts';
import { nodeCostsOf, type NodeCosts } from '../../assets/node-costs.ts';
import { withRecent, type RecentPrices } from '../../assets/recent-prices.ts';
import type { Table, Workspace } from '../../columnar/index.ts';
import type { RecentBill } from '../../assets/recent-bill.ts';
import type { BilledCosts } from '../../query/index.ts';
import type { StoredSet } from '../../storage/index.ts';
import { isTenancy, mergeTenancy, type ChargedAsset, type UnbilledAsset } from './charged-asset.ts';
import { Rewrite } from '../row/overlay.ts';
import { reconcile, RECONCILED_BY } from './reconcile.ts';
import { RowIndex } from './row-index.ts';
import { shareTenancy } from './tenancy.ts';

/** Stored sets that charges are computed from. */
export interface ChargedBy {
  readonly assets: StoredSet;
  /** Lines of the bill; none: nothing is reconciled. */
  readonly lines: readonly StoredSet[];
  /** Prices of times without lines; null: list prices. */
  readonly recent: RecentBill | null;
  /** The day's assets, where the set is one of its hours and lines may be of the whole day; null: none. */
  readonly day: StoredSet | null;
  /** Assets that the set's warnings are about, as `Type/cluster/name`: the same for the same assets. */
  readonly concerned: readonly string[];
}

/** Which costs of assets are charged to rows. */
export interface ChargesQuery {
  readonly reconcile: boolean;
  readonly shareTenancyCosts: boolean;
}

/** The assets of a set that charge its rows: plain data, sent to workers. */
export interface AssetCharges {
  /** ChargedAsset[] as JSON, parsed only where rows are charged; '' for none. */
  readonly assets: string;
  /** Columns of rows that the charges depend on. */
  readonly columns: readonly string[];
  /** How many assets a bill could have lines for, and how many it has. */
  readonly billable: number;
  readonly billed: number;
  /** How many of the billed ones are charged by a bill of days before. */
  readonly estimated: number;
  /** USD of nodes by the source of their prices; null where no bill was read. */
  readonly nodeCosts: NodeCosts | null;
  readonly concerned: BilledCosts;
}

/** The charges to one set of an answer. */
export interface MemberCharges extends AssetCharges {
  /** The same for the same charges. */
  readonly id: string;
  readonly request: ChargesQuery;
}

/** Kinds of assets that have a line of their own in a bill. */
const BILLABLE: readonly string[] = ['Node', 'Disk', 'LoadBalancer'];

/**
 * @param sets their assets, nothing billed yet, and those that warnings are about
 * @param lines of a bill, columns as LINE_COLUMNS; each is read before the next is taken
 * @param recent prices of times without lines
 * @returns the charges of each set
 */
export function chargesOf(
  sets: readonly (AssetsOf<UnbilledAsset> & { readonly concerned?: readonly string[] })[],
  lines: Iterable<Table>,
  recent: RecentPrices | null = null,
): AssetCharges[] {
  return setsWithBilled(sets, lines).map((set, i) =>
    chargesBy(recent === null ? set.assets : withRecent(set, recent), sets[i]?.concerned ?? []),
  );
}

function chargesBy(all: readonly ChargedAsset[], concerned: readonly string[]): AssetCharges {
  const billable = all.filter(({ type }) => BILLABLE.includes(type));
  const reconciled = all.filter((asset) => asset.billed !== null && !isTenancy(asset));
  const hasCost = ({ cost, billed }: ChargedAsset): boolean => cost !== 0 || billed !== null;
  const shared = all.filter((asset) => isTenancy(asset) && hasCost(asset));
  const charged = [...reconciled, ...mergeTenancy(shared)];
  return {
    assets: charged.length === 0 ? '' : JSON.stringify(charged),
    columns: [...new Set(reconciled.flatMap(({ type }) => RECONCILED_BY[type] ?? []))],
    billable: billable.length,
    billed: billable.filter(({ billed }) => billed !== null).length,
    estimated: billable.filter(({ isEstimated }) => isEstimated).length,
    nodeCosts: all.some(({ type }) => type === 'Node') ? nodeCostsOf(all) : null,
    concerned: billedCosts(all, new Set(concerned)),
  };
}

/**
 * @param shown the columns of the query
 * @param read the same rows, with the columns that the charges depend on
 * @param isItemized whether tenancy costs have columns of their own too, for breakdowns
 */
export function chargeAssets(
  space: Workspace,
  { shown, read }: { readonly shown: Table; readonly read: Table },
  charged: readonly ChargedAsset[],
  request: ChargesQuery,
  isItemized: boolean,
): Table {
  const rewrite = new Rewrite(space, shown);
  const rows = new RowIndex(space, read);
  const show = request.reconcile ? reconcile(space, rewrite, rows, charged) : undefined;
  if (request.shareTenancyCosts) {
    const how = { isReconciled: request.reconcile, isItemized };
    shareTenancy(space, rewrite, rows, charged, how);
  }
  const { table } = rewrite;
  return show ? show(table) : table;
}
