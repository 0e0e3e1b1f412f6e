/** Tasks of assets: workers read stored sets, group them and write the groups as text. */
import {
  checksumOf,
  storePieces,
  type Engine,
  type Owner,
  type Table,
  type TextPiece,
} from '../columnar/index.ts';
import type { Window } from '../query/index.ts';
import { SetReader, unlessDamaged, type FoundDamage, type StoredSet } from '../storage/index.ts';
import {
  adjustmentsOf,
  ADJUSTED_COLUMNS,
  billableRows,
  withAdjustments,
  type Adjusting,
  type Adjustment,
  type BillableRow,
} from './adjustments.ts';
import { LINE_COLUMNS, setsWithBilled } from './billed.ts';
import type { RecentBill } from './recent-bill.ts';
import { assetChanges, type AssetChange } from './changes.ts';
import { valuesIn, VALUE_COLUMNS, type AssetValues } from './field-values.ts';
import { recentPrices } from './recent-prices.ts';
import { ASSET_COLUMNS, withTypes } from './columns.ts';
import { AssetGroups, noAssets, type AssetGroup, type AssetQuery } from './groups.ts';
import { pageOf, type Paging } from './page.ts';
import type { AssetFormat } from './params.ts';
import { assetCsv, assetWriter, toplineText } from './shown.ts';
import { graphText, totalsText } from './sums-shown.ts';
import type { TasksOf } from '../pool/task.ts';

/** A stored set, and its adjustments by the bill. */
export interface AdjustedSet {
  readonly stored: StoredSet;
  readonly adjustments: readonly Adjustment[];
}

export interface AssetsInput {
  /** In order of time; together they are one set of the answer. */
  readonly sets: readonly AdjustedSet[];
  readonly window: Window;
  readonly query: AssetQuery;
  readonly paging: Paging;
  readonly format: AssetFormat;
  /** Owns what is needed on the way only. */
  readonly owner: Owner;
  /** Owns the text. */
  readonly textOwner: Owner;
}

export interface AssetsWritten {
  /** UTF-8 in the arena, one after the other. */
  readonly chunks: readonly TextPiece[];
  readonly damages: readonly FoundDamage[];
}

export interface AdjustInput {
  readonly assets: StoredSet;
  readonly lines: readonly StoredSet[];
  /** Prices of times without lines. */
  readonly recent: RecentBill | null;
  /** Assets that warnings of the set are about, as `Type/cluster/name`. */
  readonly concerned: readonly string[];
  readonly owner: Owner;
}

/** Nothing is adjusted if any set is damaged: half a bill would make everything cheaper. */
export interface Adjusted extends Adjusting {
  readonly damages: readonly FoundDamage[];
}

export interface DiffInput extends Pick<AssetsInput, 'query' | 'owner'> {
  readonly before: readonly AdjustedSet[];
  readonly after: readonly AdjustedSet[];
  /** Changes of less are left out: a part of what the group cost before. */
  readonly leastRatio: number;
}

export interface ValuesInput {
  readonly sets: readonly StoredSet[];
  readonly request: AssetValues;
  readonly owner: Owner;
}

export type AssetTasks = {
  adjustAssets: { input: AdjustInput; output: Adjusted };
  /** Writes the members of a set's JSON object, or lines of CSV. */
  assets: { input: AssetsInput; output: AssetsWritten };
  assetDiff: {
    input: DiffInput;
    output: { readonly changes: readonly AssetChange[]; readonly damages: readonly FoundDamage[] };
  };
  assetValues: {
    input: ValuesInput;
    output: { readonly values: readonly string[]; readonly damages: readonly FoundDamage[] };
  };
};

