/** What workers do for queries over stored sets. Message shapes beside their tasks. */
import {
  copyFrame,
  Dictionary,
  Frame,
  joinTables,
  onlyColumns,
  openTable,
  type Engine,
  type Owner,
  type Table,
  type TableAddresses,
} from '../columnar/index.ts';
import { Unavailable, type Window } from '../query/index.ts';
import { DamagedSet, SetReader, type StoredSet } from '../storage/index.ts';
import { LINE_COLUMNS } from '../assets/billed.ts';
import { readText, type TextAt } from './arena-texts.ts';
import { chargeAssets, chargesOf, type AssetCharges, type ChargesAsked } from './asset-charges.ts';
import { poolsIn } from './balancer-pools.ts';
import { CHARGED_COLUMNS, readAssets, type ChargedAsset } from './charged-asset.ts';
import { turnToRates, type CostMetric } from './cost-metric.ts';
import type { Grouped } from './aggregate.ts';
import type { ValuesAsked } from './autocomplete-params.ts';
import { externalTable } from './external-table.ts';
import { valuesInRows, valuesInTexts } from './field-values.ts';
import type { RowOptions } from './format.ts';
import type { ColumnsAt } from './hot-sets.ts';
import { page, type Paging } from './page.ts';
import { accumulate, querySet, type SetQuery } from './set-query.ts';
import { SHAPES, type View } from './view.ts';
import type { SetAt } from './set-at.ts';
import { tellCosts, type ToldCosts } from './told-costs.ts';
import { tellItems, type ToldItems } from './told-items.ts';
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

/** Rows of a set, in the arena. */
export interface MemberRows {
  /** Tables of the same rows, with different columns. */
  readonly tables: readonly TableAddresses[];
  /** Of the tables, those that count; null: all. */
  readonly columns: readonly string[] | null;
  /** What assets charge to the rows. */
  readonly charges: { readonly at: TextAt; readonly asked: ChargesAsked } | null;
  /** JoinedCost[] as JSON, beside the rows. */
  readonly external: { readonly rows: string; readonly window: Window } | null;
}

export interface QueryInput extends MemberRows {
  readonly query: SetQuery;
  /** Of what is needed on the way. */
  readonly owner: Owner;
  /** Of the result. */
  readonly keeper: Owner;
}

