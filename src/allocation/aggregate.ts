/**
 * Rows grouped by key. Without `aggregate` the key is cluster/node/namespace/pod/container, under
 * which two lives of one pod name on one node become one row, their sums kept.
 */
import {
  createFrame,
  DictionaryBuilder,
  groupedExtremes,
  groupedSums,
  groupLayout,
  sumsOfColumn,
  type Column,
  type ColumnSpec,
  type Engine,
  type Frame,
  type GroupInput,
  type Owner,
} from '../columnar/index.ts';
import type { AggregateKey } from '../query/index.ts';
import { keyColumn, plainColumn, type Rows } from './key-columns.ts';
import { parseLabels } from './members.ts';
import { IDENTITY_COLUMNS, MEASURES, TEXT_COLUMNS, type IdentityColumn } from './schema.ts';

/** What a row's name is joined of when it is not aggregated. */
export const NAME_PARTS: readonly IdentityColumn[] = [
  'cluster',
  'node',
  'namespace',
  'pod',
  'container',
];

/** Column of a grouped frame that holds one part of the name. */
export function partColumn(part: number): string {
  return `part${part}`;
}

/** A grouped set: rows in order of name; `name` is a code of `texts`, like the identity columns. */
export interface Grouped {
  readonly frame: Frame;
  readonly texts: DictionaryBuilder;
}

/** @param keys none: not aggregated */
export function aggregate(
  engine: Engine,
  owner: Owner,
  parts: readonly Rows[],
  keys: readonly AggregateKey[],
): Grouped {
  const groups = new Groups(keys);
  const groupOf = parts.map((rows) => groups.assign(rows));
  return fold(engine, owner, parts, groups, groupOf);
}

/** Gives each row its group, and each group its name. */
class Groups {
  readonly texts: DictionaryBuilder = new DictionaryBuilder();
  /** Code of the name, a group. */
  readonly names: number[] = [];
  /** Codes of the parts a name is joined of, a group. */
  readonly parts: number[][] = [];
  readonly #byName: Map<number, number> = new Map();
  readonly #keys: readonly AggregateKey[];

  constructor(keys: readonly AggregateKey[]) {
    this.#keys = keys;
  }

  assign(rows: Rows): Uint32Array {
    const columns =
      this.#keys.length > 0
        ? this.#keys.map((key) => keyColumn(rows, key, this.texts))
        : NAME_PARTS.map((name) => plainColumn(rows, name, this.texts));
    const joined = this.#join(columns, rows.frame.rows);
    return joined.map((name, row) => this.#groupOf(name, columns, row));
  }

  #groupOf(name: number, columns: readonly Uint32Array[], row: number): number {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    this.#byName.set(name, this.names.length);
    this.parts.push(columns.map((column) => column[row] ?? 0));
    return this.names.push(name) - 1;
  }

  /** Codes of the rows' parts joined by `/`; each different pair of codes is joined once. */
  #join(columns: readonly Uint32Array[], rows: number): Uint32Array {
    const [head, ...tail] = columns;
    let joined = head ?? new Uint32Array(rows);
    for (const column of tail) {
      const pairs = new Map<number, number>();
      const next = new Uint32Array(rows);
      for (let row = 0; row < rows; row++) {
        const left = joined[row] ?? 0;
        const right = column[row] ?? 0;
        const pair = left * 2 ** 26 + right;
        let code = pairs.get(pair);
        if (code === undefined) {
          code = this.texts.code(`${this.texts.text(left)}/${this.texts.text(right)}`);
          pairs.set(pair, code);
        }
        next[row] = code;
      }
      joined = next;
    }
    return joined;
  }
}

/** Sums, extremes and what rows of a group have in common. */
function fold(
  engine: Engine,
  owner: Owner,
  parts: readonly Rows[],
  groups: Groups,
  groupOf: readonly Uint32Array[],
): Grouped {
  const { texts, names } = groups;
  const order = names
    .map((name, group) => ({ text: texts.text(name), group }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ group }) => group);
  const placeOf = new Uint32Array(names.length);
  order.forEach((group, place) => {
    placeOf[group] = place;
  });
  const keys = groupOf.map((column) => column.map((group) => placeOf[group] ?? 0));
  const measured = MEASURES.filter(({ column }) =>
    parts.some(({ frame }) => frame.columns.has(column)),
  );
  const partCount = groups.parts[0]?.length ?? 0;
  const columns = [...groupedColumns(measured), ...partColumns(partCount)];
  const frame = createFrame(engine.arena, columns, names.length, owner);
  order.forEach((group, place) => {
    frame.u32('name')[place] = names[group] ?? 0;
    groups.parts[group]?.forEach((code, part) => {
      frame.u32(partColumn(part))[place] = code;
    });
  });
  foldNumbers(engine, owner, parts, keys, frame);
  foldTexts(parts, keys, frame, texts);
  return { frame, texts };
}

