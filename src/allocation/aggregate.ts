/**
 * Rows grouped by key. Without `aggregate` the key is cluster/node/namespace/pod/container, under
 * which two lives of one pod name on one node become one row, their sums kept.
 */
import {
  createFrame,
  type ColumnSpec,
  type DictionaryBuilder,
  type Engine,
  type Frame,
  type Owner,
  type Table,
} from '../columnar/index.ts';
import type { AggregateKey } from '../query/index.ts';
import { foldNumbers, type Keyed } from './fold-numbers.ts';
import { foldTexts } from './fold-texts.ts';
import { Groups, isIdleName, LEFT_OUT, type IdleNames } from './groups.ts';
import { IDENTITY_COLUMNS, MEASURES, TEXT_COLUMNS } from './schema.ts';

/** Column of a grouped frame that holds one part of the name. */
export function partColumn(part: number): string {
  return `part${part}`;
}

/** A grouped set: idle, then rows in order of name; `name` is a code of `texts`, like the identity columns. */
export interface Grouped {
  readonly frame: Frame;
  readonly texts: DictionaryBuilder;
}

export interface Grouping {
  /** None: not aggregated. */
  readonly keys: readonly AggregateKey[];
  readonly idleNames: IdleNames;
}

/** @param parts tables of rows; a column that one leaves out is zero or empty in its rows */
export function aggregate(
  engine: Engine,
  owner: Owner,
  parts: readonly Table[],
  { keys, idleNames }: Grouping,
): Grouped {
  const groups = new Groups(keys, idleNames);
  const groupOf = parts.map((table) => groups.assign(table, null));
  const { texts, names } = groups;
  const order = inOrderOfName(groups);
  const placeOf = new Uint32Array(names.length);
  order.forEach((group, place) => {
    placeOf[group] = place;
  });
  const keyed = parts.map((table, i): Keyed => ({
    table,
    groups: placed(groupOf[i] ?? new Uint32Array(), placeOf),
  }));
  const partCount = groups.parts[0]?.length ?? 0;
  const columns = groupedColumns(parts, partCount);
  const frame = createFrame(engine.arena, columns, names.length, owner);
  fill(frame.u32('name'), order, names);
  for (let part = 0; part < partCount; part++) {
    fill(frame.u32(partColumn(part)), order, groups.parts.map((codes) => codes[part] ?? 0)); // prettier-ignore
  }
  foldNumbers(engine, owner, keyed, frame);
  foldTexts(keyed, frame, texts);
  return { frame, texts };
}

function fill(target: Uint32Array, order: readonly number[], values: readonly number[]): void {
  for (let place = 0; place < order.length; place++) target[place] = values[order[place] ?? 0] ?? 0;
}

/** Idle comes first, as clients of the CSV expect. */
function inOrderOfName({ names, texts }: Groups): number[] {
  return names
    .map((name, group) => ({ text: texts.text(name), group }))
    .map(({ text, group }) => ({ text, group, isIdle: isIdleName(text) }))
    .sort((a, b) => Number(b.isIdle) - Number(a.isIdle) || (a.text < b.text ? -1 : 1))
    .map(({ group }) => group);
}

/** Groups by their place; what is left out comes after all of them. */
function placed(groups: Uint32Array, placeOf: Uint32Array): Uint32Array {
  return groups.map((group) => (group === LEFT_OUT ? placeOf.length : (placeOf[group] ?? 0)));
}

/** Measures that some part has. */
function groupedColumns(parts: readonly Table[], partCount: number): ColumnSpec[] {
  const measured = MEASURES.map((m) => m.column).filter((name) =>
    parts.some((table) => table.numbers(name) !== undefined),
  );
  const names = Array.from({ length: partCount }, (_, part) => partColumn(part));
  const codes = ['name', ...IDENTITY_COLUMNS, ...TEXT_COLUMNS, 'pvs', 'endSource', ...names];
  const numbers = ['endUncertaintyMs', 'startMs', 'endMs', ...measured];
  return [
    ...codes.map((name): ColumnSpec => ({ name, type: 'u32' })),
    ...numbers.map((name): ColumnSpec => ({ name, type: 'f64' })),
  ];
}
