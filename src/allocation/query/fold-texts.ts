/** What the rows of a group have in common. */
import {
  agreedCodes,
  codesOfTexts,
  commonCodes,
  greatestValues,
  MIXED_CODES,
  noCodes,
  numberPairs,
  numbersIn,
  rowsOfValue,
  shareLabels,
  textColumn,
  type Frame,
  type TextColumn,
  TextIndex,
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
  texts: TextIndex,
): void {
  for (const name of [...IDENTITY_COLUMNS, ...TEXT_COLUMNS]) {
    const target = to.u32(name);
    const columns = columnsOf(space, parts, name);
    if (columns === undefined) {
      target.fill(0);
      continue;
    }
    const agreed = commonTexts(space, columns, to.rows);
    const isMixed = OBJECTS.has(name) && agreed.codes.includes(MIXED_CODES);
    if (isMixed) fillShared(space, target, columns, agreed, texts);
    else fill(space, target, agreed, texts);
  }
  foldPriceSources(space, parts, to, texts);
  foldEndSources(space, parts, to);
}

/** Rows that have no price, such as volumes of nobody, say nothing about those that have one. */
function foldPriceSources(
  space: Workspace,
  parts: readonly Keyed[],
  to: Frame,
  texts: TextIndex,
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
  const agreed = commonTexts(space, priced, to.rows);
  fill(space, target, agreed, texts);
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
  const texts = new TextIndex(space.engine, space.owner);
  return all.map((column) => ({ ...column, codes: codesOfTexts(space, column, texts), texts }));
}

/** The texts that all rows of each group share, compared by code so that few texts are read. */
interface Agreed {
  /** The code that all rows of a group have, NO_CODE or MIXED_CODES. */
  readonly codes: Int32Array;
  readonly texts: Texts;
}

function commonTexts(space: Workspace, columns: readonly Column[], count: number): Agreed {
  const [{ texts } = EMPTY] = columns;
  const all = noCodes(space, count + 1);
  for (const { codes, groups } of columns) commonCodes(space, codes, groups, all);
  return { codes: all.subarray(0, count), texts };
}

const EMPTY: Pick<TextColumn, 'texts'> = { texts: { size: 1, text: () => '' } };

/** In codes of `to`: each text is looked up once. */
function fill(
  space: Workspace,
  target: Uint32Array,
  { codes, texts }: Agreed,
  to: TextIndex,
): void {
  target.set(codesOfTexts(space, { codes: agreedCodes(space, codes), texts }, to));
}

/** The same; where rows of a group have different texts, the pairs that they share. */
function fillShared(
  space: Workspace,
  target: Uint32Array,
  columns: readonly Column[],
  { codes, texts }: Agreed,
  to: TextIndex,
): void {
  if (shareLabels(space, columns, texts, codes, to, target)) return;
  const pairs = new AgreedPairs(texts, codes.length);
  for (const column of columns) {
    const { pairs: found } = numberPairs(space, column.groups, column.codes);
    for (let i = 0; i < found.length; i += 2) {
      const [group, code] = [found[i] ?? 0, found[i + 1] ?? 0];
      if (codes[group] === MIXED_CODES) pairs.add(group, code);
    }
  }
  const agreed = Array.from(codes, (code, group) => {
    return code === MIXED_CODES ? (pairs.textOf(group) ?? '') : texts.text(Math.max(0, code));
  });
  target.set(to.codes(agreed));
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
