/**
 * Charges grouped by window and name: the sums of their amounts, and the texts on which they agree.
 * Tables are added one after the other; only the groups stay.
 */
import {
  createFrame,
  Dictionary,
  DictionaryBuilder,
  Frame,
  spendHeap,
  type ColumnSpec,
  type RowSet,
  type Table,
  type TextColumn,
  type Workspace,
} from '../../columnar/index.ts';
import { compareRows, selectRows, type Comparison } from '../../query/index.ts';
import { ByGroup } from './by-group.ts';
import { chargeColumn, type ChargeField } from './charge-field.ts';
import { nameCharges } from './charge-names.ts';
import { tooManyGroups } from './charge-refusals.ts';
import type { ChargeQuery, ChargeSchema } from './charge-schema.ts';
import { placeCharges, type Placements } from './placements.ts';

/** Groups of one answer. */
const GROUPS_MAX = 1_000_000;
/** Heap of a group, without its name. */
const GROUP_BYTES = 100;
/** Marks of a group without one text: its charges differ, or there is none yet. */
const DIFFERS = -1;
const UNSEEN = -2;
const NOWHERE = -1;
const NAMES = 2 ** 26;

/** Groups in the arena: plain data, sent to workers. */
export interface GroupsAt {
  readonly frame: number;
  readonly dictionary: number;
}

export class ChargeGroups {
  readonly #schema: ChargeSchema;
  readonly #query: ChargeQuery;
  readonly #fields: ReadonlyMap<string, ChargeField>;
  readonly #texts: DictionaryBuilder = new DictionaryBuilder();
  /** Groups by window and name. */
  readonly #known: Map<number, number> = new Map();
  /** The code of each group's name. */
  readonly #names: number[] = [];
  /** Groups by window. */
  readonly #ofWindow: readonly number[][];
  readonly #sums: ReadonlyMap<string, ByGroup>;
  readonly #agreedTexts: ReadonlyMap<string, ByGroup>;
  readonly #agreedNumbers: ReadonlyMap<string, ByGroup>;

  constructor(schema: ChargeSchema, query: ChargeQuery) {
    this.#schema = schema;
    this.#query = query;
    this.#fields = new Map(schema.fields.map((field) => [field.name, field]));
    this.#ofWindow = query.windows.map(() => []);
    this.#sums = new Map(schema.measures.map(({ name }) => [name, new ByGroup(0)]));
    this.#agreedTexts = new Map(schema.texts.map((name) => [name, new ByGroup(UNSEEN)]));
    this.#agreedNumbers = new Map(schema.numbers.map((name) => [name, new ByGroup(Infinity)]));
  }

  /** The groups of a window, in the order in which they were added. */
  within(window: number): readonly number[] {
    return this.#ofWindow[window] ?? [];
  }

  /** @param group from `within`, as for the methods below */
  name(group: number): string {
    return this.#texts.text(this.#names[group] ?? 0);
  }

  sum(measure: string, group: number): number {
    return this.#sums.get(measure)?.of(group) ?? 0;
  }

  /** The text that all charges of the group have in that column; undefined where they differ. */
  text(column: string, group: number): string | undefined {
    const code = this.#agreedTexts.get(column)?.of(group) ?? UNSEEN;
    return code === DIFFERS ? undefined : this.#texts.text(Math.max(0, code));
  }

  /** The number that all charges of the group have; undefined where they differ. */
  number(column: string, group: number): number | undefined {
    const value = this.#agreedNumbers.get(column)?.of(group) ?? NaN;
    return Number.isNaN(value) ? undefined : value;
  }

