/** The allocation query over one set: filter, idle, share, group; and over sets, their sum. */
import {
  bytesOfRows,
  columnSpecs,
  pickRows,
  sliceRows,
  type Engine,
  type Owner,
} from '../../columnar/index.ts';
import type { ColumnSpec, Table, Workspace } from '../../columnar/index.ts';
import type { Filter } from '../../query/index.ts';
import { foldGroups, type Grouped, type GroupedPart } from './aggregate.ts';
import { distribute, withExternal } from './distribute.ts';
import type { SharingOptions } from './sharing-options.ts';
import { Groups } from './groups.ts';
import { ASSET_COSTS, AssetTotals, costsOfRows, type RowCosts } from '../row/asset-costs.ts';
import { kindsIn, ROW_KINDS, rowsOfKind } from '../row/row-kinds.ts';
import { nameRows, partsOfName, type Grouping, type IdleNames } from './row-names.ts';
import { select } from '../row/select.ts';
import { MEASURES, SAMPLED_BOUNDS } from '../row/schema.ts';
import type { SetPart } from './set-part.ts';
import { shareSources, sourcesOf, type ShareSource } from './share-sources.ts';
import { BALANCERS, type SharedCosts } from './shared-costs.ts';
import { breakdownColumns, fillBreakdown, writeBreakdown } from './shared-breakdown.ts';
import { ungroupedRows } from './ungrouped-rows.ts';
import { pageRows, type Paging } from './page.ts';
import { groupsByName, isPage, rowsOfPage, type Page } from './rows-of-page.ts';

/** The query of one set: plain data, sent to workers. */
export interface SetQuery extends SharingOptions {
  readonly keys: Grouping['keys'];
  /** Rows of the answer; null: all. */
  readonly filter: Filter | null;
  /** Rows whose costs the others share; null: none. */
  readonly share: Filter | null;
  readonly includeSharedCostBreakdown: boolean;
  /** Whether rows show the volumes and load balancers that they pay for; absent: no. */
  readonly showsPaid?: true;
  /** Whether rows show their shares in the costs of assets; absent: no. */
  readonly showsAssetShares?: true;
  /** Names of idle rows; absent: as the parameters say. */
  readonly idleNames?: IdleNames;
}

/** Shared idle is one row: the rest that no row pays. */
export function idleNamesOf(query: SharingOptions): IdleNames {
  if (!query.splitIdle || query.shareIdle) return 'one';
  return query.idleByNode ? 'node' : 'cluster';
}

/**
 * @param tables rows of one set, columns as in schema.ts
 * @param externalRows rows that add costs to groups of other rows, which describe the group
 * @param unseen rows that add their bounds (SAMPLED_BOUNDS) to groups of other rows
 */
export function querySet(
  engine: Engine,
  owner: Owner,
  tables: readonly Table[],
  query: SetQuery,
  externalRows: readonly Table[] = [],
  unseen: readonly Table[] = [],
): Grouped {
  const space = { engine, owner };
  const own = externalRows.length > 0 ? undefined : ungrouped(space, tables, query, unseen);
  return own ?? groupSet(space, tables, query, externalRows, unseen);
}

/** As `querySet`, a page of it: where rows are not aggregated, those of other pages are not laid out. */
export function queryPage(
  engine: Engine,
  owner: Owner,
  tables: readonly Table[],
  query: SetQuery,
  externalRows: readonly Table[],
  paging: Paging,
): Grouped {
  const space = { engine, owner };
  const isDirect = query.keys.length === 0 && externalRows.length === 0 && isPage(paging);
  const first = isDirect ? pageOf(space, tables, query, paging) : undefined;
  const whole = first ?? querySet(engine, owner, tables, query, externalRows);
  const offset = first === undefined ? paging.offset : 0;
  return { ...whole, frame: pageRows(engine, owner, whole, { ...paging, offset }) };
}

const NO_GROUPS: Uint32Array = new Uint32Array();

