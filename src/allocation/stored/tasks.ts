/** Tasks of queries over stored sets, with their messages. */
import {
  copyFrame,
  Dictionary,
  DictionaryBuilder,
  Frame,
  onlyColumns,
  storeTexts,
  type Arena,
  type Engine,
  type Owner,
  type TableAddresses,
} from '../../columnar/index.ts';
import type { StoredSet } from '../../storage/index.ts';
import { assetTasks, type AssetTasks } from './asset-tasks.ts';
import { turnToRates } from '../row/cost-metric.ts';
import type { Grouped, GroupedAddresses } from '../query/aggregate.ts';
import type { ValuesQuery } from '../params/autocomplete-params.ts';
import { externalTable } from '../query/external-table.ts';
import { valuesInRows, valuesInTexts } from './field-values.ts';
import type { RowOptions } from '../params/format.ts';
import { joinedAt, rowsOf, type ChargedRows } from './charged-rows.ts';
import { pageRows, type PageOptions, type Paging } from '../query/page.ts';
import { queryPage, querySet, type SetQuery } from '../query/set-query.ts';
import { bearersIn, type Bearers, type BearersQuery } from '../query/share-bearers.ts';
import { resourceItems, type ResourceItem } from '../query/resource-items.ts';
import { accumulate } from '../query/sum-sets.ts';
import { writeSet } from '../formats/view.ts';
import type { View } from '../query/stored-columns.ts';
import type { SetAt } from '../formats/set-at.ts';
import { costTotals, type CostTotals } from './cost-totals.ts';
import { costItems, type CostItems, type ItemNames } from './cost-items.ts';
import { addedUpTasks, type AddedUpTasks } from '../reduced/tasks.ts';
import { SetTaskReader, type Unread } from './set-task-reader.ts';
import { resourceCosts, type ResourceCosts } from './resource-costs.ts';
import type { TasksOf } from '../../pool/task.ts';

export interface ReadInput {
  readonly stored: StoredSet;
  /** null: all. */
  readonly columns: readonly string[] | null;
  readonly owner: Owner;
}

/** A set that is read in the same task, as it is opened for the first time. */
export interface NewSet {
  readonly stored: StoredSet;
  /** Columns that are read beside those that count. */
  readonly more: readonly string[];
}

export interface QueryInput extends Omit<ChargedRows, 'tables'> {
  /** Tables of the same rows, with different columns; or where to read them. */
  readonly tables: ChargedRows['tables'] | NewSet;
  readonly query: SetQuery;
  /** The rows of the result, in order; null: all. */
  readonly paging: Paging | null;
  /** Holds intermediate results only. */
  readonly owner: Owner;
  /** Holds the result. */
  readonly keeper: Owner;
}

export interface SumInput {
  /** In order of time, in which they are added up. */
  readonly sets: readonly GroupedAddresses[];
  readonly query: SetQuery;
  readonly owner: Owner;
}

export interface WriteInput extends PageOptions {
  readonly grouped: GroupedAddresses;
  readonly keys: SetQuery['keys'];
  readonly options: RowOptions;
  readonly view: View;
  readonly owner: Owner;
}

export interface CostTotalsInput {
  readonly grouped: GroupedAddresses;
  /** The keys that make names, of those that rows are grouped by. */
  readonly keys: SetQuery['keys'];
}

export interface CostItemsInput extends ItemNames {
  readonly sets: readonly GroupedAddresses[];
}

export interface ResourceItemsInput {
  readonly sets: readonly GroupedAddresses[];
  /** The length of all sets together. */
  readonly hours: number;
}

export interface ResourceCostsInput extends ChargedRows {
  readonly filter: SetQuery['filter'];
  /** The keys that make names of rows. */
  readonly keys: SetQuery['keys'];
  /** Holds intermediate results only. */
  readonly owner: Owner;
}

export interface ValuesInTextsInput {
  readonly stored: StoredSet;
  readonly column: string;
  readonly request: ValuesQuery;
}

export interface ValuesInRowsInput {
  /** Tables of the same rows, with different columns. */
  readonly tables: readonly TableAddresses[];
  readonly request: ValuesQuery;
}

export interface BearersInput extends BearersQuery {
  /** Tables of the same rows, with different columns. */
  readonly tables: readonly TableAddresses[];
}