  /**
   * @param space scratch memory
   * @throws {Fault} 422 when there are too many groups
   */
  add(space: Workspace, table: Table): void {
    const placed = placeCharges(table, this.#query.windows);
    const groups = this.#assign(space, table, placed);
    const count = this.#names.length;
    for (const { name, values } of this.#schema.measures) {
      addShares(this.#sums.get(name)?.upTo(count), groups, placed, values(table));
    }
    for (const [name, agreed] of this.#agreedTexts) {
      const codeOf = this.#codesOf(chargeColumn(table, name));
      agreeOn(agreed.upTo(count), groups, (i) => codeOf(placed.rows[i] ?? 0), TEXTS);
    }
    for (const [name, agreed] of this.#agreedNumbers) {
      const values = table.numbers(name)?.values;
      agreeOn(agreed.upTo(count), groups, (i) => values?.[placed.rows[i] ?? 0] ?? 0, NUMBERS);
    }
  }

  /** Reads the code of a row's text here. Texts that are not requested are never read. */
  #codesOf({ codes, texts }: TextColumn): (row: number) => number {
    const known = new Int32Array(texts.size).fill(UNSEEN);
    return (row) => {
      const own = codes[row] ?? 0;
      const code = known[own] ?? UNSEEN;
      return code === UNSEEN ? (known[own] = this.#texts.code(texts.text(own))) : code;
    };
  }

  /** A copy in the arena, with its texts, which other groups of the same query can merge. */
  store({ engine: { arena }, owner }: Workspace): GroupsAt {
    const count = this.#names.length;
    const columns = this.#columns();
    const specs = [
      ...['name', 'window'].map((name): ColumnSpec => ({ name, type: 'u32' })),
      ...columns.map(([name]): ColumnSpec => ({ name, type: 'f64' })),
    ];
    const frame = createFrame(arena, specs, count, owner);
    const texts = new DictionaryBuilder();
    const codes = new Int32Array(this.#texts.size).fill(UNSEEN);
    const codeOf = (code: number): number => {
      if (code < 0) return code;
      if (codes[code] === UNSEEN) codes[code] = texts.code(this.#texts.text(code));
      return codes[code] ?? 0;
    };
    frame.u32('name').set(this.#names.map(codeOf));
    const windows = frame.u32('window');
    this.#ofWindow.forEach((groups, window) => {
      for (const group of groups) windows[group] = window;
    });
    for (const [name, values] of columns)
      frame.f64(name).set(values.upTo(count).subarray(0, count));
    for (const [name] of named('text', this.#agreedTexts)) {
      const column = frame.f64(name);
      column.set(column.map(codeOf));
    }
    return { frame: frame.address, dictionary: texts.store(arena, owner).address };
  }

  /**
   * Adds groups that were stored.
   * @throws {Fault} 422 when there are too many groups
   */
  merge({ engine: { arena } }: Pick<Workspace, 'engine'>, at: GroupsAt): void {
    const frame = new Frame(arena, at.frame);
    const codes = this.#texts.merge(new Dictionary(arena, at.dictionary));
    const windows = frame.u32('window');
    const groups = Int32Array.from(frame.u32('name'), (name, i) =>
      this.#group(windows[i] ?? 0, codes[name] ?? 0),
    );
    const count = this.#names.length;
    for (const [name, sums] of named('sum', this.#sums)) {
      addValues(sums.upTo(count), groups, frame.f64(name));
    }
    for (const [name, agreed] of named('text', this.#agreedTexts)) {
      const own = frame.f64(name).map((code) => (code === DIFFERS ? DIFFERS : (codes[code] ?? 0)));
      agreeOn(agreed.upTo(count), groups, (i) => own[i] ?? 0, TEXTS);
    }
    for (const [name, agreed] of named('number', this.#agreedNumbers)) {
      const own = frame.f64(name);
      agreeOn(agreed.upTo(count), groups, (i) => own[i] ?? 0, NUMBERS);
    }
  }

  #columns(): (readonly [name: string, values: ByGroup])[] {
    return [
      ...named('sum', this.#sums),
      ...named('text', this.#agreedTexts),
      ...named('number', this.#agreedNumbers),
    ];
  }

  /** The group of each placement; NOWHERE for charges that the filter leaves out. */
  #assign(space: Workspace, table: Table, { rows, windows }: Placements): Int32Array {
    const { keys, filter } = this.#query;
    const selected =
      filter === null ? null : selectRows(filter, (one) => this.#compare(table, one));
    const by = { fields: this.#fields, texts: this.#texts };
    const { numbers, count, nameOf } = nameCharges(space, table, keys, by);
    const codes = new Int32Array(count).fill(UNSEEN);
    const groups = new Int32Array(rows.length).fill(NOWHERE);
    for (let i = 0; i < groups.length; i++) {
      const row = rows[i] ?? 0;
      if (selected !== null && !selected.has(row)) continue;
      const number = numbers[row] ?? 0;
      let name = codes[number] ?? UNSEEN;
      if (name === UNSEEN) name = codes[number] = this.#texts.code(nameOf(row));
      groups[i] = this.#group(windows[i] ?? 0, name);
    }
    return groups;
  }

  #group(window: number, name: number): number {
    const place = window * NAMES + name;
    const known = this.#query.isSeparate ? undefined : this.#known.get(place);
    if (known !== undefined) return known;
    const group = this.#names.push(name) - 1;
    if (group === GROUPS_MAX) throw tooManyGroups(GROUPS_MAX);
    this.#known.set(place, group);
    this.#ofWindow[window]?.push(group);
    spendHeap(GROUP_BYTES);
    return group;
  }

  #compare(table: Table, comparison: Comparison): RowSet {
    const field = this.#fields.get(comparison.field);
    if (field === undefined) throw new Error(`BUG: charges have no field ${comparison.field}`);
    return compareRows(table, comparison, field, chargeColumn);
  }
}

/** Columns of stored groups by name. */
function named(
  kind: string,
  columns: ReadonlyMap<string, ByGroup>,
): (readonly [name: string, values: ByGroup])[] {
  return [...columns].map(([name, values]) => [`${kind} ${name}`, values] as const);
}

/** Adds each placement's share of the value of its charge. */
function addShares(
  sums: Float64Array | undefined,
  groups: Int32Array,
  { rows, shares }: Placements,
  values: ArrayLike<number>,
): void {
  if (sums === undefined) return;
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] ?? NOWHERE;
    if (group === NOWHERE) continue;
    sums[group] = (sums[group] ?? 0) + (values[rows[i] ?? 0] ?? 0) * (shares[i] ?? 0);
  }
}

function addValues(sums: Float64Array, groups: Int32Array, values: Float64Array): void {
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] ?? NOWHERE;
    if (group !== NOWHERE) sums[group] = (sums[group] ?? 0) + (values[i] ?? 0);
  }
}

/** Marks of a group without a value, and of one with several. */
interface Marks {
  readonly unseen: number;
  readonly differing: number;
}
const TEXTS: Marks = { unseen: UNSEEN, differing: DIFFERS };
const NUMBERS: Marks = { unseen: Infinity, differing: NaN };

/** @param valueOf called only while the group has one value */
function agreeOn(
  agreed: Float64Array,
  groups: Int32Array,
  valueOf: (i: number) => number,
  { unseen, differing }: Marks,
): void {
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] ?? NOWHERE;
    const known = agreed[group];
    if (group === NOWHERE || Object.is(known, differing)) continue;
    const value = valueOf(i);
    if (known === unseen) agreed[group] = value;
    else if (known !== value) agreed[group] = differing;
  }
}
