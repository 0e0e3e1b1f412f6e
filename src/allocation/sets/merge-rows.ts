/**
 * Rows of several tables with the same keys merged into one row, as hours become a day. Integrals add
 * up; texts, such as labels, are the last ones.
 */
import {
  columnSpecs,
  type Engine,
  createFrame,
  DictionaryBuilder,
  frameTable,
  NOWHERE,
  type Owner,
  plainColumn,
  type Table,
  textReader,
} from '../../columnar/index.ts';
import type { PriceSource } from '../../pricing/index.ts';
import { KeyGroups } from '../row/key-groups.ts';
import { PaidSums } from '../row/paid-sums.ts';

type Fold = 'sum' | 'max' | 'min' | 'last';

const FOLDS: Readonly<Record<Fold, { from: number; add: (a: number, b: number) => number }>> = {
  sum: { from: 0, add: (a, b) => a + b },
  max: { from: -Infinity, add: Math.max },
  min: { from: Infinity, add: Math.min },
  last: { from: 0, add: (_, b) => b },
};

export interface RowMerge {
  /** Columns of texts that identify a row. */
  readonly keys: readonly string[];
  /** Columns of texts, including the keys. The last text that is not empty counts. */
  readonly texts: readonly string[];
  /** Columns of sources of prices: `mixed` where they differ. */
  readonly sources?: readonly string[];
  /** Columns of JSON objects, summed member by member. */
  readonly objects: readonly string[];
  readonly numbers: ReadonlyMap<string, Fold>;
}

/** Rows of a table that count; null: all. */
type Counted = (table: Table) => Uint8Array | null;

/**
 * @param tables in order of time
 * @returns a table in the arena; columns of numbers that no table has are left out
 * @throws {ArenaFull} when there is no room
 */
export function mergeRows(
  engine: Engine,
  owner: Owner,
  tables: readonly Table[],
  { keys, texts, sources = [], objects, numbers }: RowMerge,
  counted: Counted = () => null,
): Table {
  const dictionary = new DictionaryBuilder();
  const groups = new KeyGroups(engine, owner, keys, dictionary);
  const parts = tables.map((table): Part => ({
    table,
    groups: groups.assign(table, counted(table)),
  }));
  const used = [...numbers].filter(([name]) => tables.some((table) => table.numbers(name)));
  const specs = columnSpecs({
    texts: [...texts, ...sources, ...objects],
    numbers: used.map(([name]) => name),
  });
  const frame = createFrame(engine.arena, specs, groups.size, owner);
  for (const [name, fold] of used) foldNumbers(parts, name, fold, frame.f64(name));
  for (const name of texts) lastTexts(parts, name, frame.u32(name).fill(0), dictionary);
  for (const name of sources) mixTexts(parts, name, frame.u32(name).fill(0), dictionary);
  for (const name of objects) sumObjects(parts, name, frame.u32(name).fill(0), dictionary);
  return frameTable(frame, dictionary);
}

interface Part {
  readonly table: Table;
  /** The row that each row is added to, or NOWHERE. */
  readonly groups: Int32Array;
}

function foldNumbers(parts: readonly Part[], name: string, fold: Fold, target: Float64Array): void {
  const { from, add } = FOLDS[fold];
  target.fill(from);
  for (const { table, groups } of parts) {
    const values = table.numbers(name)?.values;
    groups.forEach((group, row) => {
      if (group !== NOWHERE) target[group] = add(target[group] ?? 0, values?.[row] ?? 0);
    });
  }
}

function lastTexts(
  parts: readonly Part[],
  name: string,
  target: Uint32Array,
  texts: DictionaryBuilder,
): void {
  for (const { table, groups } of parts) {
    const codes = plainColumn(table, name, texts);
    groups.forEach((group, row) => {
      if (group !== NOWHERE && codes[row]) target[group] = codes[row];
    });
  }
}

function mixTexts(
  parts: readonly Part[],
  name: string,
  target: Uint32Array,
  texts: DictionaryBuilder,
): void {
  const mixed = texts.code('mixed' satisfies PriceSource);
  for (const { table, groups } of parts) {
    const codes = plainColumn(table, name, texts);
    groups.forEach((group, row) => {
      const code = codes[row] ?? 0;
      if (group === NOWHERE || code === 0) return;
      const before = target[group] ?? 0;
      target[group] = before === 0 || before === code ? code : mixed;
    });
  }
}

function sumObjects(
  parts: readonly Part[],
  name: string,
  target: Uint32Array,
  texts: DictionaryBuilder,
): void {
  const sums = new PaidSums();
  for (const { table, groups } of parts) {
    const read = textReader(table, name);
    groups.forEach((group, row) => {
      const text = group === NOWHERE ? '' : read(row);
      if (text !== '') sums.add(group, text);
    });
  }
  sums.fill(target, texts);
}
