/** What workers do for queries over stored sets. Message shapes beside their tasks. */
import {
  copyFrame,
  Dictionary,
  Frame,
  onlyColumns,
  type Engine,
  type Owner,
  type TableAddresses,
} from '../columnar/index.ts';
import type { StoredSet } from '../storage/index.ts';
import { assetTasks, type AssetTasks } from './asset-tasks.ts';
import { turnToRates, type CostMetric } from './cost-metric.ts';
import type { Grouped } from './aggregate.ts';
import type { ValuesAsked } from './autocomplete-params.ts';
import { externalTable } from './external-table.ts';
import { valuesInRows, valuesInTexts } from './field-values.ts';
import type { RowOptions } from './format.ts';
import type { ColumnsAt } from './hot-sets.ts';
import { joinedAt, rowsOf, type MemberRows } from './member-rows.ts';
import { page, type Paging } from './page.ts';
import { querySet, type SetQuery } from './set-query.ts';
import { accumulate } from './sum-sets.ts';
import { SHAPES, type View } from './view.ts';
import type { SetAt } from './set-at.ts';
import { tellCosts, type ToldCosts } from './told-costs.ts';
import { tellItems, type ToldItems } from './told-items.ts';
import { ToldReader, type Unread } from './told-reader.ts';
import { tellResources, type ToldResources } from './told-resources.ts';

export interface ReadInput {
  readonly stored: StoredSet;
  /** null: all. */
  readonly columns: readonly string[] | null;
  readonly owner: Owner;
}

/** A grouped set in the arena. */
export interface GroupedAddresses {
  readonly frame: number;
  readonly dictionary: number;
}

/** A set that is read in the same task, as nobody asked for it before. */
export interface NewSet {
  readonly stored: StoredSet;
  /** Columns that are read beside those that count. */
  readonly more: readonly string[];
}

export interface QueryInput extends Omit<MemberRows, 'tables'> {
  /** Tables of the same rows, with different columns; or where to read them. */
  readonly tables: MemberRows['tables'] | NewSet;
  readonly query: SetQuery;
  /** Of what is needed on the way. */
  readonly owner: Owner;
  /** Of the result. */
  readonly keeper: Owner;
}

export interface SumInput {
  /** In order of time, which is that of the additions. */
  readonly sets: readonly GroupedAddresses[];
  readonly query: SetQuery;
  readonly owner: Owner;
}

export interface WriteInput {
  readonly grouped: GroupedAddresses;
  readonly keys: SetQuery['keys'];
  readonly paging: Paging | null;
  readonly costMetric: CostMetric;
  /** Of the set, up to now. */
  readonly windowHours: number;
  readonly options: RowOptions;
  readonly view: View;
  readonly owner: Owner;
}

export interface TellInput {
  readonly grouped: GroupedAddresses;
  /** Of what rows are grouped by, those that make their names. */
  readonly keys: SetQuery['keys'];
}

export interface TellItemsInput extends Pick<TellInput, 'keys'> {
  readonly sets: readonly GroupedAddresses[];
  readonly most: number | null;
}

export interface TellResourcesInput extends MemberRows {
  readonly filter: SetQuery['filter'];
  /** That make names of rows. */
  readonly keys: SetQuery['keys'];
  /** Of what is needed on the way. */
  readonly owner: Owner;
}

export interface ValuesInTextsInput {
  readonly stored: StoredSet;
  readonly column: string;
  readonly asked: ValuesAsked;
}

export interface ValuesInRowsInput {
  /** Tables of the same rows, with different columns. */
  readonly tables: readonly TableAddresses[];
  readonly asked: ValuesAsked;
}

export type StoredTasks = AssetTasks & {
  readColumns: { input: ReadInput; output: ColumnsAt };
  querySet: { input: QueryInput; output: GroupedAddresses | Unread };
  sumSets: { input: SumInput; output: GroupedAddresses };
  writeSet: { input: WriteInput; output: SetAt };
  tellCosts: { input: TellInput; output: ToldCosts };
  tellItems: { input: TellItemsInput; output: ToldItems };
  tellResources: { input: TellResourcesInput; output: ToldResources };
  /** Of a column, whatever rows have it: nothing else is read. */
  valuesInTexts: { input: ValuesInTextsInput; output: string[] };
  valuesInRows: { input: ValuesInRowsInput; output: string[] };
};

