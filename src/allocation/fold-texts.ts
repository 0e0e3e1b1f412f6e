/** What the rows of a group have in common. */
import { parseLabels } from '../query/index.ts';
import {
  commonCodes,
  greatestValues,
  MIXED_CODES,
  NO_CODE,
  numberPairs,
  numbersIn,
  textColumn,
  type DictionaryBuilder,
  type Frame,
  type TextColumn,
  type Texts,
  type Workspace,
} from '../columnar/index.ts';
import { AgreedPairs, intersection, pairsJson, type Pairs } from './agreed-pairs.ts';
import type { Keyed } from './fold-numbers.ts';
import { END_SOURCES, IDENTITY_COLUMNS, TEXT_COLUMNS } from './schema.ts';

/** Columns of names and values: the pairs survive that all have. Of others the whole, or nothing. */
const OBJECTS: ReadonlySet<string> = new Set(TEXT_COLUMNS.filter((name) => name !== 'services'));

/** Identity and labels are kept where all rows of a group agree; the end has the least sure source. */
export function foldTexts(
  space: Workspace,
  parts: readonly Keyed[],
  to: Frame,
  texts: DictionaryBuilder,
): void {
  for (const name of [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, 'pvs']) {
    const target = to.u32(name);
    const folded = parts.flatMap(({ table, telling: groups }): Folded[] => {
      const column = table.text(name);
      if (column) return [foldPart(space, column, { groups, count: to.rows }, OBJECTS.has(name))];
      return parts.length > 1 ? [emptyIn(groups, to.rows)] : [];
    });
    const [only] = folded;
    if (folded.length === 0) target.fill(0);
    else if (only instanceof FoldedPart && folded.length === 1) only.fill(space, target, texts);
    else {
      for (let group = 0; group < to.rows; group++) {
        target[group] = texts.code(textOf(folded, group, OBJECTS.has(name)));
      }
    }
  }
  foldEndSources(space, parts, to);
}

/** What the rows of each group have in common in one part. */
interface Folded {
  /** Undefined for groups without rows. */
  textOf(group: number): string | undefined;
}

/** The group of each row; those that are left out have the number `count`. */
interface Grouping {
  readonly groups: Uint32Array;
  readonly count: number;
}

/** Rows are told by codes; only what groups come to is looked up. */
function foldPart(
  space: Workspace,
  { codes, texts }: TextColumn,
  { groups, count }: Grouping,
  isObject: boolean,
): FoldedPart {
  const first = commonCodes(space, codes, groups, count + 1).subarray(0, count);
  if (!isObject || !first.includes(MIXED_CODES)) return new FoldedPart(first, texts);
  const common = new AgreedPairs(texts);
  const { pairs } = numberPairs(space, groups, codes);
  for (let i = 0; i < pairs.length; i += 2) {
    const [group, code] = [pairs[i] ?? 0, pairs[i + 1] ?? 0];
    if (group < count && first[group] === MIXED_CODES) common.add(group, code);
  }
  return new FoldedPart(first, texts, common);
}

class FoldedPart implements Folded {
  readonly #first: Int32Array;
  readonly #texts: Texts;
  readonly #common: AgreedPairs | undefined;

  /** @param first the code that all rows of a group have, NO_CODE or MIXED_CODES */
  constructor(first: Int32Array, texts: Texts, common?: AgreedPairs) {
    this.#first = first;
    this.#texts = texts;
    this.#common = common;
  }

  textOf(group: number): string | undefined {
    const code = this.#first[group] ?? NO_CODE;
    if (code === NO_CODE) return undefined;
    return code === MIXED_CODES ? (this.#common?.textOf(group) ?? '') : this.#texts.text(code);
  }

  /** As `textOf` of each group, in codes of `to`: each text is looked up once. */
  fill(space: Workspace, target: Uint32Array, to: DictionaryBuilder): void {
    const codes = Uint32Array.from(this.#first, (code) => Math.max(0, code));
    const column = { codes, texts: this.#texts };
    target.set(numbersIn(space, column, (text) => to.code(text)));
    for (let group = 0; group < target.length; group++) {
      if ((this.#first[group] ?? 0) < 0) target[group] = to.code(this.textOf(group) ?? '');
    }
  }
}

/** A part that leaves the column out. */
function emptyIn(groups: Uint32Array, count: number): Folded {
  const hasRows = new Uint8Array(count + 1);
  for (const group of groups) hasRows[group] = 1;
  return { textOf: (group) => (hasRows[group] === 1 ? '' : undefined) };
}

/** What the parts have in common. */
function textOf(folded: readonly Folded[], group: number, isObject: boolean): string {
  let common: string | undefined;
  for (const part of folded) {
    const text = part.textOf(group);
    if (text === undefined || text === common) continue;
    if (common === undefined) common = text;
    else common = isObject ? commonText(common, text) : '';
  }
  return common ?? '';
}

function commonText(a: string, b: string): string {
  const [some, others]: Pairs[] = [parseLabels(a), parseLabels(b)];
  return some && others ? pairsJson(intersection(some, others)) : '';
}

/** An end of which nothing is said is as unsure as any. */
function foldEndSources(space: Workspace, parts: readonly Keyed[], to: Frame): void {
  const target = to.u32('endSource').fill(0);
  for (const { table, telling: groups } of parts) {
    const sources = numbersIn(space, textColumn(table, 'endSource'), endSourceOf);
    const greatest = greatestValues(space, sources, groups, to.rows + 1);
    for (let group = 0; group < target.length; group++) {
      target[group] = Math.max(target[group] ?? 0, greatest[group] ?? 0);
    }
  }
}

/** A place in END_SOURCES. */
export function endSourceOf(text: string): number {
  const known = END_SOURCES.findIndex((source) => source === text);
  if (known < 0 && text !== '') throw new Error(`BUG: no source of ends is called '${text}'`);
  return known < 0 ? END_SOURCES.length - 1 : known;
}