export interface ChargesInput {
  /** Of assets. */
  readonly sets: readonly StoredSet[];
  /** Of a bill, gone through once. */
  readonly lines: readonly StoredSet[];
  /** Of what is needed on the way. */
  readonly owner: Owner;
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

export interface TellItemsInput extends TellInput {
  readonly most: number | null;
}

export interface TellResourcesInput extends MemberRows {
  readonly filter: SetQuery['filter'];
  /** That make names of rows. */
  readonly keys: SetQuery['keys'];
  /** Of what is needed on the way. */
  readonly owner: Owner;
}

export interface PoolsInput {
  /** Of assets. */
  readonly stored: readonly StoredSet[];
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

export type StoredTasks = {
  readColumns: { input: ReadInput; output: ColumnsAt };
  chargesOf: { input: ChargesInput; output: AssetCharges[] };
  querySet: { input: QueryInput; output: GroupedAddresses };
  sumSets: { input: SumInput; output: GroupedAddresses };
  writeSet: { input: WriteInput; output: SetAt };
  tellCosts: { input: TellInput; output: ToldCosts };
  tellItems: { input: TellItemsInput; output: ToldItems };
  tellResources: { input: TellResourcesInput; output: ToldResources };
  /** By resource. */
  balancerPools: { input: PoolsInput; output: [resource: string, pool: string][] };
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
  const reader = new SetReader(arena);
  const store = ({ frame, texts }: Grouped, owner: Owner): GroupedAddresses => ({
    frame: frame.address,
    dictionary: texts.store(arena, owner).address,
  });
  const open = ({ frame, dictionary }: GroupedAddresses) => ({
    frame: new Frame(arena, frame),
    texts: new Dictionary(arena, dictionary),
  });
  const join = (tables: readonly TableAddresses[]): Table =>
    joinTables(tables.map((at) => openTable(arena, at)));
  const rowsOf = (
    { tables, columns, charges }: MemberRows,
    owner: Owner,
    isToldApart: boolean,
  ): Table => {
    const whole = join(tables);
    const shown = columns === null ? whole : onlyColumns(whole, columns);
    if (charges === null) return shown;
    const assets = JSON.parse(readText(arena, charges.at)) as readonly ChargedAsset[];
    const both = { shown, read: whole };
    return chargeAssets({ engine, owner }, both, assets, charges.asked, isToldApart);
  };
  return {
    readColumns({ stored, columns, owner }) {
      const { addresses } = told(() => reader.read(stored, owner, columns ?? undefined));
      return { addresses, bytes: bytesOf(engine, addresses) };
    },

    chargesOf({ sets, lines, owner }) {
      // Reading a few bytes tells that a fleet has nothing to share.
      const mayShare = (set: StoredSet): boolean => {
        const types = told(() => reader.readTexts(set, 'type'));
        if (types.includes('ClusterManagement')) return true;
        return (
          types.includes('Disk') && read(set, ['isAttached']).numbers('isAttached') !== undefined
        );
      };
      const read = (set: StoredSet, columns: readonly string[]): Table =>
        told(() => reader.read(set, owner, columns)).table;
      // A bill can be longer than there is room for at once.
      const each = function* (of: readonly StoredSet[]): Generator<Table> {
        for (const set of of) {
          arena.release(owner);
          yield read(set, LINE_COLUMNS);
        }
      };
      const isBilled = lines.length > 0;
      const all = sets.map((set) => {
        if (!isBilled && !mayShare(set)) return { window: set.key, assets: [] };
        const assets = readAssets(read(set, CHARGED_COLUMNS), isBilled);
        return { window: set.key, assets };
      });
      return chargesOf(all, each(lines));
    },

    querySet({ query, owner, keeper, ...given }) {
      const { columns, external } = given;
      const table = rowsOf(given, owner, query.includeSharedCostBreakdown);
      const guests = external ? [externalTable(engine, owner, external.rows, external.window)] : [];
      const meant = columns === null ? guests : guests.map((guest) => onlyColumns(guest, columns));
      const { frame, texts } = querySet(engine, owner, [table], query, meant);
      const kept = keeper === owner ? frame : copyFrame(arena, frame, keeper);
      return store({ frame: kept, texts }, keeper);
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

    tellItems: ({ grouped, keys, most }) => tellItems(open(grouped), keys, most),

    tellResources: ({ filter, keys, owner, ...given }) =>
      tellResources({ engine, owner }, rowsOf(given, owner, false), filter, keys),

    balancerPools: ({ stored, owner }) =>
      stored.flatMap((set) => {
        arena.release(owner);
        return poolsIn(told(() => reader.read(set, owner, CHARGED_COLUMNS)).table);
      }),

    valuesInTexts: ({ stored, column, asked }) =>
      valuesInTexts(
        told(() => reader.readTexts(stored, column)),
        asked,
      ),

    valuesInRows: ({ tables, asked }) => valuesInRows(join(tables), asked),
  };
}

/** Damage in words: an error's own class does not survive the way between threads. */
function told<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DamagedSet)) throw error;
    const { message, hint } = error;
    throw new Unavailable(message, { ...(hint === undefined ? {} : { hint }), cause: error });
  }
}

/** Bytes of the table's runs, for the budget of what is kept. */
function bytesOf({ arena }: Engine, { frame, dictionaries }: TableAddresses): number {
  return Object.values(dictionaries).reduce((sum, at) => {
    const { offsets, bytes } = new Dictionary(arena, at);
    return sum + offsets.byteLength + bytes.length;
  }, new Frame(arena, frame).bytes);
}
