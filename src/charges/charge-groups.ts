/**
 * Charges grouped: for each window and name what its charges add up to, and the texts on which they
 * agree. Tables are added one after the other; only the groups stay.
 */
import { DictionaryBuilder, numbersOf, type RowSet, type Table } from '../columnar/index.ts';
import { compareRows, selectRows, type Comparison } from '../query/index.ts';
import { chargeColumn, type ChargeField } from './charge-field.ts';
import { nameCharges } from './charge-names.ts';
import { tooManyGroups } from './charge-refusals.ts';
import type { ChargeQuery, ChargeSchema } from './charge-schema.ts';
import { placeCharges, type Placements } from './placements.ts';

/** Groups that a worker's heap bears. */
const GROUPS_MAX = 1_000_000;
/** Charges of a group differ in that text. */
const DIFFERS = -1;
const NOWHERE = -1;
const NAMES = 2 ** 26;

export class ChargeGroups {
  readonly #schema: ChargeSchema;
  readonly #query: ChargeQuery;
  readonly #fields: ReadonlyMap<string, ChargeField>;
  readonly #texts: DictionaryBuilder = new DictionaryBuilder();
  /** By window and name. */
  readonly #known: Map<number, number> = new Map();
  /** Of each group, the code of its name. */
  readonly #names: number[] = [];
  /** Groups by window. */
  readonly #ofWindow: readonly number[][];
  readonly #sums: ReadonlyMap<string, number[]>;
  readonly #agreedTexts: ReadonlyMap<string, number[]>;
  readonly #agreedNumbers: ReadonlyMap<string, number[]>;

  constructor(schema: ChargeSchema, query: ChargeQuery) {
    this.#schema = schema;
    this.#query = query;
    this.#fields = new Map(schema.fields.map((field) => [field.name, field]));
    this.#ofWindow = query.windows.map(() => []);
    this.#sums = new Map(schema.measures.map(({ name }) => [name, []]));
    this.#agreedTexts = new Map(schema.texts.map((name) => [name, []]));
    this.#agreedNumbers = new Map(schema.numbers.map((name) => [name, []]));
  }

  /** The groups of a window, in the order of their coming. */
  within(window: number): readonly number[] {
    return this.#ofWindow[window] ?? [];
  }

  /** @param group that `within` told, like each below */
  name(group: number): string {
    return this.#texts.text(this.#names[group] ?? 0);
  }

  sum(measure: string, group: number): number {
    return this.#sums.get(measure)?.[group] ?? 0;
  }

  /** What all charges of the group have in that column; undefined where they differ. */
  text(column: string, group: number): string | undefined {
    const code = this.#agreedTexts.get(column)?.[group] ?? 0;
    return code === DIFFERS ? undefined : this.#texts.text(code);
  }

  /** Likewise. */
  number(column: string, group: number): number | undefined {
    const value = this.#agreedNumbers.get(column)?.[group] ?? 0;
    return Number.isNaN(value) ? undefined : value;
  }

  /** @throws {Fault} 422 when there are too many groups */
  add(table: Table): void {
    const placed = placeCharges(table, this.#query.windows);
    const { rows, shares } = placed;
    const groups = this.#assign(table, placed);
    for (const { name, values } of this.#schema.measures) {
      const value = values(table);
      fold(this.#sums.get(name), groups, (sum = 0, i) => {
        return sum + (value[rows[i] ?? 0] ?? 0) * (shares[i] ?? 0);
      });
    }
    for (const [name, agreed] of this.#agreedTexts) {
      const codes = numbersOf(chargeColumn(table, name), (text) => this.#texts.code(text));
      agree(agreed, groups, rows, codes, DIFFERS);
    }
    for (const [name, agreed] of this.#agreedNumbers) {
      const values = table.numbers(name)?.values ?? new Float64Array(table.rows);
      agree(agreed, groups, rows, values, NaN);
    }
  }

  /** The group of each placement; NOWHERE for charges that are not meant. */
  #assign(table: Table, { rows, windows }: Placements): Int32Array {
    const { keys, filter } = this.#query;
    const meant = filter === null ? null : selectRows(filter, (one) => this.#compare(table, one));
    const names = nameCharges(table, keys, this.#fields, this.#texts);
    return Int32Array.from(rows, (row, i) => {
      if (meant?.has(row) === false) return NOWHERE;
      return this.#group(windows[i] ?? 0, names[row] ?? 0);
    });
  }

  #group(window: number, name: number): number {
    const place = window * NAMES + name;
    const known = this.#query.isSeparate ? undefined : this.#known.get(place);
    if (known !== undefined) return known;
    const group = this.#names.push(name) - 1;
    if (group === GROUPS_MAX) throw tooManyGroups(GROUPS_MAX);
    this.#known.set(place, group);
    this.#ofWindow[window]?.push(group);
    return group;
  }

  #compare(table: Table, comparison: Comparison): RowSet {
    const field = this.#fields.get(comparison.field);
    if (field === undefined) throw new Error(`BUG: charges have no field ${comparison.field}`);
    return compareRows(table, comparison, field, chargeColumn);
  }
}

/** Gives each group the next value for each of its placements. */
function fold(
  target: number[] = [],
  groups: Int32Array,
  next: (value: number | undefined, placement: number) => number,
): void {
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] ?? NOWHERE;
    if (group !== NOWHERE) target[group] = next(target[group], i);
  }
}

function agree(
  target: number[],
  groups: Int32Array,
  rows: Uint32Array,
  values: ArrayLike<number>,
  differing: number,
): void {
  fold(target, groups, (agreed, i) => {
    const value = values[rows[i] ?? 0] ?? 0;
    return agreed === undefined || agreed === value ? value : differing;
  });
}
