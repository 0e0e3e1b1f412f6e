/** Grouped rows: one row a group, with the sums of its rows and the texts that they share. */
import {
  codesIn,
  columnSpecs,
  createFrame,
  firstNumbers,
  frameTable,
  mapCodes,
  mapSelectedCodes,
  type ColumnSpec,
  type Engine,
  type Frame,
  type Owner,
  type StorableTexts,
  type Table,
  type TextIndex,
  type Texts,
  type Workspace,
} from '../../columnar/index.ts';
import { foldNumbers, type Keyed } from './fold-numbers.ts';
import { foldAssetCosts, foldPaid } from './fold-paid.ts';
import { foldTexts } from './fold-texts.ts';
import type { Groups } from './groups.ts';
import { ASSET_COSTS, type RowCosts } from '../row/asset-costs.ts';
import {
  END_SOURCES,
  IDENTITY_COLUMNS,
  MEASURES,
  PAID_COLUMNS,
  PRICE_SOURCE,
  TEXT_COLUMNS,
} from '../row/schema.ts';

/** Column of a grouped frame that holds one part of the name. */
export function partColumn(part: number): string {
  return `part${part}`;
}

/** Where a grouped set is in the arena. */
export interface GroupedAddresses {
  readonly frame: number;
  readonly dictionary: number;
  /** A dictionary of one text, the totals of `Grouped`. */
  readonly assetTotals?: number;
}

/**
 * A grouped set: idle rows first, then in order of name. `name` is a code of `texts`, like the
 * identity columns; `endSource` is a place in END_SOURCES.
 */
export interface Grouped {
  readonly frame: Frame;
  readonly texts: StorableTexts;
  /** What assets cost, as `AssetTotals` writes it, where shares in them are shown. */
  readonly assetTotals?: string;
}

/** A grouped set whose texts can still grow. */
export interface GroupedAnew extends Grouped {
  readonly texts: TextIndex;
}

/** A grouped set as rows to be grouped again. */
export function groupedTable(frame: Frame, texts: Texts): Table {
  const table = frameTable(frame, texts);
  const ends = { size: END_SOURCES.length, text: (code: number) => END_SOURCES[code] ?? '' };
  return {
    rows: table.rows,
    text: (name) =>
      name === 'endSource' ? { codes: frame.u32(name), texts: ends } : table.text(name),
    numbers: (name) => table.numbers(name),
  };
}

/** Rows, the group of each, and which of them count. */
export interface GroupedPart {
  readonly table: Table;
  readonly groups: Uint32Array;
  /** 1 for rows that count; null: all. */
  readonly counted: Uint8Array | null;
  /** Its rows add costs to groups of other rows, but describe none that has other rows. */
  readonly isExternalRow?: boolean;
  /** Its rows add to the numbers of groups that have other rows, and are nothing but that. */
  readonly isUnseen?: true;
  /** What its rows pay of assets, where shares in them are shown. */
  readonly assetCosts?: RowCosts | undefined;
}

/** What a grouped frame has beside the ordinary columns. */
interface Folding {
  /** Numbers are added up, codes are left to be written. */
  readonly others?: readonly ColumnSpec[];
  /** False: columns of what rows pay for are empty. */
  readonly showsPaid?: boolean | undefined;
}

/** One row a group that has rows which count. */
export function foldGroups(
  engine: Engine,
  owner: Owner,
  groups: Groups,
  parts: readonly GroupedPart[],
  { others = [], showsPaid = false }: Folding = {},
): GroupedAnew {
  const space = { engine, owner };
  const { texts, names } = groups;
  const order = groups.ordered(space, usedGroups(space, names.length, parts));
  const placeOf = new Uint32Array(names.length).fill(order.length);
  order.forEach((group, place) => {
    placeOf[group] = place;
  });
  const all = placedParts(space, parts, placeOf, order.length);
  const keyed = all.filter((_, i) => parts[i]?.isUnseen !== true);
  const columns = groupedColumns(parts, groups.parts.length, others);
  const frame = createFrame(engine.arena, columns, order.length, owner);
  fill(frame.u32('name'), order, names);
  groups.parts.forEach((codes, part) => fill(frame.u32(partColumn(part)), order, codes));
  const sums = others.filter(({ type }) => type === 'f64').map(({ name }) => name);
  foldNumbers(space, all, frame, sums);
  foldTexts(space, keyed, frame, texts);
  foldPaid(showsPaid ? keyed : [], frame, texts);
  if (frame.has(ASSET_COSTS)) foldAssetCosts(keyed, frame, texts);
  return { frame, texts };
}

/** 1 for each group with a row that counts; after them a place for rows that do not. */
function usedGroups(space: Workspace, count: number, parts: readonly GroupedPart[]): Uint8Array {
  const { arena } = space.engine;
  const isUsed = arena.u8(arena.allocateZeroed(count + 1, space.owner), count + 1);
  for (const { groups, counted, isUnseen } of parts) {
    if (isUnseen) continue;
    const countedGroups =
      counted === null
        ? groups
        : mapSelectedCodes(space, groups, firstNumbers(count), counted, count);
    codesIn(space, countedGroups, isUsed.length, isUsed);
  }
  return isUsed;
}

/** @param rest number of a row that is left out */
function placedParts(
  space: Workspace,
  parts: readonly GroupedPart[],
  placeOf: Uint32Array,
  rest: number,
): Keyed[] {
  const hosts = parts.filter(({ isExternalRow }) => isExternalRow !== true);
  const isHosted = hosts.length < parts.length ? usedGroups(space, placeOf.length, hosts) : null;
  return parts.map((part) => {
    const groups = placed(space, part, placeOf, rest);
    const { table, assetCosts } = part;
    if (part.isUnseen) return { table, groups, describing: groups.map(() => rest) };
    if (part.isExternalRow !== true) return { table, assetCosts, groups, describing: groups };
    const unhosted = placeOf.map((place, group) => (isHosted?.[group] === 1 ? rest : place));
    return { table, assetCosts, groups, describing: placed(space, part, unhosted, rest) };
  });
}

/** Groups by their place; what does not count comes after all of them. */
function placed(
  space: Workspace,
  { groups, counted }: GroupedPart,
  placeOf: Uint32Array,
  rest: number,
): Uint32Array {
  return counted === null
    ? mapCodes(space, groups, placeOf)
    : mapSelectedCodes(space, groups, placeOf, counted, rest);
}

function fill(target: Uint32Array, order: Uint32Array, values: readonly number[]): void {
  for (let place = 0; place < order.length; place++) target[place] = values[order[place] ?? 0] ?? 0;
}

/** Measures that some part has. */
function groupedColumns(
  parts: readonly GroupedPart[],
  partCount: number,
  others: readonly ColumnSpec[],
): ColumnSpec[] {
  const measured = MEASURES.map((m) => m.column).filter((name) =>
    parts.some(({ table }) => table.numbers(name) !== undefined),
  );
  const names = Array.from({ length: partCount }, (_, part) => partColumn(part));
  const codes = [
    'name',
    ...IDENTITY_COLUMNS,
    ...TEXT_COLUMNS,
    PRICE_SOURCE,
    ...PAID_COLUMNS,
    'endSource',
    ...names,
  ];
  const numbers = ['endUncertaintyMs', 'startMs', 'endMs', ...measured];
  return [...columnSpecs({ texts: codes, numbers }), ...others];
}
