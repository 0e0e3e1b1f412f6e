/** Stored rows with what their assets really cost, and with the overhead that tenants share. */
import { withBilled } from '../assets/billed.ts';
import type { Arena, Owner, Table } from '../columnar/index.ts';
import type { StoredSet } from '../storage/index.ts';
import { isTenancy, mergeTenancy, type ChargedAsset } from './charged-asset.ts';
import { Rewrite } from './overlay.ts';
import { reconcile, RECONCILED_BY } from './reconcile.ts';
import { RowsBy } from './rows-by.ts';
import { shareTenancy } from './tenancy.ts';
import type { Span } from './usage-hours.ts';

/** The sets that charges come from. */
export interface ChargedBy {
  readonly assets: StoredSet;
  /** Of the bill; none: nothing is reconciled. */
  readonly lines: readonly StoredSet[];
}

/** What of assets is charged to rows. */
export interface ChargesAsked {
  readonly reconcile: boolean;
  readonly shareTenancyCosts: boolean;
}

/** The assets of a set that charge its rows: plain data, which is part of a question. */
export interface AssetCharges {
  /** ChargedAsset[] as JSON, so that only who charges reads it; '' for none. */
  readonly assets: string;
  /** Columns of rows that the charges go by. */
  readonly columns: readonly string[];
  /** How many assets a bill could tell of, and of how many it does. */
  readonly billable: number;
  readonly billed: number;
}

/** The charges to one set of an answer. */
export interface MemberCharges extends AssetCharges {
  /** The same for the same charges. */
  readonly id: string;
  readonly asked: ChargesAsked;
}

/** Kinds of assets that have a line of their own in a bill. */
const BILLABLE: readonly string[] = ['Node', 'Disk', 'LoadBalancer'];

/**
 * @param assets of the set, nothing billed yet
 * @param lines of a bill, columns as LINE_COLUMNS; each is read before the next is asked for
 */
export function chargesOf(
  assets: readonly ChargedAsset[],
  lines: Iterable<Table>,
  window: Span,
): AssetCharges {
  const all = withBilled(assets, lines, window);
  const billable = all.filter(({ type }) => BILLABLE.includes(type));
  const reconciled = all.filter((asset) => asset.billed !== null && !isTenancy(asset));
  const shared = all.filter((asset) => isTenancy(asset) && (asset.cost !== 0 || asset.billed !== null)); // prettier-ignore
  const charged = [...reconciled, ...mergeTenancy(shared)];
  return {
    assets: charged.length === 0 ? '' : JSON.stringify(charged),
    columns: [...new Set(reconciled.flatMap(({ type }) => RECONCILED_BY[type] ?? []))],
    billable: billable.length,
    billed: billable.filter(({ billed }) => billed !== null).length,
  };
}

/**
 * @param shown the columns that the question is about
 * @param read the same rows, with the columns that the charges go by
 */
export function chargeAssets(
  arena: Arena,
  owner: Owner,
  { shown, read }: { readonly shown: Table; readonly read: Table },
  { assets, asked }: Pick<MemberCharges, 'assets' | 'asked'>,
): Table {
  if (assets === '') return shown;
  const charged = JSON.parse(assets) as readonly ChargedAsset[];
  const rewrite = new Rewrite(arena, owner, shown);
  const rows = new RowsBy(read);
  const see = asked.reconcile ? reconcile(read, rewrite, rows, charged) : undefined;
  if (asked.shareTenancyCosts) shareTenancy(rewrite, rows, charged, asked.reconcile);
  const { table } = rewrite;
  return see && shown.text('pvs') !== undefined ? see(table) : table;
}
