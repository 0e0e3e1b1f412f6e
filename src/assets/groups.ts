/** Rows of assets as groups: what they cost together, and what they have in common. */
import { DictionaryBuilder, RowSet, type NumberColumn, type Table } from '../columnar/index.ts';
import { compareRows, parseLabels, selectRows, type Filter } from '../query/index.ts';
import { ASSET_FIELDS, assetColumn } from './fields.ts';
import { namesOf, type AssetKey } from './keys.ts';

/** Texts that a group has where all of its rows have them alike. */
const TEXTS = [
  'type',
  'category',
  'provider',
  'account',
  'project',
  'service',
  'cluster',
  'name',
  'providerID',
  'nodeType',
  'region',
  'address',
  'storageClass',
  'volume',
  'claim',
  'claimNamespace',
] as const;

/** Numbers that add up. */
const SUMS = [
  'cpuCoreHours',
  'ramByteHours',
  'gpuHours',
  'cpuCoreUsageHours',
  'cpuCoreSystemHours',
  'ramByteUsageHours',
  'ramByteSystemHours',
  'byteHours',
  'cpuCost',
  'ramCost',
  'gpuCost',
  'cost',
  'adjustment',
] as const;

/** Of groups of several types. */
const ANY = 'Any';

/** What of each row counts by its weight. */
class Mean {
  #weighted = 0;
  #weights = 0;
  #plain = 0;
  #count = 0;

  add(value: number, weight: number): void {
    this.#weighted += value * weight;
    this.#weights += weight;
    this.#plain += value;
    this.#count++;
  }

  /** By weight; where nothing weighs anything all count alike. */
  get value(): number {
    return this.#weights > 0 ? this.#weighted / this.#weights : this.#plain / (this.#count || 1);
  }
}

export class AssetGroup {
  readonly name: string;
  readonly texts: Record<(typeof TEXTS)[number], string>;
  labels: string;
  startMs: number = Infinity;
  endMs: number = -Infinity;
  readonly sums: Record<(typeof SUMS)[number], number> = {
    cpuCoreHours: 0,
    ramByteHours: 0,
    gpuHours: 0,
    cpuCoreUsageHours: 0,
    cpuCoreSystemHours: 0,
    ramByteUsageHours: 0,
    ramByteSystemHours: 0,
    byteHours: 0,
    cpuCost: 0,
    ramCost: 0,
    gpuCost: 0,
    cost: 0,
    adjustment: 0,
  };
  /** USD, before discounts. */
  readonly listed: { cpuCost: number; ramCost: number } = { cpuCost: 0, ramCost: 0 };
  /** By cost, in [0, 1]. */
  readonly preemptible: Mean = new Mean();
  readonly discount: Mean = new Mean();
  readonly isAttached: Mean = new Mean();

  /** USD, as adjusted. */
  get totalCost(): number {
    return this.sums.cost + this.sums.adjustment;
  }

  constructor(name: string, texts: AssetGroup['texts'], labels: string) {
    this.name = name;
    this.texts = texts;
    this.labels = labels;
  }
}

/** What is asked of the rows: plain data. */
export interface AssetQuery {
  readonly keys: readonly AssetKey[];
  readonly filter: Filter | null;
}

export class AssetGroups {
  readonly #query: AssetQuery;
  readonly #names: DictionaryBuilder = new DictionaryBuilder();
  readonly #groups: Map<number, AssetGroup> = new Map();

  constructor(query: AssetQuery) {
    this.#query = query;
  }

  get all(): AssetGroup[] {
    return [...this.#groups.values()];
  }

  /** @param table columns as ASSET_COLUMNS */
  add(table: Table): void {
    const kept = this.#query.filter ? select(table, this.#query.filter) : null;
    const names = namesOf(table, this.#query.keys, this.#names);
    const row = new RowReader(table);
    for (let i = 0; i < table.rows; i++) {
      if (kept !== null && !kept.has(i)) continue;
      row.at = i;
      const code = names[i] ?? 0;
      const known = this.#groups.get(code);
      const group = known ?? new AssetGroup(this.#names.text(code), row.texts(), row.labels);
      if (known) agree(known, row);
      else this.#groups.set(code, group);
      addNumbers(group, row);
    }
  }
}

function select(table: Table, filter: Filter): RowSet {
  return selectRows(filter, (comparison) => {
    const field = ASSET_FIELDS.find(({ name }) => name === comparison.field);
    if (!field) throw new Error(`BUG: assets have no field ${comparison.field}`);
    return compareRows(table, comparison, field, assetColumn);
  });
}

/** One row at a time. */
class RowReader {
  at = 0;
  readonly #texts: readonly (readonly [(typeof TEXTS)[number], () => string])[];
  readonly #labels: () => string;
  readonly #numbers: Map<string, NumberColumn | undefined> = new Map();
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
    const reader = (name: string): (() => string) => {
      const { codes, texts } = assetColumn(table, name);
      return () => texts.text(codes[this.at] ?? 0);
    };
    this.#texts = TEXTS.map((name) => [name, reader(name)] as const);
    this.#labels = reader('labels');
  }

  get labels(): string {
    return this.#labels();
  }

  texts(): AssetGroup['texts'] {
    return Object.fromEntries(
      this.#texts.map(([name, read]) => [name, read()]),
    ) as AssetGroup['texts'];
  }

  number(name: string): number {
    if (!this.#numbers.has(name)) this.#numbers.set(name, this.#table.numbers(name));
    return this.#numbers.get(name)?.values[this.at] ?? 0;
  }
}

function agree(group: AssetGroup, row: RowReader): void {
  const { texts } = group;
  const others = row.texts();
  for (const name of TEXTS) {
    if (texts[name] !== others[name]) texts[name] = name === 'type' ? ANY : '';
  }
  if (group.labels !== row.labels) group.labels = labelsShared(group.labels, row.labels);
}

function labelsShared(some: string, others: string): string {
  const there = parseLabels(others);
  const pairs = [...parseLabels(some)].filter(([name, value]) => there.get(name) === value);
  return pairs.length === 0 ? '' : JSON.stringify(Object.fromEntries(pairs));
}

function addNumbers(group: AssetGroup, row: RowReader): void {
  group.startMs = Math.min(group.startMs, row.number('startMs'));
  group.endMs = Math.max(group.endMs, row.number('endMs'));
  for (const name of SUMS) group.sums[name] += row.number(name);
  const cost = row.number('cost');
  const discount = row.number('discount');
  const left = 1 - discount;
  const listed = (name: 'cpuCost' | 'ramCost'): number => (left > 0 ? row.number(name) / left : 0);
  const [cpuCost, ramCost] = [listed('cpuCost'), listed('ramCost')];
  group.listed.cpuCost += cpuCost;
  group.listed.ramCost += ramCost;
  group.preemptible.add(row.number('preemptible'), cost);
  group.discount.add(discount, cpuCost + ramCost);
  group.isAttached.add(row.number('isAttached'), cost);
}
