/**
 * Sums beside the rows: for each set of allocations a set of its reduced rows, by cluster and namespace. It answers
 * the questions that most ask without the rows, which take a hundred times its bytes. It names the rows that it was
 * made of, byte for byte: beside others, and where it has other columns than this version reads, it counts for
 * nothing.
 */
import { crc32 } from 'node:zlib';
import type { Table, Workspace } from '../../columnar/index.ts';
import {
  encodeSet,
  type EncodedSet,
  type QueriedSets,
  type SetInfo,
  type SetKey,
  type StoredSet,
} from '../../storage/index.ts';
import type { SetQuery } from '../query/set-query.ts';
import { reduceRows } from './reduce.ts';
import { reductionOf, type Reduction } from './reduction-of.ts';

/** Kind of stored sets. */
export const SUMS = 'allocation-sums';

/** A later version raises it where it makes other rows of the same columns. */
const VERSION = 1;

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

/** @param rows the stored set of the table @throws {ArenaFull} when there is no room @throws {HeapFull} */
export async function encodeSums(
  space: Workspace,
  table: Table,
  { key, meta, directory }: Pick<EncodedSet, 'key' | 'meta' | 'directory'>,
): Promise<EncodedSet> {
  const sums = reduceRows(space, table, FORM);
  const isThere = (name: string): boolean => sums.text(name) !== undefined;
  return await encodeSet({
    key: sumsKey(key),
    // Whatever else there is to tell of the time, its rows tell.
    meta: { ...meta, warnings: [], sumsOf: { directory, form: FORM_ID } },
    table: sums,
    texts: FORM.columns.filter(isThere),
    numbers: FORM.columns.filter((name) => !isThere(name)),
  });
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

  /** The sums of a set of allocations; undefined where there are none. */
  of(rows: StoredSet): StoredSet | undefined {
    if (this.#version !== this.#sets.version) this.#look();
    const info = this.#byRows.get(idOf(rows.key, rows.directory));
    return info && this.#sets.locate(info.key);
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