/** Undefined where the set must be grouped as a whole. */
function pageOf(
  space: Workspace,
  tables: readonly Table[],
  query: SetQuery,
  page: Page,
): Grouped | undefined {
  const sources = shareSources(query.share, query.includeSharedCostBreakdown);
  // Only an even split is by groups.
  const isByGroup =
    query.shareSplit === 'even' &&
    (sources.length > 0 || query.overheads.length > 0 || query.sharesBalancers === true);
  if (isByGroup && tables.length > 1) return undefined;
  const parts = tables.map((table) => ungroupedPart(space, table, query, sources, NO_GROUPS));
  if (isByGroup) {
    const [only] = parts;
    const groups = only && groupsByName(space, only);
    if (only === undefined || groups === undefined) return undefined;
    parts.splice(0, 1, { ...only, groups });
  }
  const assets = assetCosts(parts, query);
  const set = distribute(space, parts, query, sources.length);
  const distributed = set.parts.map((part, i) => ({
    ...part,
    kinds: parts[i]?.kinds ?? NO_GROUPS,
  }));
  const rows = rowsOfPage(space, distributed, page);
  if (rows === undefined) return undefined;
  const groups = new Groups(space, partsOfName([]));
  const picked = distributed.map(({ table }, i) => {
    const shown = rows[i] ?? new Uint32Array();
    const few = pickRows(space, table, shown);
    const of = assets?.ofParts[i];
    const costs: RowCosts | undefined = of && ((row, visit) => of(shown[row] ?? 0, visit));
    const assignment = assigned(space, few, query, groups);
    return { table: few, counted: null, groups: assignment, assetCosts: costs };
  });
  return folded(space, groups, picked, query, set.shared, assets);
}

/** A part before its rows have groups. */
function ungroupedPart(
  space: Workspace,
  table: Table,
  query: SetQuery,
  sources: readonly ShareSource[],
  groups: Uint32Array,
): SetPart {
  const kinds = kindsIn(space, table);
  return {
    table,
    kinds,
    idle: rowsOfKind(space, kinds, ROW_KINDS.idle),
    groups,
    matched: query.filter === null ? null : select(table, query.filter),
    sources: sourcesOf(table, kinds, sources),
  };
}

/** The group of each row, by its name. */
function assigned(space: Workspace, table: Table, query: SetQuery, groups: Groups): Uint32Array {
  const grouping = { keys: query.keys, idleNames: query.idleNames ?? idleNamesOf(query) };
  const idle = rowsOfKind(space, kindsIn(space, table), ROW_KINDS.idle);
  return groups.assign(space, nameRows({ space, table, texts: groups.texts }, idle, grouping));
}

function groupSet(
  space: Workspace,
  tables: readonly Table[],
  query: SetQuery,
  externalRows: readonly Table[] = [],
  unseen: readonly Table[] = [],
): Grouped {
  const groups = new Groups(space, partsOfName(query.keys));
  const sources = shareSources(query.share, query.includeSharedCostBreakdown);
  const parts = [...tables, ...externalRows].map((table) =>
    ungroupedPart(space, table, query, sources, assigned(space, table, query, groups)),
  );
  const assets = assetCosts(parts, query);
  const set = distribute(space, parts, query, sources.length);
  const grouped = set.parts.map((part, i) => ({
    ...part,
    isExternalRow: i >= tables.length,
    assetCosts: assets?.ofParts[i],
  }));
  const bounds = unseen.map((table) => unseenPart(space, table, query, groups));
  return folded(space, groups, [...grouped, ...bounds], query, set.shared, assets);
}

/** Bounds of rows that are not in the set. Where idle is shared, there are none of it. */
function unseenPart(
  space: Workspace,
  table: Table,
  query: SetQuery,
  groups: Groups,
): GroupedPart & { readonly isUnseen: true } {
  const isBound = (name: string): boolean => SAMPLED_BOUNDS.some((bound) => bound === name);
  const matched = query.filter === null ? null : select(table, query.filter);
  return {
    table: { ...table, numbers: (name) => (isBound(name) ? table.numbers(name) : undefined) },
    groups: assigned(space, table, query, groups),
    counted: matched === null ? null : bytesOfRows(space, matched, null),
    isUnseen: true,
  };
}

interface AssetCosts {
  readonly ofParts: readonly RowCosts[];
  readonly totals: AssetTotals;
}

