/** Texts of groups of rows, as those of reduced rows. */
import {
  DictionaryBuilder,
  numbersByCode,
  type Table,
  type TextColumn,
  type Texts,
  type Workspace,
} from '../../columnar/index.ts';
import { endSourceOf } from '../query/fold-texts.ts';
import { PaidSums } from '../row/paid-sums.ts';
import { IDENTITY_COLUMNS, PAID_COLUMNS, PRICE_SOURCE, TEXT_COLUMNS } from '../row/schema.ts';
import type { Reduction } from './reduction-of.ts';
import type { GroupedRows, Pairs } from './row-pairs.ts';

const PLAIN: ReadonlySet<string> = new Set([...IDENTITY_COLUMNS, ...TEXT_COLUMNS]);
const PAID: ReadonlySet<string> = new Set(PAID_COLUMNS);

export interface CodedPairs {
  readonly pairs: Pairs<Uint32Array>;
  readonly texts: Texts;
}

/** Those of the columns that the table has. */
export function textPairs(
  space: Workspace,
  table: Table,
  grouped: GroupedRows,
  { apart, columns }: Reduction,
): ReadonlyMap<string, CodedPairs> {
  const found = columns.flatMap((name): [string, CodedPairs][] => {
    const column = table.text(name);
    if (column === undefined) return [];
    const { texts } = column;
    if (PAID.has(name)) return [[name, paidOf(column, grouped)]];
    if (name === 'endSource') return [[name, { pairs: leastSure(space, column, grouped), texts }]];
    if (name === PRICE_SOURCE) return [[name, { pairs: witnesses(column, grouped, true), texts }]];
    if (!PLAIN.has(name)) return [];
    const isObject = TEXT_COLUMNS.some((each) => each === name);
    // Pairs that rows share survive in groups: two texts do not tell those of all.
    if (isObject && !apart.includes(name))
      throw new Error(`BUG: ${name} of rows that are added up`);
    return [[name, { pairs: witnesses(column, grouped, false), texts }]];
  });
  return new Map(found);
}

/** A text of each group, and one that differs from it where there is one. */
function witnesses(
  { codes }: TextColumn,
  { groups, count }: GroupedRows,
  passesOverEmpty: boolean,
): Pairs<Uint32Array> {
  const first = new Uint32Array(count);
  const second = new Uint32Array(count);
  const isKnown = new Uint8Array(count);
  for (let row = 0; row < groups.length; row++) {
    const [group, code] = [groups[row] ?? 0, codes[row] ?? 0];
    if (passesOverEmpty && code === 0) continue;
    if (isKnown[group] === 0) {
      isKnown[group] = 1;
      first[group] = second[group] = code;
    } else if (code !== first[group] && second[group] === first[group]) second[group] = code;
  }
  return { first, second, isRest: false };
}

/** The source of ends that is the least sure in each group. */
function leastSure(
  space: Workspace,
  column: TextColumn,
  { groups, count }: GroupedRows,
): Pairs<Uint32Array> {
  const places = numbersByCode(space, column, (code) => 1 + endSourceOf(column.texts.text(code)));
  const found = new Uint32Array(count);
  const greatest = new Uint32Array(count);
  for (let row = 0; row < groups.length; row++) {
    const [group, code] = [groups[row] ?? 0, column.codes[row] ?? 0];
    const place = places[code] ?? 0;
    if (place <= (greatest[group] ?? 0)) continue;
    greatest[group] = place;
    found[group] = code;
  }
  return { first: found, second: found, isRest: false };
}

/** Texts of the sums of members; the rests are empty where there are none. */
function paidOf(column: TextColumn, { groups, count }: GroupedRows): CodedPairs {
  const sums = new PaidSums();
  for (let row = 0; row < groups.length; row++) {
    const code = column.codes[row] ?? 0;
    if (code !== 0) sums.add(groups[row] ?? 0, column.texts.text(code));
  }
  const texts = new DictionaryBuilder();
  const pairs = { first: new Uint32Array(count), second: new Uint32Array(count), isRest: true };
  sums.fillWithRests(pairs.first, pairs.second, texts);
  return { pairs, texts };
}