export type StoredTasks = AssetTasks &
  AddedUpTasks & {
    readColumns: { input: ReadInput; output: TableAddresses };
    querySet: { input: QueryInput; output: GroupedAddresses | Unread };
    sumSets: { input: SumInput; output: GroupedAddresses };
    writeSet: { input: WriteInput; output: SetAt };
    costTotals: { input: CostTotalsInput; output: CostTotals };
    costItems: { input: CostItemsInput; output: CostItems };
    resourceCosts: { input: ResourceCostsInput; output: ResourceCosts };
    resourceItems: { input: ResourceItemsInput; output: ResourceItem[] };
    /** Values of a column in whichever rows: nothing else is read. */
    valuesInTexts: { input: ValuesInTextsInput; output: string[] };
    valuesInRows: { input: ValuesInRowsInput; output: string[] };
    bearers: { input: BearersInput; output: Bearers };
  };

/** @returns its address, in a dictionary of its own */
function storeText(arena: Arena, text: string, owner: Owner): number {
  const builder = new DictionaryBuilder();
  builder.code(text);
  return builder.store(arena, owner).address;
}

function storedText(arena: Arena, address: number): string {
  return new Dictionary(arena, address).text(1);
}

export function storedTasks(engine: Engine): TasksOf<StoredTasks> {
  const { arena } = engine;
  const reader = new SetTaskReader(engine);
  const store = ({ frame, texts, assetTotals }: Grouped, owner: Owner): GroupedAddresses => ({
    frame: frame.address,
    dictionary: storeTexts(texts, arena, owner).address,
    ...(assetTotals === undefined ? {} : { assetTotals: storeText(arena, assetTotals, owner) }),
  });
  const open = ({ frame, dictionary, assetTotals }: GroupedAddresses) => ({
    frame: new Frame(arena, frame),
    texts: new Dictionary(arena, dictionary),
    ...(assetTotals === undefined ? {} : { assetTotals: storedText(arena, assetTotals) }),
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
      return reader.read(stored, owner, columns ?? undefined).addresses;
    },

    ...assetTasks(arena, reader),
    ...addedUpTasks(arena),

    querySet({ query, paging, owner, keeper, tables: given, ...beside }) {
      const { columns, external } = beside;
      const tables = 'stored' in given ? readFirst(given, columns, owner) : given;
      if ('isCrowdedOut' in tables) return tables;
      const rows = { ...beside, tables };
      const table = rowsOf({ engine, owner }, rows, query.includeSharedCostBreakdown);
      const externalRows = external
        ? [externalTable(engine, owner, external.rows, external.window)]
        : [];
      const counted =
        columns === null ? externalRows : externalRows.map((table) => onlyColumns(table, columns));
      const grouped = paging
        ? queryPage(engine, owner, [table], query, counted, paging)
        : querySet(engine, owner, [table], query, counted);
      const { frame, texts } = grouped;
      if (keeper !== owner)
        return store({ ...grouped, frame: copyFrame(arena, frame, keeper) }, keeper);
      // A dictionary that is in the arena already lives as long as its frame.
      const isThere = texts instanceof Dictionary;
      return isThere ? { frame: frame.address, dictionary: texts.address } : store(grouped, keeper);
    },

    resourceItems: ({ sets, hours }) => resourceItems(sets.map(open), hours),

    sumSets: ({ sets, query, owner }) =>
      store(accumulate(engine, owner, sets.map(open), query), owner),

    writeSet({ grouped, keys, paging, costMetric, windowHours, options, view, owner }) {
      const whole = open(grouped);
      // The given set may be cached for other answers: it is not changed.
      const own = (): Frame =>
        costMetric === 'cumulative' ? whole.frame : copyFrame(arena, whole.frame, owner);
      const frame = paging ? pageRows(engine, owner, whole, paging) : own();
      turnToRates(frame, costMetric, windowHours);
      return writeSet(engine, owner, { ...whole, frame }, view, keys, options);
    },

    costTotals: ({ grouped, keys }) => costTotals(open(grouped), keys),

    costItems: ({ sets, ...names }) => costItems(sets.map(open), names),

    resourceCosts: ({ filter, keys, owner, ...given }) =>
      resourceCosts({ engine, owner }, rowsOf({ engine, owner }, given, false), filter, keys),

    valuesInTexts: ({ stored, column, request }) =>
      valuesInTexts(reader.readTexts(stored, column), request),

    valuesInRows: ({ tables, request }) => valuesInRows(joinedAt(arena, tables), request),

    bearers: ({ tables, ...query }) => bearersIn([joinedAt(arena, tables)], query),
  };
}
