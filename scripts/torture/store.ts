/** Writes days of the harness into a data folder, through the project's own storage. */
import { inNameOrder } from '../../src/allocation/sets/name-order.ts';
import {
  IDENTITY_COLUMNS,
  type IdentityColumn,
  MEASURES,
} from '../../src/allocation/row/schema.ts';
import {
  Arena,
  createMemory,
  DictionaryBuilder,
  type NumberColumn,
  type Table,
  type TextColumn,
} from '../../src/columnar/index.ts';
import { encodeSet, openArrowFiles } from '../../src/storage/index.ts';
import type { Day, Pairs, Row } from './days.ts';

/** Owns a day's rows on their way. */
const OWNER = 1;
const BYTES_PER_ROW = 1024;
const ARENA_BYTES_MIN = 64 << 20;

const json = (pairs: Pairs): string =>
  pairs.length === 0 ? '' : JSON.stringify(Object.fromEntries(pairs));

type Identity = Readonly<Partial<Record<IdentityColumn, string>>>;

function identity(name: IdentityColumn): (row: Identity) => string {
  return (row) => row[name] ?? '';
}

const TEXTS: ReadonlyMap<string, (row: Row) => string> = new Map<string, (row: Row) => string>([
  ...IDENTITY_COLUMNS.map((name): [string, (row: Row) => string] => [name, identity(name)]),
  ['labels', ({ labels }) => json(labels)],
  ['annotations', ({ annotations }) => json(annotations)],
  ['namespaceLabels', ({ namespaceLabels }) => json(namespaceLabels)],
  ['services', ({ services }) => (services.length === 0 ? '' : JSON.stringify(services))],
  ['pvs', ({ pvs }) => pvs],
  ['priceSource', ({ priceSource }) => priceSource],
  ['endSource', ({ endSource }) => endSource],
]);
const NUMBERS: ReadonlyMap<string, (row: Row) => number> = new Map<string, (row: Row) => number>([
  ['startMs', ({ startMs }) => startMs],
  ['endMs', ({ endMs }) => endMs],
  ['endUncertaintyMs', ({ endUncertaintyMs }) => endUncertaintyMs],
  ...MEASURES.map(({ column }): [string, (row: Row) => number] => [
    column,
    ({ measures }) => measures[column] ?? 0,
  ]),
]);

/** @param folder is empty */
export async function storeDays(folder: string, days: readonly Day[]): Promise<void> {
  const largest = Math.max(...days.map(({ rows }) => rows.length));
  const arena = new Arena(createMemory(ARENA_BYTES_MIN + BYTES_PER_ROW * largest));
  const sets = await openArrowFiles({ folder, arena, note: () => undefined, graceMs: 0 });
  const columns = { texts: [...TEXTS.keys()], numbers: [...NUMBERS.keys()] };
  for (const { startMs, endMs, rows } of days) {
    const encoded = await encodeSet({
      key: { kind: 'allocations', startMs, endMs },
      meta: {
        state: 'sealed',
        timezone: 'UTC',
        createdMs: startMs,
        source: 'torture',
        warnings: [],
      },
      table: inNameOrder(arena, OWNER, tableOf(rows), columns),
      ...columns,
    });
    await sets.write([encoded]);
    arena.release(OWNER);
  }
  await sets.close();
}

/** Columns are made once, though they are asked for in turn and again. */
function tableOf(rows: readonly Row[]): Table {
  const texts = new Map<string, TextColumn>();
  const numbers = new Map<string, NumberColumn>();
  return {
    rows: rows.length,
    text(name) {
      const value = TEXTS.get(name);
      if (value === undefined) return undefined;
      const column = texts.get(name) ?? codesOf(rows.map(value));
      texts.set(name, column);
      return column;
    },
    numbers(name) {
      const value = NUMBERS.get(name);
      if (value === undefined) return undefined;
      const column = numbers.get(name) ?? { address: 0, values: valuesOf(rows, value) };
      numbers.set(name, column);
      return column;
    },
  };
}

function valuesOf(rows: readonly Row[], value: (row: Row) => number): Float64Array {
  const values = new Float64Array(rows.length);
  rows.forEach((row, i) => (values[i] = value(row)));
  return values;
}

function codesOf(values: readonly string[]): TextColumn {
  const texts = new DictionaryBuilder();
  return { codes: Uint32Array.from(values, (text) => texts.code(text)), texts };
}
