/** What the rows of a group have in common. */
import { parseLabels } from '../query/index.ts';
import {
  type DictionaryBuilder,
  type Frame,
  numbersOf,
  type TextColumn,
  textColumn,
  type Texts,
} from '../columnar/index.ts';
import { AgreedPairs, intersection, pairsJson, type Pairs } from './agreed-pairs.ts';
import type { Keyed } from './fold-numbers.ts';
import { END_SOURCES, IDENTITY_COLUMNS, TEXT_COLUMNS } from './schema.ts';

/** Columns of names and values: the pairs survive that all have. Of others the whole, or nothing. */
const OBJECTS: ReadonlySet<string> = new Set(TEXT_COLUMNS.filter((name) => name !== 'services'));

/** No row of the group has come. */
const NONE = -1;
/** Its rows have different texts. */
const MIXED = -2;

/** Identity and labels are kept where all rows of a group agree; the end has the least sure source. */
export function foldTexts(parts: readonly Keyed[], to: Frame, texts: DictionaryBuilder): void {
  for (const name of [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, 'pvs']) {
    const target = to.u32(name);
    const folded = parts.flatMap(({ table, groups }) => {
      const column = table.text(name);
      if (column) return [foldPart(column, groups, to.rows, OBJECTS.has(name))];
      return parts.length > 1 ? [emptyIn(groups, to.rows)] : [];
    });
    const [only] = folded;
    if (folded.length === 0) target.fill(0);
    else if (only instanceof FoldedPart && folded.length === 1) only.fill(target, texts);
    else {
      for (let group = 0; group < to.rows; group++) {
        target[group] = texts.code(textOf(folded, group, OBJECTS.has(name)));
      }
    }
  }
  foldEndSources(parts, to);
}

/** What the rows of each group have in common in one part. */
interface Folded {
  /** Undefined for groups without rows. */
  textOf(group: number): string | undefined;
}

/** Rows are told by codes; only what groups come to is looked up. */
function foldPart(
  { codes, texts }: TextColumn,
  groups: Uint32Array,
  count: number,
  isObject: boolean,
): FoldedPart {
  const first = new Int32Array(count + 1).fill(NONE); // the last takes what is left out
  const common = isObject ? new AgreedPairs(texts) : undefined;
  for (let row = 0; row < codes.length; row++) {
    const group = groups[row] ?? count;
    const code = codes[row] ?? 0;
    const known = first[group] ?? NONE;
    if (known === code) continue;
    if (known === NONE) first[group] = code;
    else if (common === undefined) first[group] = MIXED;
    else if (group < count) common.add(group, known, code);
  }
  return new FoldedPart(first, texts, common);
}

class FoldedPart implements Folded {
  readonly #first: Int32Array;
  readonly #texts: Texts;
  readonly #common: AgreedPairs | undefined;

  /** @param first the code that all rows of a group have, NONE or MIXED */
  constructor(first: Int32Array, texts: Texts, common: AgreedPairs | undefined) {
    this.#first = first;
    this.#texts = texts;
    this.#common = common;
  }

  textOf(group: number): string | undefined {
    const code = this.#first[group] ?? NONE;
    if (code === NONE) return undefined;
    return this.#common?.textOf(group) ?? (code === MIXED ? '' : this.#texts.text(code));
  }

  /** As `textOf` of each group, in codes of `to`: each text is looked up once. */
  fill(target: Uint32Array, to: DictionaryBuilder): void {
    const plusOne = new Uint32Array(this.#texts.size); // 0 where the code has not come yet
    for (let group = 0; group < target.length; group++) {
      const code = this.#first[group] ?? NONE;
      const common = this.#common?.textOf(group);
      if (common !== undefined) target[group] = to.code(common);
      else if (code < 0) target[group] = 0;
      else target[group] = (plusOne[code] ||= to.code(this.#texts.text(code)) + 1) - 1;
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
function foldEndSources(parts: readonly Keyed[], to: Frame): void {
  const target = to.u32('endSource').fill(0);
  for (const { table, groups } of parts) {
    const sources = numbersOf(textColumn(table, 'endSource'), endSourceOf);
    for (let row = 0; row < sources.length; row++) {
      const group = groups[row] ?? to.rows;
      const source = sources[row] ?? 0;
      if (group < to.rows && source > (target[group] ?? 0)) target[group] = source;
    }
  }
}

function endSourceOf(text: string): number {
  const known = END_SOURCES.findIndex((source) => source === text);
  if (known < 0 && text !== '') throw new Error(`BUG: no source of ends is called '${text}'`);
  return known < 0 ? END_SOURCES.length - 1 : known;
}
