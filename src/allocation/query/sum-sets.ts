/** The sum of grouped sets: rows of one name become one, whatever set they are of. */
import {
  addressOf,
  createFrame,
  firstNumbers,
  textColumn,
  type Engine,
  type Frame,
  type Owner,
  type Table,
  type TextIndex,
  type Texts,
  type Workspace,
} from '../../columnar/index.ts';
import {
  foldGroups,
  groupedTable,
  partColumn,
  type Grouped,
  type GroupedPart,
} from './aggregate.ts';
import { Groups } from './groups.ts';
import { AssetTotals, costsOfGroups } from '../row/asset-costs.ts';
import { EXTERNAL, IDLE } from '../row/row-kinds.ts';
import { partsOfName } from './row-names.ts';
import { otherColumns, sourceNames, type SetQuery } from './set-query.ts';
import { writeBreakdown } from './shared-breakdown.ts';

/** A grouped set, and the texts that its codes are of. */
export interface GroupedSet {
  readonly frame: Frame;
  readonly texts: Texts;
  /** As of `Grouped`. */
  readonly assetTotals?: string;
}

/** @param sets in their order, which is that of the additions */
export function accumulate(
  engine: Engine,
  owner: Owner,
  sets: readonly GroupedSet[],
  query: SetQuery,
): Grouped {
  const space = { engine, owner };
  const groups = new Groups(space, partsOfName(query.keys));
  const parts = sets.flatMap((set) => partsOf(space, set, groups));
  const { showsPaid, showsAssetShares, includeSharedCostBreakdown } = query;
  const names = includeSharedCostBreakdown ? sourceNames(query) : [];
  const others = otherColumns(query, names.length);
  const grouped = foldGroups(engine, owner, groups, parts, { others, showsPaid });
  if (includeSharedCostBreakdown) writeBreakdown(grouped, names);
  return showsAssetShares ? { ...grouped, assetTotals: sumOfTotals(sets) } : grouped;
}

/** What assets cost in all sets, in whichever of them a row is. */
function sumOfTotals(sets: readonly GroupedSet[]): string {
  const totals = new AssetTotals();
  for (const { assetTotals = '[]' } of sets) totals.addText(assetTotals);
  return totals.text;
}

function partsOf(space: Workspace, set: GroupedSet, groups: Groups): GroupedPart[] {
  const { texts } = groups;
  const codes = inCommonCodes(space, set, texts);
  const table = withTexts(groupedTable(set.frame, set.texts), codes, texts);
  const column = (name: string): Uint32Array => textColumn(table, name).codes;
  const [containers, idle] = [column('container'), texts.find(IDLE)];
  // Each row has a name of its own.
  const named = {
    rows: firstNumbers(table.rows),
    names: column('name'),
    parts: groups.parts.map((_, part) => column(partColumn(part))),
    isIdle: (row: number) => containers[row] === idle,
  };
  const assetCosts = set.assetTotals === undefined ? undefined : costsOfGroups(table);
  const part = { table, groups: groups.assign(space, named), counted: null, assetCosts };
  return withExternalRows(part, containers, texts.find(EXTERNAL));
}

/**
 * Columns of texts of a set as codes of texts that all sets have in common: rows are compared by
 * them. Columns that no row has anything in are left out.
 */
function inCommonCodes(
  { engine, owner }: Workspace,
  { frame, texts }: GroupedSet,
  to: TextIndex,
): Frame {
  const { arena, kernels } = engine;
  const columns = [...frame.columns.values()].filter(
    ({ name, type, address }) =>
      type === 'u32' && name !== 'endSource' && kernels.anyCode(address, frame.rows) === 1,
  );
  const codes = createFrame(arena, columns, frame.rows, owner);
  const by = addressOf({ engine, owner }, to.merge(texts, owner));
  for (const { name, address } of columns) {
    kernels.mapCodes(address, frame.rows, by, codes.u32(name).byteOffset);
  }
  arena.free(by, 4 * texts.size);
  return codes;
}

function withTexts(table: Table, codes: Frame, texts: Texts): Table {
  return {
    ...table,
    text(name) {
      if (name === 'endSource') return table.text(name);
      return codes.has(name) ? { codes: codes.u32(name), texts } : undefined;
    },
  };
}

/** Rows of external costs alone join the groups of others, on other days too. */
function withExternalRows(
  part: GroupedPart,
  containers: Uint32Array,
  external: number | undefined,
): GroupedPart[] {
  if (external === undefined || !containers.includes(external)) return [part];
  const isExternalRow = Uint8Array.from(containers, (code) => (code === external ? 1 : 0));
  return [
    { ...part, counted: isExternalRow.map((is) => 1 - is) },
    { ...part, counted: isExternalRow, isExternalRow: true },
  ];
}