type Tasks = {
  [Name in keyof StoredTasks]: (
    input: StoredTasks[Name]['input'],
  ) => StoredTasks[Name]['output'] | Promise<StoredTasks[Name]['output']>;
};

export function storedTasks(engine: Engine): Tasks {
  const { arena } = engine;
  const reader = new ToldReader(engine);
  const store = ({ frame, texts }: Grouped, owner: Owner): GroupedAddresses => ({
    frame: frame.address,
    dictionary: texts.store(arena, owner).address,
  });
  const open = ({ frame, dictionary }: GroupedAddresses) => ({
    frame: new Frame(arena, frame),
    texts: new Dictionary(arena, dictionary),
  });
  const readFirst = (
    { stored, more }: NewSet,
    columns: readonly string[] | null,
    owner: Owner,
  ): readonly TableAddresses[] | Unread => {
    const read = reader.attempt(stored, owner, columns ? [...columns, ...more] : undefined);
    return 'isCrowdedOut' in read ? read : [read.addresses];
  };
  return {
    readColumns({ stored, columns, owner }) {
      const { addresses } = reader.read(stored, owner, columns ?? undefined);
      return { addresses, bytes: bytesOf(engine, addresses) };
    },

    ...assetTasks(arena, reader),

    querySet({ query, owner, keeper, tables: given, ...beside }) {
      const { columns, external } = beside;
      const tables = 'stored' in given ? readFirst(given, columns, owner) : given;
      if ('isCrowdedOut' in tables) return tables;
      const rows = { ...beside, tables };
      const table = rowsOf({ engine, owner }, rows, query.includeSharedCostBreakdown);
      const guests = external ? [externalTable(engine, owner, external.rows, external.window)] : [];
      const meant = columns === null ? guests : guests.map((guest) => onlyColumns(guest, columns));
      const { frame, texts } = querySet(engine, owner, [table], query, meant);
      if (keeper !== owner) return store({ frame: copyFrame(arena, frame, keeper), texts }, keeper);
      // A dictionary that lies in the arena already is as long-lived as its frame.
      const isThere = texts instanceof Dictionary;
      return isThere
        ? { frame: frame.address, dictionary: texts.address }
        : store({ frame, texts }, keeper);
    },

    sumSets: ({ sets, query, owner }) =>
      store(accumulate(engine, owner, sets.map(open), query), owner),

    writeSet({ grouped, keys, paging, costMetric, windowHours, options, view, owner }) {
      const whole = open(grouped);
      // What it is given may be kept for other answers: it stays as it is.
      const own = (): Frame =>
        costMetric === 'cumulative' ? whole.frame : copyFrame(arena, whole.frame, owner);
      const frame = paging ? page(engine, owner, whole, paging) : own();
      turnToRates(frame, costMetric, windowHours);
      return SHAPES[view].write(engine, owner, { frame, texts: whole.texts }, keys, options);
    },

    tellCosts: ({ grouped, keys }) => tellCosts(open(grouped), keys),

    tellItems: ({ sets, keys, most }) => tellItems(sets.map(open), keys, most),

    tellResources: ({ filter, keys, owner, ...given }) =>
      tellResources({ engine, owner }, rowsOf({ engine, owner }, given, false), filter, keys),

    valuesInTexts: ({ stored, column, asked }) =>
      valuesInTexts(reader.readTexts(stored, column), asked),

    valuesInRows: ({ tables, asked }) => valuesInRows(joinedAt(arena, tables), asked),
  };
}

/** Bytes of the table's runs, for the budget of what is kept. */
function bytesOf({ arena }: Engine, { frame, dictionaries }: TableAddresses): number {
  return Object.values(dictionaries).reduce((sum, at) => {
    const { offsets, bytes } = new Dictionary(arena, at);
    return sum + offsets.byteLength + bytes.length;
  }, new Frame(arena, frame).bytes);
}
