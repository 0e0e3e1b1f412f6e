/** The allocation query over one set: filter, idle, share, group; and over sets, their sum. */
import { sliceRows, type Engine, type Owner } from '../../columnar/index.ts';
import type { Table, Workspace } from '../../columnar/index.ts';
import type { Filter } from '../../query/index.ts';
import { foldGroups, type Grouped } from './aggregate.ts';
import { distribute, withExternal } from './distribute.ts';
import type { SharingOptions } from './sharing-options.ts';
import { Groups } from './groups.ts';
import { kindsIn, ROW_KINDS, rowsOfKind } from '../row/row-kinds.ts';
import { nameRows, partsOfName, type Grouping, type IdleNames } from './row-names.ts';
import { select } from '../row/select.ts';
import { MEASURES } from '../row/schema.ts';
import type { SetPart } from './set-part.ts';
import { shareSources, sourcesOf } from './share-sources.ts';
import { breakdownColumns, fillBreakdown, writeBreakdown } from './shared-breakdown.ts';
import { ungroupedRows } from './ungrouped-rows.ts';

/** The query of one set: plain data, sent to workers. */
export interface SetQuery extends SharingOptions {
  readonly keys: Grouping['keys'];
  /** Rows of the answer; null: all. */
  readonly filter: Filter | null;
  /** Rows whose costs the others share; null: none. */
  readonly share: Filter | null;
  readonly includeSharedCostBreakdown: boolean;
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
 */
export function querySet(
  engine: Engine,
  owner: Owner,
  tables: readonly Table[],
  query: SetQuery,
  externalRows: readonly Table[] = [],
): Grouped {
  const space = { engine, owner };
  const own = externalRows.length > 0 ? undefined : ungrouped(space, tables, query);
  return own ?? groupSet(space, tables, query, externalRows);
}

function groupSet(
  space: Workspace,
  tables: readonly Table[],
  query: SetQuery,
  externalRows: readonly Table[] = [],
): Grouped {
  const { engine, owner } = space;
  const groups = new Groups(partsOfName(query.keys));
  const grouping = { keys: query.keys, idleNames: query.idleNames ?? idleNamesOf(query) };
  const sources = shareSources(query.share, query.includeSharedCostBreakdown);
  const parts = [...tables, ...externalRows].map((table): SetPart => {
    const kinds = kindsIn(space, table);
    const idle = rowsOfKind(space, kinds, ROW_KINDS.idle);
    const keyed = { space, table, texts: groups.texts };
    return {
      table,
      kinds,
      idle,
      groups: groups.assign(space, nameRows(keyed, idle, grouping)),
      matched: query.filter === null ? null : select(table, query.filter),
      sources: sourcesOf(table, kinds, sources),
    };
  });
  const set = distribute(space, parts, query, sources.length);
  const folded = set.parts.map((part, i) => ({ ...part, isExternalRow: i >= tables.length }));
  if (!query.includeSharedCostBreakdown) return foldGroups(engine, owner, groups, folded);
  const columns = breakdownColumns(set.shared.length);
  const grouped = foldGroups(engine, owner, groups, folded, columns);
  fillBreakdown(grouped, set.shared);
  writeBreakdown(grouped, sourceNames(query));
  return grouped;
}

/** Whether the rows of a set are only shown: not filtered, shared or grouped. */
export function isShown(query: SetQuery): boolean {
  const { keys, filter, share, overheads, shareIdle, includeSharedCostBreakdown } = query;
  const isWhole = keys.length === 0 && filter === null && share === null;
  return isWhole && !shareIdle && overheads.length === 0 && !includeSharedCostBreakdown;
}

/** The set where its rows are copied; undefined where they must be grouped. */
function ungrouped(
  space: Workspace,
  tables: readonly Table[],
  query: SetQuery,
): Grouped | undefined {
  const split = isShown(query) ? splitIdle(space, tables) : undefined;
  if (split === undefined) return undefined;
  const [idle, rows] = split;
  const ofIdle = sliceRows(idle, 0, query.idle ? idle.rows : 0);
  return ungroupedRows(space, withExternal(rows, query), (others) =>
    groupSet(space, [ofIdle, ...others], query),
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
export function sourceNames({ share, overheads }: SetQuery): string[] {
  return [...shareSources(share, true), ...overheads].map(({ name }) => name);
}
