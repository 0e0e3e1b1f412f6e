/** Small tables for stores: made of plain columns, and read back as plain columns. */
import {
  Arena,
  DictionaryBuilder,
  type BytesColumn,
  type Owner,
  type Table,
  type TextColumn,
} from '../../../src/columnar/index.ts';
import {
  encodeSet,
  type EncodedSet,
  type SetKey,
  type SetMeta,
} from '../../../src/storage/index.ts';
import { dirtyMemory } from '../references/dirty-memory.ts';
import { rowsOfBytes } from '../arbitraries/sketches.ts';

/** Buffers are a column of bytes. */
export type Columns = Readonly<
  Record<string, readonly string[] | readonly number[] | readonly Buffer[]>
>;

export const DAY_MS = 86_400_000;
const EMPTY = Buffer.alloc(0);
/** 2024-05-01T00:00:00Z */
export const FIRST_MS = 1_714_521_600_000;

export const META: SetMeta = {
  state: 'sealed',
  timezone: 'Europe/Berlin',
  createdMs: FIRST_MS,
  source: 'the demo store',
  warnings: [],
};

export function dayKey(day: number, kind: string = 'allocations'): SetKey {
  return { kind, startMs: FIRST_MS + day * DAY_MS, endMs: FIRST_MS + (day + 1) * DAY_MS };
}

/** An arena of its own. */
export function newArena(bytes: number = 64 << 20): Arena {
  return new Arena(dirtyMemory(bytes));
}

/** A table outside of any arena; columns of texts have a dictionary each. */
export function tableOf(
  columns: Columns,
  rows: number = Object.values(columns)[0]?.length ?? 0,
): Table {
  return {
    rows,
    text(name) {
      const values = columns[name];
      return areTexts(values) ? textColumn(values) : undefined;
    },
    numbers(name) {
      const values = columns[name];
      if (!areNumbers(values)) return undefined;
      return { address: 0, values: Float64Array.from(values) };
    },
    bytes(name) {
      const values = columns[name];
      return areBytes(values) ? bytesColumn(values) : undefined;
    },
  };
}

export async function encoded(
  key: SetKey,
  columns: Columns,
  meta: Partial<SetMeta> = {},
): Promise<EncodedSet> {
  const names = Object.keys(columns);
  return encodeSet({
    key,
    meta: { ...META, ...meta },
    table: tableOf(columns),
    texts: names.filter((name) => areTexts(columns[name])),
    numbers: names.filter((name) => areNumbers(columns[name])),
    bytes: names.filter((name) => areBytes(columns[name])),
  });
}

/** The named columns as plain values; absent ones as zeros and empty texts, as their kind says. */
export function plain(table: Table, like: Columns): Columns {
  return Object.fromEntries(
    Object.entries(like).map(([name, values]) => {
      const texts = table.text(name);
      const own = texts && Array.from(texts.codes, (code) => texts.texts.text(code));
      const numbers = table.numbers(name)?.values;
      const bytes = table.bytes?.(name);
      if (areBytes(values)) return [name, bytes ? rowsOfBytes(bytes) : values.map(() => EMPTY)];
      if (areTexts(values)) return [name, own ?? Array<string>(table.rows).fill('')];
      return [name, numbers ? Array.from(numbers) : Array<number>(table.rows).fill(0)];
    }),
  );
}

/** Hands out owners that nothing else has. */
export function ownerCounter(): () => Owner {
  let owner = 100;
  return () => ++owner;
}

function areTexts(values: Columns[string] | undefined): values is readonly string[] {
  return values !== undefined && typeof values[0] === 'string';
}

function areBytes(values: Columns[string] | undefined): values is readonly Buffer[] {
  return values !== undefined && Buffer.isBuffer(values[0]);
}

function areNumbers(values: Columns[string] | undefined): values is readonly number[] {
  return values !== undefined && !areTexts(values) && !areBytes(values);
}

function bytesColumn(rows: readonly Buffer[]): BytesColumn {
  let end = 0;
  const offsets = Uint32Array.from([0, ...rows.map((row) => (end += row.length))]);
  return { offsets, bytes: Buffer.concat(rows) };
}

function textColumn(values: readonly string[]): TextColumn {
  const texts = new DictionaryBuilder();
  return { codes: Uint32Array.from(values, (text) => texts.code(text)), texts };
}
