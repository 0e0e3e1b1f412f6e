/** Which rows a table shows, in which order: found, sorted, folded under the first of two fields. */
import { isIdle, valuesOf } from './fields.ts';
import { emptyColumns, MEASURE_NAMES, type CostRows } from './rows.ts';

export interface ShownRow {
  readonly name: string;
  /** A group, a row of a group, a row alone. */
  readonly kind: 'group' | 'part' | 'row';
  readonly group: string;
  /** Where its numbers are: rows of the groups, or of all. */
  readonly at: number;
  readonly isOpen: boolean;
}

export interface Order {
  readonly sort: string;
  readonly isRising: boolean;
}

/** Sums of rows by the value of the first field; the efficiency is weighed by what CPU and RAM cost. */
export function groupRows(
  rows: CostRows,
  by: readonly string[],
  firsts: ReadonlySet<string>,
): { readonly groups: CostRows; readonly members: ReadonlyMap<string, readonly number[]> } {
  const members = new Map<string, number[]>();
  for (const [row, name] of rows.names.entries()) {
    if (isIdle(name)) continue;
    const [first = ''] = valuesOf(name, by, firsts);
    const own = members.get(first);
    if (own === undefined) members.set(first, [row]);
    else own.push(row);
  }
  const names = [...members.keys()];
  const columns = emptyColumns(names.length);
  for (const [group, name] of names.entries()) {
    let weight = 0;
    for (const row of members.get(name) ?? []) {
      const own = (rows.columns.cpu[row] ?? 0) + (rows.columns.ram[row] ?? 0);
      weight += own;
      for (const measure of MEASURE_NAMES) {
        const factor = measure === 'efficiency' ? own : 1;
        columns[measure][group] =
          (columns[measure][group] ?? 0) + factor * (rows.columns[measure][row] ?? 0);
      }
    }
    columns.efficiency[group] = weight > 0 ? (columns.efficiency[group] ?? 0) / weight : 0;
  }
  return { groups: { names, columns, at: new Map(names.map((name, at) => [name, at])) }, members };
}

/** Names in lower case, made once: they are looked through at each letter. */
const lowered: WeakMap<readonly string[], readonly string[]> = new WeakMap();

function lowerNames(names: readonly string[]): readonly string[] {
  let lower = lowered.get(names);
  if (lower === undefined) lowered.set(names, (lower = names.map((name) => name.toLowerCase())));
  return lower;
}

/** All rows but idle. */
export function costRows(names: readonly string[]): number[] {
  const rows: number[] = [];
  for (let row = 0; row < names.length; row++) if (!isIdle(names[row] ?? '')) rows.push(row);
  return rows;
}

/** The rows, in their order, whose name has all words of `find`, in any case. */
export function foundRows(
  names: readonly string[],
  rows: readonly number[],
  find: string,
): readonly number[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  const lower = lowerNames(names);
  return rows.filter((row) => words.every((word) => (lower[row] ?? '').includes(word)));
}

/** @param change of a row against the period before; missing counts as the least */
export function sortedRows(
  rows: CostRows,
  shown: readonly number[],
  { sort, isRising }: Order,
  change: (name: string) => number | undefined,
): number[] {
  const sign = isRising ? 1 : -1;
  if (sort === 'name') {
    const { names } = rows;
    const compare = new Intl.Collator(undefined, { numeric: true }).compare;
    // Names begin with A where nothing else is said, numbers with the largest.
    return shown.toSorted((a, b) => -sign * compare(names[a] ?? '', names[b] ?? ''));
  }
  const keys = new Float64Array(rows.names.length);
  const column = MEASURE_NAMES.find((measure) => measure === sort) ?? 'total';
  for (const row of shown) {
    const own = rows.columns[column][row] ?? 0;
    keys[row] = sort === 'change' ? (change(rows.names[row] ?? '') ?? -Infinity) : own;
  }
  return shown.toSorted((a, b) => compareKeys(keys[a] ?? 0, keys[b] ?? 0, sign) || a - b);
}

function compareKeys(a: number, b: number, sign: number): number {
  return a === b ? 0 : a < b ? -sign : sign;
}
