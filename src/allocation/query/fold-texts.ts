/** What the rows of a group have in common. */
import {
  commonCodes,
  DictionaryBuilder,
  greatestValues,
  MIXED_CODES,
  NO_CODE,
  noCodes,
  numberPairs,
  numbersIn,
  rowsOfValue,
  textColumn,
  type Frame,
  type TextColumn,
  type Texts,
  type Workspace,
} from '../../columnar/index.ts';
import { AgreedPairs } from '../row/agreed-pairs.ts';
import type { Keyed } from './fold-numbers.ts';
import type { PriceSource } from '../../pricing/index.ts';
import { END_SOURCES, IDENTITY_COLUMNS, PRICE_SOURCE, TEXT_COLUMNS } from '../row/schema.ts';

/** Columns of names and values: the pairs that all rows share survive. Other texts survive as a whole. */
const OBJECTS: ReadonlySet<string> = new Set(TEXT_COLUMNS.filter((name) => name !== 'services'));

/** Identity and labels survive where all rows of a group agree; the end has the least sure source. */
export function foldTexts(
  space: Workspace,
  parts: readonly Keyed[],
  to: Frame,
  texts: DictionaryBuilder,
): void {
  for (const name of [...IDENTITY_COLUMNS, ...TEXT_COLUMNS]) {
    const target = to.u32(name);
    const columns = columnsOf(space, parts, name);
    if (columns === undefined) target.fill(0);
    else fill(target, commonTexts(space, columns, to.rows, OBJECTS.has(name)), texts);
  }
  foldPriceSources(space, parts, to, texts);
  foldEndSources(space, parts, to);
}

/** Rows that have no price, such as volumes of nobody, say nothing about those that have one. */
function foldPriceSources(
  space: Workspace,
  parts: readonly Keyed[],
  to: Frame,
  texts: DictionaryBuilder,
): void {
  const target = to.u32(PRICE_SOURCE);
  const columns = columnsOf(space, parts, PRICE_SOURCE);
  if (columns === undefined) {
    target.fill(0);
    return;
  }
  const priced = columns.map((column) => {
    const unpriced = rowsOfValue(space, column.codes, 0);
    if (unpriced.length === 0) return column;
    const groups = column.groups.slice();
    for (const row of unpriced) groups[row] = to.rows;
    return { ...column, groups: inArena(space, groups) };
  });
  const agreed = commonTexts(space, priced, to.rows, false);
  fill(target, agreed, texts);
  const mixed = texts.code('mixed' satisfies PriceSource);
  agreed.codes.forEach((code, group) => {
    if (code === MIXED_CODES) target[group] = mixed;
  });
}

function inArena({ engine: { arena }, owner }: Workspace, values: Uint32Array): Uint32Array {
  const copy = arena.u32(arena.allocate(values.byteLength, owner), values.length);
  copy.set(values);
  return copy;
}

/** Rows of a part, by codes that all parts have in common. */
interface Column extends TextColumn {
  /** The group of each row; those that are left out have a number of their own. */
  readonly groups: Uint32Array;
}

/** Undefined: no part has the column. */
function columnsOf(space: Workspace, parts: readonly Keyed[], name: string): Column[] | undefined {
  const found = parts.map(({ table }) => table.text(name));
  const kinds = new Set(found.flatMap((column) => column?.texts ?? []));
  const [first] = kinds;
  if (first === undefined) return undefined;
  const all = parts.map(({ table, describing }, i): Column => {
    const { codes, texts } = found[i] ?? { codes: new Uint32Array(table.rows), texts: first };
    return { codes, texts, groups: describing };
  });
  if (kinds.size === 1) return all;
  const texts = new DictionaryBuilder();
  return all.map((column) => {
    return { ...column, codes: numbersIn(space, column, (text) => texts.code(text)), texts };
  });
}

/** The texts that all rows of each group share, compared by code so that few texts are read. */
interface Agreed {
  /** The code that all rows of a group have, NO_CODE or MIXED_CODES. */
  readonly codes: Int32Array;
  readonly texts: Texts;
  /** The pairs that rows of mixed groups share; absent: texts are not split into pairs. */
  readonly pairs?: AgreedPairs;
}

function commonTexts(
  space: Workspace,
  columns: readonly Column[],
  count: number,
  isObject: boolean,
): Agreed {
  const [{ texts } = EMPTY] = columns;
  const all = noCodes(space, count + 1);
  for (const { codes, groups } of columns) commonCodes(space, codes, groups, all);
  const codes = all.subarray(0, count);
  if (!isObject || !codes.includes(MIXED_CODES)) return { codes, texts };
  const pairs = new AgreedPairs(texts, count);
  for (const column of columns) {
    const { pairs: found } = numberPairs(space, column.groups, column.codes);
    for (let i = 0; i < found.length; i += 2) {
      const [group, code] = [found[i] ?? 0, found[i + 1] ?? 0];
      if (group < count && codes[group] === MIXED_CODES) pairs.add(group, code);
    }
  }
  return { codes, texts, pairs };
}

const EMPTY: Pick<TextColumn, 'texts'> = { texts: { size: 1, text: () => '' } };

/** In codes of `to`: each text is looked up once. */
function fill(target: Uint32Array, { codes, texts, pairs }: Agreed, to: DictionaryBuilder): void {
  const known = new Uint32Array(texts === to ? 0 : texts.size);
  const codeOf = (code: number): number => {
    if (code <= 0 || texts === to) return Math.max(0, code);
    return (known[code] ||= to.code(texts.text(code)));
  };
  for (let group = 0; group < target.length; group++) {
    const code = codes[group] ?? NO_CODE;
    const isMixed = code === MIXED_CODES && pairs !== undefined;
    target[group] = isMixed ? to.code(pairs.textOf(group) ?? '') : codeOf(code);
  }
}

/** An end without a source counts as the least sure. */
function foldEndSources(space: Workspace, parts: readonly Keyed[], to: Frame): void {
  const { arena } = space.engine;
  const count = to.rows + 1;
  const greatest = arena.u32(arena.allocateZeroed(4 * count, space.owner), count);
  for (const { table, describing } of parts) {
    const sources = numbersIn(space, textColumn(table, 'endSource'), endSourceOf);
    greatestValues(space, sources, describing, greatest);
  }
  to.u32('endSource').set(greatest.subarray(0, to.rows));
}

/** A place in END_SOURCES. */
export function endSourceOf(text: string): number {
  const known = END_SOURCES.findIndex((source) => source === text);
  if (known < 0 && text !== '') throw new Error(`BUG: no source of ends is called '${text}'`);
  return known < 0 ? END_SOURCES.length - 1 : known;
}
