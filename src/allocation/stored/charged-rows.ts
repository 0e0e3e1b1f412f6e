/** The rows of a set that a query reads, with the charges of assets. */
import {
  joinTables,
  onlyColumns,
  openTable,
  type Arena,
  type Table,
  type TableAddresses,
  type TextPiece,
  type Workspace,
} from '../../columnar/index.ts';
import type { Window } from '../../query/index.ts';
import { chargeAssets, type ChargesQuery } from '../reconcile/asset-charges.ts';
import type { ChargedAsset } from '../reconcile/charged-asset.ts';
import { overlay } from '../row/overlay.ts';

/** Rows of a set, in the arena. */
export interface ChargedRows {
  /** Tables of the same rows, with different columns. */
  readonly tables: readonly TableAddresses[];
  /** Columns of the query; null: all. */
  readonly columns: readonly string[] | null;
  /** Charges of assets to the rows. */
  readonly charges: { readonly at: TextPiece; readonly request: ChargesQuery } | null;
  /** The column that stands for `sharedCost`; absent: that itself. */
  readonly sharedCost?: string;
  /** JoinedCost[] as JSON, beside the rows. */
  readonly external: { readonly rows: string; readonly window: Window } | null;
}

/** Tables of the same rows as one. */
export function joinedAt(arena: Arena, tables: readonly TableAddresses[]): Table {
  return joinTables(tables.map((at) => openTable(arena, at)));
}

/** @param isItemized whether tenancy costs have columns of their own too */
export function rowsOf(
  space: Workspace,
  { tables, columns, charges, sharedCost }: Omit<ChargedRows, 'external'>,
  isItemized: boolean,
): Table {
  const { arena } = space.engine;
  const read = joinedAt(arena, tables);
  const whole =
    sharedCost === undefined
      ? read
      : overlay(read, new Map([['sharedCost', read.numbers(sharedCost)]]));
  const shown = columns === null ? whole : onlyColumns(whole, columns);
  if (charges === null) return shown;
  const { address, bytes } = charges.at;
  const assets = JSON.parse(arena.text(address, bytes).toString()) as readonly ChargedAsset[];
  return chargeAssets(space, { shown, read: whole }, assets, charges.request, isItemized);
}
