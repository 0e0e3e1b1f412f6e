/** What workers do for assets: stored sets read, grouped and written as text. */
import {
  checksumOf,
  storePieces,
  type Engine,
  type Owner,
  type Table,
  type TextPiece,
} from '../columnar/index.ts';
import type { Window } from '../query/index.ts';
import { DamagedSet, SetReader, type StoredSet } from '../storage/index.ts';
import {
  adjustmentsOf,
  BILLABLE_COLUMNS,
  billableRows,
  withAdjustments,
  type Adjustment,
} from './adjustments.ts';
import { LINE_COLUMNS } from './billed.ts';
import { ASSET_COLUMNS, withTypes } from './columns.ts';
import { AssetGroups, noAssets, type AssetGroup, type AssetQuery } from './groups.ts';
import { pageOf, type Paging } from './page.ts';
import type { AssetFormat } from './params.ts';
import { assetCsv, assetWriter, toplineText } from './shown.ts';

/** A stored set, and what a bill says of it. */
export interface AssetMember {
  readonly stored: StoredSet;
  readonly adjustments: readonly Adjustment[];
}

export interface AssetsInput {
  /** In order of time: what they come to is one set of the answer. */
  readonly members: readonly AssetMember[];
  readonly window: Window;
  readonly query: AssetQuery;
  readonly paging: Paging;
  readonly format: AssetFormat;
  /** Of what is needed on the way alone. */
  readonly owner: Owner;
  /** Of the text. */
  readonly keeper: Owner;
}

/** A stored set that turned out to be damaged: it is left out. */
export interface FoundDamage {
  readonly stored: StoredSet;
  readonly message: string;
}

export interface AssetsWritten {
  /** UTF-8 in the arena, one after the other. */
  readonly chunks: readonly TextPiece[];
  readonly damages: readonly FoundDamage[];
}

export interface AdjustInput {
  readonly assets: StoredSet;
  readonly lines: readonly StoredSet[];
  readonly owner: Owner;
}

export interface Adjusted {
  /** None where something is damaged: half a bill would make everything cheaper. */
  readonly adjustments: readonly Adjustment[];
  readonly damages: readonly FoundDamage[];
}

export type AssetTasks = {
  adjustAssets: { input: AdjustInput; output: Adjusted };
  /** Members of a set's object, or lines. */
  assets: { input: AssetsInput; output: AssetsWritten };
};

type Tasks = {
  readonly [Name in keyof AssetTasks]: (
    input: AssetTasks[Name]['input'],
  ) => AssetTasks[Name]['output'];
};

export function assetTasks(engine: Engine): Tasks {
  const { arena } = engine;
  const reader = new SetReader(arena, checksumOf(engine));
  const columns = [...ASSET_COLUMNS.texts, ...ASSET_COLUMNS.numbers];
  return {
    adjustAssets({ assets, lines, owner }) {
      const damages: FoundDamage[] = [];
      const read = (stored: StoredSet, names: readonly string[]): Table | undefined =>
        unlessDamaged(stored, damages, () => reader.read(stored, owner, names).table);
      const table = read(assets, BILLABLE_COLUMNS);
      const rows = table ? billableRows(withTypes(table)) : [];
      // A bill can be longer than there is room for at once.
      const each = function* (): Generator<Table> {
        for (const stored of lines) {
          arena.release(owner);
          const line = read(stored, LINE_COLUMNS);
          if (line) yield line;
        }
      };
      const adjustments = adjustmentsOf(rows, each(), assets.key);
      return { adjustments: damages.length === 0 ? adjustments : [], damages };
    },

    assets({ members, window, query, paging, format, owner, keeper }) {
      const groups = new AssetGroups(query);
      const together = new AssetGroups({ ...query, keys: [] });
      const sums = format === 'topline' ? [groups, together] : [groups];
      const damages: FoundDamage[] = [];
      for (const { stored, adjustments } of members) {
        unlessDamaged(stored, damages, () => {
          const table = withTypes(reader.read(stored, owner, columns).table);
          for (const each of withAdjustments(table, adjustments)) {
            for (const sum of sums) sum.add(each);
          }
        });
        arena.release(owner);
      }
      const texts = TEXTS[format]({
        groups: groups.all,
        total: together.all[0] ?? noAssets(window),
        window,
        paging,
      });
      return { chunks: storePieces(arena, keeper, texts), damages };
    },
  };
}

interface Written {
  readonly groups: readonly AssetGroup[];
  /** All groups as one, where that is shown. */
  readonly total: AssetGroup;
  readonly window: Window;
  readonly paging: Paging;
}

const TEXTS: Readonly<Record<AssetFormat, (of: Written) => Iterable<string>>> = {
  *json({ groups, window, paging }) {
    const json = assetWriter(window);
    let before = '';
    for (const group of pageOf(groups, paging)) {
      yield before + json(group);
      before = ',';
    }
  },
  *csv({ groups, paging }) {
    for (const group of pageOf(groups, paging)) yield assetCsv(group);
  },
  topline: ({ groups, total, window }) => [toplineText(groups.length, total, window)],
};

function unlessDamaged<Result>(
  stored: StoredSet,
  damages: FoundDamage[],
  read: () => Result,
): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DamagedSet)) throw error;
    damages.push({ stored, message: error.message });
    return undefined;
  }
}
