/** Groups of assets: their sums, and the texts that all rows of a group share. */
import { DictionaryBuilder, RowSet, spendHeap, type Table } from '../columnar/index.ts';
import { compareRows, parseLabels, selectRows, type Filter, type Window } from '../query/index.ts';
import type { PriceSource } from '../pricing/index.ts';
import { ASSET_FIELDS, assetColumn } from './fields.ts';
import { namesOf, type AssetKey } from './keys.ts';

/** Texts that a group has where all of its rows agree. */
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
  'zone',
  'pool',
  'node',
  'address',
  'storageClass',
  'volume',
  'claim',
  'claimNamespace',
  'priceSource',
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

/** Heap that one group takes: its numbers are objects of their own. */
const GROUP_BYTES = 1200;

/** What a group shows of which the rows differ; '' else. */
const OF_SEVERAL: Readonly<Partial<Record<(typeof TEXTS)[number], string>>> = {
  type: 'Any',
  priceSource: 'mixed' satisfies PriceSource,
};

/** A mean of rows by weight. */
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

  /** Without any weight, the plain mean. */
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

/** A group without rows, over the whole window. */
export function noAssets({ startMs, endMs }: Window): AssetGroup {
  const texts = Object.fromEntries(TEXTS.map((name) => [name, OF_SEVERAL[name] ?? '']));
  const group = new AssetGroup('', texts as AssetGroup['texts'], '');
  return Object.assign(group, { startMs, endMs });
}

/** How rows are selected and grouped: plain data. */
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

  /** @param table columns as ASSET_COLUMNS @throws {HeapFull} */
  add(table: Table): void {
    const selected = this.#query.filter ? select(table, this.#query.filter) : null;
    const names = namesOf(table, this.#query.keys, this.#names);
    const rows = new Rows(table);
    for (let row = 0; row < table.rows; row++) {
      if (selected !== null && !selected.has(row)) continue;
      const code = names[row] ?? 0;
      let group = this.#groups.get(code);
      if (group) rows.agree(group, row);
      else {
        spendHeap(GROUP_BYTES);
        this.#groups.set(code, (group = rows.group(this.#names.text(code), row)));
      }
      rows.addNumbers(group, row);
    }
  }
}

/** Rows that a filter of ASSET_FIELDS matches. */
export function select(table: Table, filter: Filter): RowSet {
  return selectRows(filter, (comparison) => {
    const field = ASSET_FIELDS.find(({ name }) => name === comparison.field);
    if (!field) throw new Error(`BUG: assets have no field ${comparison.field}`);
    return compareRows(table, comparison, field, assetColumn);
  });
}

type TextName = (typeof TEXTS)[number];
type Read<Value> = (row: number) => Value;

/** The rows of a table, its columns looked up once. */
class Rows {
  readonly #texts: readonly (readonly [TextName, Read<string>])[];
  readonly #labels: Read<string>;
  readonly #sums: readonly (readonly [(typeof SUMS)[number], Float64Array])[];
  readonly #number: Readonly<Record<(typeof NUMBERS)[number], Read<number>>>;

  constructor(table: Table) {
    this.#texts = TEXTS.map((name) => [name, textsOf(table, name)]);
    this.#labels = textsOf(table, 'labels');
    this.#sums = SUMS.flatMap((name) => {
      const values = table.numbers(name)?.values;
      return values ? [[name, values] as const] : [];
    });
    this.#number = Object.fromEntries(
      NUMBERS.map((name) => [name, numbersOfColumn(table, name)]),
    ) as Record<(typeof NUMBERS)[number], Read<number>>;
  }

  /** A group with the row's texts and no numbers yet. */
  group(name: string, row: number): AssetGroup {
    const texts = Object.fromEntries(this.#texts.map(([of, read]) => [of, read(row)]));
    return new AssetGroup(name, texts as AssetGroup['texts'], this.#labels(row));
  }

  /** Empties the texts in which the row differs from its group. */
  agree(group: AssetGroup, row: number): void {
    const { texts } = group;
    for (const [name, read] of this.#texts) {
      const text = texts[name];
      if (text === '' || text === read(row)) continue;
      texts[name] = OF_SEVERAL[name] ?? '';
    }
    if (group.labels === '') return;
    const labels = this.#labels(row);
    if (labels !== group.labels) group.labels = labelsShared(group.labels, labels);
  }

  addNumbers(group: AssetGroup, row: number): void {
    const { startMs, endMs, cost, discount, cpuCost, ramCost, preemptible, isAttached } =
      this.#number;
    group.startMs = Math.min(group.startMs, startMs(row));
    group.endMs = Math.max(group.endMs, endMs(row));
    for (const [name, values] of this.#sums) group.sums[name] += values[row] ?? 0;
    const left = 1 - discount(row);
    const cpuListed = left > 0 ? cpuCost(row) / left : 0;
    const ramListed = left > 0 ? ramCost(row) / left : 0;
    group.listed.cpuCost += cpuListed;
    group.listed.ramCost += ramListed;
    group.preemptible.add(preemptible(row), cost(row));
    group.discount.add(discount(row), cpuListed + ramListed);
    group.isAttached.add(isAttached(row), cost(row));
  }
}

const NUMBERS = [
  'startMs',
  'endMs',
  'cost',
  'discount',
  'cpuCost',
  'ramCost',
  'preemptible',
  'isAttached',
] as const;

/** Reads a column of texts; each text is decoded once. */
function textsOf(table: Table, name: string): Read<string> {
  const { codes, texts } = assetColumn(table, name);
  const known: string[] = [];
  return (row) => {
    const code = codes[row] ?? 0;
    return (known[code] ??= texts.text(code));
  };
}

function numbersOfColumn(table: Table, name: string): Read<number> {
  const values = table.numbers(name)?.values;
  return values ? (row) => values[row] ?? 0 : () => 0;
}

function labelsShared(some: string, others: string): string {
  const there = parseLabels(others);
  const pairs = [...parseLabels(some)].filter(([name, value]) => there.get(name) === value);
  return pairs.length === 0 ? '' : JSON.stringify(Object.fromEntries(pairs));
}