/** What rows pay of assets, before anything is distributed; undefined where it is not shown. */
function assetCosts(
  parts: readonly SetPart[],
  { showsAssetShares, idleByNode }: SetQuery,
): AssetCosts | undefined {
  if (!showsAssetShares) return undefined;
  const totals = new AssetTotals();
  const ofParts = parts.map(({ table, kinds }) => {
    const costs = costsOfRows(table, kinds, idleByNode);
    for (let row = 0; row < table.rows; row++) {
      costs(row, (asset, usd) => totals.add(asset, usd));
    }
    return costs;
  });
  return { ofParts, totals };
}

function folded(
  { engine, owner }: Workspace,
  groups: Groups,
  parts: readonly GroupedPart[],
  query: SetQuery,
  shared: readonly SharedCosts[],
  assets: AssetCosts | undefined,
): Grouped {
  const others = otherColumns(query, shared.length);
  const { showsPaid } = query;
  const grouped = foldGroups(engine, owner, groups, parts, { others, showsPaid });
  if (query.includeSharedCostBreakdown) {
    fillBreakdown(grouped, shared);
    writeBreakdown(grouped, sourceNames(query));
  }
  return assets === undefined ? grouped : { ...grouped, assetTotals: assets.totals.text };
}

/** Columns of a grouped frame that few queries have. @param sources of shared cost */
export function otherColumns(
  { includeSharedCostBreakdown, showsAssetShares }: SetQuery,
  sources: number,
): ColumnSpec[] {
  return [
    ...(includeSharedCostBreakdown ? breakdownColumns(sources) : []),
    ...(showsAssetShares ? columnSpecs({ texts: [ASSET_COSTS], numbers: [] }) : []),
  ];
}

/** Whether the rows of a set are only shown: not filtered, shared or grouped. */
export function isShown(query: SetQuery): boolean {
  const { keys, filter, share, overheads, shareIdle } = query;
  const isSharing = share !== null || query.sharesBalancers === true;
  const isWhole = keys.length === 0 && filter === null && !isSharing;
  const isPlain = !query.includeSharedCostBreakdown && query.showsAssetShares !== true;
  return isWhole && !shareIdle && overheads.length === 0 && isPlain;
}

/** The set where its rows are copied; undefined where they must be grouped. */
function ungrouped(
  space: Workspace,
  tables: readonly Table[],
  query: SetQuery,
  unseen: readonly Table[],
): Grouped | undefined {
  const split = isShown(query) ? splitIdle(space, tables) : undefined;
  if (split === undefined) return undefined;
  const [idle, rows] = split;
  const ofIdle = sliceRows(idle, 0, query.idle ? idle.rows : 0);
  return ungroupedRows(space, withExternal(rows, query), (others) =>
    groupSet(space, [ofIdle, ...others], query, [], unseen),
  );
}

/** Idle and other rows: idle comes first in the table, or is the second table alone. */
function splitIdle(
  space: Workspace,
  [table, second, ...others]: readonly Table[],
): [idle: Table, rows: Table] | undefined {
  if (table === undefined || others.length > 0) return undefined;
  const kinds = kindsIn(space, table);
  if (kinds.includes(ROW_KINDS.external)) return undefined;
  const idle = rowsOfKind(space, kinds, ROW_KINDS.idle).length;
  if (kinds.subarray(0, idle).some((kind) => kind !== ROW_KINDS.idle)) return undefined;
  if (!second) return [sliceRows(table, 0, idle), sliceRows(table, idle, table.rows)];
  const isIdle = kindsIn(space, second).every((kind) => kind === ROW_KINDS.idle);
  const isAlike = MEASURES.every(
    ({ column }) =>
      (table.numbers(column) === undefined) === (second.numbers(column) === undefined),
  );
  return idle === 0 && isIdle && isAlike ? [second, table] : undefined;
}

/** Names of shared costs, in the order of a set's sources. */
export function sourceNames({ share, overheads, sharesBalancers }: SetQuery): string[] {
  const names = [...shareSources(share, true), ...overheads].map(({ name }) => name);
  return sharesBalancers ? [...names, BALANCERS] : names;
}