export function assetTasks(engine: Engine): TasksOf<AssetTasks> {
  const { arena } = engine;
  const reader = new SetReader(arena, checksumOf(engine));
  const addSets = setAdder(engine, reader);
  return {
    adjustAssets({ assets, lines, recent, concerned, owner }) {
      const damages: FoundDamage[] = [];
      const read = (stored: StoredSet, names: readonly string[]): Table | undefined =>
        unlessDamaged(stored, damages, () => reader.read(stored, owner, names).table);
      const rowsOf = (stored: StoredSet): BillableRow[] => {
        arena.release(owner);
        const table = read(stored, ADJUSTED_COLUMNS);
        return table ? billableRows(withTypes(table)) : [];
      };
      // One file at a time: a bill can be larger than the memory.
      const each = function* (all: readonly StoredSet[]): Generator<Table> {
        for (const stored of all) {
          arena.release(owner);
          const line = read(stored, LINE_COLUMNS);
          if (line) yield line;
        }
      };
      const before = (recent?.days ?? []).map((day) => ({ window: day.key, assets: rowsOf(day) }));
      const prices = recent && recentPrices(setsWithBilled(before, each(recent.lines)));
      const rows = rowsOf(assets);
      const adjusting = adjustmentsOf(rows, each(lines), assets.key, prices, concerned);
      return { ...(damages.length === 0 ? adjusting : NOT_ADJUSTED), damages };
    },

    assets({ sets, window, query, paging, format, owner, textOwner }) {
      const groups = new AssetGroups(query);
      const together = new AssetGroups({ ...query, keys: [] });
      const sums = format === 'topline' || format === 'totals' ? [groups, together] : [groups];
      const damages: FoundDamage[] = [];
      addSets(sets, owner, sums, damages);
      const texts = TEXTS[format]({
        groups: groups.all,
        total: together.all[0] ?? noAssets(window),
        window,
        paging,
      });
      return { chunks: storePieces(arena, textOwner, texts), damages };
    },

    assetDiff: (input) => assetDiff(addSets, input),

    assetValues: (input) => assetValues(engine, reader, input),
  };
}

const NOT_ADJUSTED: Adjusting = { adjustments: [], concerned: {} };

type AddSets = (
  sets: readonly AdjustedSet[],
  owner: Owner,
  sums: readonly AssetGroups[],
  damages: FoundDamage[],
) => void;

/** Adds the assets of sets to all sums; damaged sets are left out. */
function setAdder({ arena }: Engine, reader: SetReader): AddSets {
  const columns = [...ASSET_COLUMNS.texts, ...ASSET_COLUMNS.numbers];
  return (sets, owner, sums, damages) => {
    for (const { stored, adjustments } of sets) {
      unlessDamaged(stored, damages, () => {
        const table = withTypes(reader.read(stored, owner, columns).table);
        for (const each of withAdjustments(table, adjustments)) {
          for (const sum of sums) sum.add(each);
        }
      });
      arena.release(owner);
    }
  };
}

function assetDiff(
  addSets: AddSets,
  { before, after, query, leastRatio, owner }: DiffInput,
): AssetTasks['assetDiff']['output'] {
  const damages: FoundDamage[] = [];
  const [then, now] = [new AssetGroups(query), new AssetGroups(query)];
  addSets(before, owner, [then], damages);
  addSets(after, owner, [now], damages);
  return { changes: assetChanges(then.all, now.all, leastRatio), damages };
}

function assetValues(
  { arena }: Engine,
  reader: SetReader,
  { sets, request, owner }: ValuesInput,
): AssetTasks['assetValues']['output'] {
  const damages: FoundDamage[] = [];
  const values = new Set<string>();
  for (const stored of sets) {
    unlessDamaged(stored, damages, () => {
      const { table } = reader.read(stored, owner, VALUE_COLUMNS);
      for (const value of valuesIn(withTypes(table), request)) values.add(value);
    });
    arena.release(owner);
  }
  return { values: [...values], damages };
}

interface Written {
  readonly groups: readonly AssetGroup[];
  /** The sum of all groups, for a topline. */
  readonly total: AssetGroup;
  readonly window: Window;
  readonly paging: Paging;
}

/** The groups as members of a JSON object. */
function* membersOf({ groups, window, paging }: Written): Generator<string> {
  const json = assetWriter(window);
  let before = '';
  for (const group of pageOf(groups, paging)) {
    yield before + json(group);
    before = ',';
  }
}

const TEXTS: Readonly<Record<AssetFormat, (of: Written) => Iterable<string>>> = {
  json: membersOf,
  map: membersOf,
  *csv({ groups, paging }) {
    for (const group of pageOf(groups, paging)) yield assetCsv(group);
  },
  topline: ({ groups, total, window }) => [toplineText(groups.length, total, window)],
  totals: ({ groups, total }) => [totalsText(groups.length, total)],
  graph: ({ groups, window, paging }) => [graphText(pageOf(groups, paging), window)],
};
