/**
 * Sums beside the rows: for each set of allocations a set of its reduced rows, by cluster and namespace. It answers
 * the questions that most ask without the rows, which take a hundred times its bytes. It names the rows that it was
 * made of, byte for byte: beside others, and where it has other columns than this version reads, it counts for
 * nothing.
 */
import { crc32 } from 'node:zlib';
import type { NumberColumn, Table, Workspace } from '../../columnar/index.ts';
import type { Window } from '../../query/index.ts';
import {
  encodeSet,
  type EncodedSet,
  type QueriedSets,
  type SetInfo,
  type SetKey,
  type StoredSet,
} from '../../storage/index.ts';
import type { SetQuery } from '../query/set-query.ts';
import { chargeAssets, chargesOf, type ChargesQuery } from '../reconcile/asset-charges.ts';
import { readAssets, type ChargedAsset } from '../reconcile/charged-asset.ts';
import { overlay } from '../row/overlay.ts';
import { CHARGED_SHARED_COST } from './number-pairs.ts';
import { reduceRows } from './reduce.ts';
import { reductionOf, type Reduction } from './reduction-of.ts';

/** Kind of stored sets. */
export const SUMS = 'allocation-sums';

/** A later version raises it where it makes other rows of the same columns. */
const VERSION = 2;

const FORM = formOf({
  keys: [
    { kind: 'property', property: 'cluster' },
    { kind: 'property', property: 'namespace' },
  ],
  filter: null,
  share: null,
  idle: true,
  shareIdle: false,
  splitIdle: true,
  idleByNode: false,
  external: true,
  shareSplit: 'weighted',
  overheads: [],
  includeSharedCostBreakdown: false,
  showsPaid: true,
});
/** Columns of rows that their sums are made of. */
export const SUMMED_COLUMNS: readonly string[] = FORM.columns;
const FORM_ID = crc32(JSON.stringify([VERSION, FORM])).toString(16);

function formOf(query: SetQuery): Reduction {
  const reduction = reductionOf(query);
  if ('because' in reduction) throw new Error(`BUG: sums of rows where ${reduction.because}`);
  return reduction;
}

/** Overhead of clusters is charged where nothing else is said; without a bill it is all that is charged. */
const CHARGES: ChargesQuery = { reconcile: true, shareTenancyCosts: true };

/** What a set's rows are charged where no bill tells of them. @param assets of its time */
export function unbilledCharges(window: Window, assets: Table): string {
  const [charges] = chargesOf([{ window, assets: readAssets(assets, false) }], []);
  return charges?.assets ?? '';
}

/** @param rows the stored set of the table @param charges of `unbilledCharges` @throws {ArenaFull} when there is no room @throws {HeapFull} */
export async function encodeSums(
  space: Workspace,
  table: Table,
  { key, meta, directory }: Pick<EncodedSet, 'key' | 'meta' | 'directory'>,
  charges: string = '',
): Promise<EncodedSet> {
  const shared = charges === '' ? undefined : chargedSharedCost(space, table, charges);
  const columns = shared === undefined ? FORM.columns : [...FORM.columns, CHARGED_SHARED_COST];
  const sums = reduceRows(space, withColumn(table, shared), { ...FORM, columns });
  const isThere = (name: string): boolean => sums.text(name) !== undefined;
  return await encodeSet({
    key: sumsKey(key),
    // Whatever else there is to tell of the time, its rows tell.
    meta: {
      ...meta,
      warnings: [],
      sumsOf: { directory, form: FORM_ID, charges: idOfCharges(charges) },
    },
    table: sums,
    texts: columns.filter(isThere),
    numbers: columns.filter((name) => !isThere(name)),
  });
}

function chargedSharedCost(
  space: Workspace,
  table: Table,
  charges: string,
): NumberColumn | undefined {
  const assets = JSON.parse(charges) as readonly ChargedAsset[];
  return chargeAssets(space, { shown: table, read: table }, assets, CHARGES, false).numbers(
    'sharedCost',
  );
}

function withColumn(table: Table, shared: NumberColumn | undefined): Table {
  return overlay(table, new Map(shared === undefined ? [] : [[CHARGED_SHARED_COST, shared]]));
}

function idOfCharges(charges: string): string {
  return charges === '' ? '' : `${charges.length}-${crc32(charges).toString(16)}`;
}

export function sumsKey(key: SetKey): SetKey {
  return { ...key, kind: SUMS };
}

/** Whether sums answer the query as the rows do. @param columns that it reads; null: all */
export function areSumsEnough(query: SetQuery, columns: readonly string[] | null): boolean {
  const reduction = reductionOf(query);
  if ('because' in reduction || columns === null) return false;
  const { apart, idleApart } = reduction;
  return (
    columns.every((name) => FORM.columns.includes(name)) &&
    apart.every((name) => FORM.apart.includes(name)) &&
    idleApart.every((name) => FORM.idleApart.includes(name))
  );
}

/** Looked for once a change of the sets, by all who ask. */
const FOUND = new WeakMap<QueriedSets, StoredSums>();

/** The sums that are stored now. */
export function storedSums(sets: QueriedSets): StoredSums {
  const known = FOUND.get(sets);
  if (known !== undefined) return known;
  const found = new StoredSums(sets);
  FOUND.set(sets, found);
  return found;
}

export class StoredSums {
  readonly #sets: QueriedSets;
  #version = NaN;
  /** Those that can be read, by the directory of their rows. */
  #byRows: ReadonlyMap<string, SetInfo> = new Map();

  constructor(sets: QueriedSets) {
    this.#sets = sets;
  }

  /**
   * The sums of a set of allocations; undefined where there are none.
   * @param charges to its rows, the same as were known when the sums were made; '': those do not matter
   */
  of(rows: StoredSet, charges: string = ''): StoredSet | undefined {
    if (this.#version !== this.#sets.version) this.#look();
    const info = this.#byRows.get(idOf(rows.key, rows.directory));
    const isCharged = charges === '' || info?.meta.sumsOf?.charges === idOfCharges(charges);
    return info && isCharged ? this.#sets.locate(info.key) : undefined;
  }

  #look(): void {
    const { version } = this.#sets;
    const found = this.#sets.list(SUMS).flatMap((info): [string, SetInfo][] => {
      const { sumsOf } = info.meta;
      if (info.damage !== undefined || sumsOf?.form !== FORM_ID) return [];
      return [[idOf(info.key, sumsOf.directory), info]];
    });
    this.#version = version;
    this.#byRows = new Map(found);
  }
}

/** The directory has the checksums of all columns. */
function idOf({ startMs, endMs }: SetKey, directory: StoredSet['directory']): string {
  return JSON.stringify([startMs, endMs, directory]);
}
