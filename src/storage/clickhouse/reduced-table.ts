/**
 * Groups of rows that the server added up, as a table in the arena. Each group is two rows, or as many as it has
 * texts that are told of each row:
 *
 *   sums      the exact sum, rounded, in the first row, and its rest in the second; 0 in others
 *   extremes  in all
 *   texts     one in the first row, and in the others the same or another of the group
 */
import {
  columnSpecs,
  createFrame,
  DictionaryBuilder,
  type Arena,
  type Frame,
  type Owner,
  type TableAddresses,
} from '../../columnar/index.ts';
import type { ReducedColumn, ReducedPlan } from '../reduction.ts';
import { roundedWithRest } from './exact-sums.ts';
import { nativeBlocks, type NativeValues } from './native-read.ts';
import { added } from './set-facts.ts';

/** What the server told of all groups, by its columns. */
interface Told {
  readonly counts: number[];
  readonly texts: Map<string, string[][]>;
  readonly numbers: Map<string, number[][]>;
}

/**
 * @param rowsMax with more rows there is no use in it
 * @returns undefined where the groups are not those of the rows that were stored
 * @throws {ArenaFull} when there is no room
 */
export async function reducedTable(
  arena: Arena,
  owner: Owner,
  bytes: Uint8Array,
  plan: ReducedPlan,
  rowsMax: number,
): Promise<TableAddresses | undefined> {
  const told = await readGroups(bytes, plan);
  if (!isAsStored(plan, told)) return undefined;
  const rowsOf = told.counts.map((count, group) =>
    Math.max(2, eachTexts(plan, told, group) ? count : 2),
  );
  const starts = [0];
  for (const rows of rowsOf) starts.push((starts.at(-1) ?? 0) + rows);
  const rows = starts.at(-1) ?? 0;
  if (rows > rowsMax) return undefined;
  const specs = columnSpecs({
    texts: plan.columns.filter(isText).map(({ name }) => name),
    numbers: plan.columns.filter((column) => !isText(column)).map(({ name }) => name),
  });
  const frame = createFrame(arena, specs, rows, owner);
  const dictionaries: Record<string, number> = {};
  for (const column of plan.columns) {
    if (!isText(column)) fillNumbers(frame.f64(column.name), starts, column, told);
    else dictionaries[column.name] = fillTexts(arena, owner, frame, starts, column, told);
  }
  return { frame: frame.address, dictionaries, bytes: {} };
}

function isText({ kind }: ReducedColumn): boolean {
  return kind !== 'sum' && kind !== 'extreme';
}

/** How many columns of the answer a column takes. */
function widthOf(column: ReducedColumn): number {
  if (column.kind === 'sum') return column.sums.length;
  return column.kind === 'alike' ? 2 : 1;
}

async function readGroups(bytes: Uint8Array, plan: ReducedPlan): Promise<Told> {
  const names = plan.columns.map(({ name }) => name);
  const told: Told = {
    counts: [],
    texts: new Map(names.map((name) => [name, []])),
    numbers: new Map(names.map((name) => [name, []])),
  };
  for await (const block of nativeBlocks(once(bytes), 'add up rows')) {
    let at = 1;
    for (const count of numbersIn(block.columns[at++])) told.counts.push(count);
    at += plan.hidden;
    for (const column of plan.columns) {
      const into = isText(column) ? told.texts : told.numbers;
      const lists = into.get(column.name) ?? [];
      for (let i = 0; i < widthOf(column); i++) {
        const values = block.columns[at++];
        const list = (lists[i] ??= []) as (string | number)[];
        for (const value of isText(column) ? textsIn(values) : numbersIn(values)) list.push(value);
      }
    }
  }
  return told;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

function* numbersIn(column: NativeValues | undefined): Generator<number> {
  const values = column?.values;
  if (!(values instanceof Float64Array || values instanceof BigUint64Array))
    throw new Error('BUG: sums came as another type');
  for (const value of values) yield Number(value);
}

function* textsIn(column: NativeValues | undefined): Generator<string> {
  const values = column?.values;
  if (Array.isArray(values)) {
    for (const text of values as Uint8Array[]) yield textOf(text);
  } else if (values !== undefined && 'codes' in values) {
    const texts = values.texts.map(textOf);
    for (const code of values.codes) yield texts[code] ?? '';
  } else throw new Error('BUG: texts came as another type');
}

function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}

/** Whether all of the rows are in the groups, as far as sums tell; of some rows it is not known. */
function isAsStored({ rows, columns }: ReducedPlan, { counts, texts, numbers }: Told): boolean {
  const isFinite = [...numbers.values()].every((lists) =>
    lists.every((list) => list.every(Number.isFinite)),
  );
  if (!isFinite || rows === null) return isFinite;
  if (counts.reduce((sum, count) => sum + count, 0) !== rows) return false;
  return columns.every((column) => {
    if (column.kind === 'apart' || column.kind === 'each') {
      const [list = []] = texts.get(column.name) ?? [];
      return list.reduce((sum, text, i) => added(sum, text, counts[i] ?? 0), 0) === column.sum;
    }
    if (column.kind !== 'sum') return true;
    const lists = numbers.get(column.name) ?? [];
    // No addition rounds, in whatever order.
    return column.sums.every((sum, i) => lists[i]?.reduce((all, each) => all + each, 0) === sum);
  });
}

function eachTexts({ columns }: ReducedPlan, { texts }: Told, group: number): boolean {
  return columns.some(({ kind, name }) => kind === 'each' && texts.get(name)?.[0]?.[group] !== '');
}

function fillNumbers(
  target: Float64Array,
  starts: readonly number[],
  { kind, name }: ReducedColumn,
  { counts, numbers }: Told,
): void {
  const lists = numbers.get(name) ?? [];
  for (let group = 0; group < counts.length; group++) {
    const [from, to] = [starts[group] ?? 0, starts[group + 1] ?? 0];
    if (kind === 'extreme') target.fill(lists[0]?.[group] ?? 0, from, to);
    else {
      const [sum, rest] = roundedWithRest(lists.map((list) => list[group] ?? 0));
      target.fill(0, from, to);
      target[from] = sum;
      target[from + 1] = rest;
    }
  }
}

/** @returns the address of its dictionary */
function fillTexts(
  arena: Arena,
  owner: Owner,
  frame: Frame,
  starts: readonly number[],
  { kind, name }: ReducedColumn,
  { counts, texts }: Told,
): number {
  const target = frame.u32(name);
  const dictionary = new DictionaryBuilder();
  const [firsts = [], others = firsts] = texts.get(name) ?? [];
  for (let group = 0; group < counts.length; group++) {
    const [from, to] = [starts[group] ?? 0, starts[group + 1] ?? 0];
    const [first, other] = [firsts[group] ?? '', others[group] ?? ''].map((text) =>
      dictionary.code(text),
    );
    target.fill(kind === 'each' ? 0 : (other ?? 0), from, to);
    const ofFirst = kind === 'each' ? (counts[group] ?? 0) : 1;
    target.fill(first ?? 0, from, Math.min(to, from + ofFirst));
  }
  return dictionary.store(arena, owner).address;
}
