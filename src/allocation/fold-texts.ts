/** What the rows of a group have in common. */
import type { DictionaryBuilder, Frame } from '../columnar/index.ts';
import type { Keyed } from './fold-numbers.ts';
import { parseLabels } from './members.ts';
import { END_SOURCES, IDENTITY_COLUMNS, TEXT_COLUMNS } from './schema.ts';
import { numbersOf, plainColumn, textColumn } from './text-columns.ts';

/** Columns of names and values: the pairs survive that all have. Of others the whole, or nothing. */
const OBJECTS: ReadonlySet<string> = new Set(TEXT_COLUMNS.filter((name) => name !== 'services'));

/** Identity and labels are kept where all rows of a group agree; the end has the least sure source. */
export function foldTexts(parts: readonly Keyed[], to: Frame, texts: DictionaryBuilder): void {
  const pairs = new Pairs(texts);
  for (const name of [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, 'pvs']) {
    const disagreed = OBJECTS.has(name) ? (a: number, b: number) => pairs.common(a, b) : nothing;
    foldColumn(parts, name, to, texts, disagreed);
  }
  foldEndSources(parts, to);
}

const nothing = (): number => 0;

function foldColumn(
  parts: readonly Keyed[],
  name: string,
  to: Frame,
  texts: DictionaryBuilder,
  disagreed: (a: number, b: number) => number,
): void {
  const target = to.u32(name);
  const isSet = new Uint8Array(to.rows);
  for (const { table, groups } of parts) {
    const codes = plainColumn(table, name, texts);
    for (let row = 0; row < codes.length; row++) {
      const group = groups[row] ?? to.rows;
      if (group === to.rows) continue;
      const code = codes[row] ?? 0;
      const old = target[group] ?? 0;
      if (isSet[group] === 0) target[group] = code;
      else if (old !== code && old !== 0) target[group] = disagreed(old, code);
      isSet[group] = 1;
    }
  }
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

/** Objects of names and values by their code, each read once. */
class Pairs {
  readonly #texts: DictionaryBuilder;
  readonly #read: Map<number, ReadonlyMap<string, string>> = new Map();

  constructor(texts: DictionaryBuilder) {
    this.#texts = texts;
  }

  /** Code of the object of what both have with the same value. */
  common(a: number, b: number): number {
    const other = this.#of(b);
    const own = this.#of(a);
    const common = [...own].filter(([name, value]) => other.get(name) === value);
    if (common.length === own.size) return a;
    if (common.length === 0) return 0;
    const pairs = common.map((pair) => pair.map((text) => JSON.stringify(text)).join(':'));
    return this.#texts.code(`{${pairs.join(',')}}`);
  }

  #of(code: number): ReadonlyMap<string, string> {
    let pairs = this.#read.get(code);
    if (pairs === undefined) {
      pairs = parseLabels(this.#texts.text(code));
      this.#read.set(code, pairs);
    }
    return pairs;
  }
}