function groupedColumns(measured: readonly { column: string }[]): ColumnSpec[] {
  const codes = ['name', ...IDENTITY_COLUMNS, ...TEXT_COLUMNS, 'pvs', 'endSource'];
  const numbers = ['endUncertaintyMs', 'startMs', 'endMs', ...measured.map((m) => m.column)];
  return [
    ...codes.map((name): ColumnSpec => ({ name, type: 'u32' })),
    ...numbers.map((name): ColumnSpec => ({ name, type: 'f64' })),
  ];
}

function partColumns(count: number): ColumnSpec[] {
  return Array.from({ length: count }, (_, part) => ({ name: partColumn(part), type: 'u32' }));
}

function foldNumbers(
  engine: Engine,
  owner: Owner,
  parts: readonly Rows[],
  keys: readonly Uint32Array[],
  to: Frame,
): void {
  const { arena } = engine;
  const groups = to.rows;
  const sums = MEASURES.filter((m) => m.fold === 'sum' && to.columns.has(m.column)).map(
    (m) => m.column,
  );
  const maxima = MEASURES.filter((m) => m.fold === 'max' && to.columns.has(m.column)).map(
    (m) => m.column,
  );
  maxima.push('endMs', 'endUncertaintyMs');
  const layout = groupLayout(groups, sums.length, true);
  const table = arena.allocateZeroed(layout.bytes, owner);
  const scratch = arena.allocate(64 + 64 * groups, owner);
  for (const name of maxima) to.f64(name).fill(-Infinity);
  to.f64('startMs').fill(Infinity);
  parts.forEach((rows, i) => {
    const part = keys[i] ?? new Uint32Array();
    if (part.length === 0) return;
    const keysAt = arena.allocate(4 * part.length, owner);
    arena.u32(keysAt, part.length).set(part);
    const input = (columns: readonly string[]): GroupInput => ({
      keys: keysAt,
      columns: columns.map((name) => addressOf(rows.frame, name)),
      rows: part.length,
    });
    groupedSums(engine, layout, input(sums), table);
    groupedExtremes(engine, groups, input([...maxima, 'startMs']), scratch).forEach(
      ([minima, largest], column) => {
        const name = maxima[column];
        if (name) widen(to.f64(name), largest, Math.max);
        else widen(to.f64('startMs'), minima, Math.min);
      },
    );
    arena.free(keysAt, 4 * part.length);
  });
  sums.forEach((name, column) => sumsOfColumn(engine, layout, table, column, to.f64(name)));
  arena.free(table, layout.bytes);
  arena.free(scratch, 64 + 64 * groups);
}

function addressOf(frame: Frame, name: string): number {
  const column: Column | undefined = frame.columns.get(name);
  if (!column) throw new Error(`BUG: no column ${name}`);
  return column.address;
}

function widen(to: Float64Array, by: Float64Array, choose: (a: number, b: number) => number): void {
  by.forEach((value, i) => {
    to[i] = choose(to[i] ?? NaN, value);
  });
}

/** Identity and labels are kept where all rows of a group agree; the end has the least sure source. */
function foldTexts(
  parts: readonly Rows[],
  keys: readonly Uint32Array[],
  to: Frame,
  texts: DictionaryBuilder,
): void {
  for (const name of [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, 'pvs']) {
    const target = to.u32(name);
    const isSet = new Uint8Array(to.rows);
    parts.forEach((rows, i) => {
      const codes = plainColumn(rows, name, texts);
      keys[i]?.forEach((group, row) => {
        const code = codes[row] ?? 0;
        if (isSet[group] === 0) target[group] = code;
        else if (target[group] !== code) {
          target[group] = isObject(name) ? commonLabels(texts, target[group] ?? 0, code) : 0;
        }
        isSet[group] = 1;
      });
    });
  }
  const target = to.u32('endSource').fill(0);
  parts.forEach((rows, i) => {
    const sources = rows.frame.u32('endSource');
    keys[i]?.forEach((group, row) => {
      target[group] = Math.max(target[group] ?? 0, sources[row] ?? 0);
    });
  });
}

/** Columns of names and values; a list of services is kept whole or not at all. */
function isObject(column: string): boolean {
  return TEXT_COLUMNS.some((name) => name === column && name !== 'services');
}

/** Code of the labels that both have with the same value. */
function commonLabels(texts: DictionaryBuilder, a: number, b: number): number {
  if (a === 0 || b === 0) return 0;
  const other = parseLabels(texts.text(b));
  const common = [...parseLabels(texts.text(a))].filter(
    ([name, value]) => other.get(name) === value,
  );
  if (common.length === 0) return 0;
  const pairs = common.map((pair) => pair.map((text) => JSON.stringify(text)).join(':'));
  return texts.code(`{${pairs.join(',')}}`);
}
