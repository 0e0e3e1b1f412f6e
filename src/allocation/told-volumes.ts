/** What rows cost by volume, as bills know volumes. */
import { DictionaryBuilder, type Table, type Workspace } from '../columnar/index.ts';
import { resourceKey, type AggregateKey, type Filter } from '../query/index.ts';
import { keyColumn } from './key-columns.ts';
import { select } from './select.ts';
import { bareName } from './told-costs.ts';

/** Columns of sums by name and volume. Volumes without a provider id are left out. */
export interface ToldVolumes {
  /** As rows are named by the keys. */
  readonly names: readonly string[];
  /** As `resourceKey` spells them. */
  readonly resources: readonly string[];
  /** Adjustments and all. */
  readonly usd: readonly number[];
}

/** What one row pays for one volume. */
type Share = readonly [resource: string, usd: number];

/**
 * @param table with `pvs`, the columns of the keys and those that the filter compares
 * @param filter null: all rows
 */
export function tellVolumes(
  space: Workspace,
  table: Table,
  filter: Filter | null,
  keys: readonly AggregateKey[],
): ToldVolumes {
  const volumes = table.text('pvs');
  if (volumes === undefined) return { names: [], resources: [], usd: [] };
  const meant = filter === null ? null : select(table, filter);
  const texts = new DictionaryBuilder();
  const parts = keys.map((key) => ({
    column: keyColumn({ space, table, texts }, key),
    read: bareName(key),
  }));
  const nameOf = (row: number): string =>
    parts.map(({ column, read }) => read(texts.text(column.names[column.rows[row] ?? 0] ?? 0))).join('/'); // prettier-ignore
  const known = new Map<number, readonly Share[]>();
  const sums = new Map<string, Map<string, number>>();
  volumes.codes.forEach((code, row) => {
    const shares = known.get(code) ?? sharesIn(volumes.texts.text(code));
    known.set(code, shares);
    if (shares.length === 0 || meant?.has(row) === false) return;
    const name = nameOf(row);
    const of = sums.get(name) ?? new Map<string, number>();
    sums.set(name, of);
    for (const [resource, usd] of shares) of.set(resource, (of.get(resource) ?? 0) + usd);
  });
  const all = [...sums].flatMap(([name, of]) => Array.from(of, (share) => [name, ...share] as const)); // prettier-ignore
  return {
    names: all.map(([name]) => name),
    resources: all.map(([, resource]) => resource),
    usd: all.map(([, , usd]) => usd),
  };
}

/** @param text `{"cluster=C:name=PV":{"cost","adjustment","providerID",…},…}`, or '' */
function sharesIn(text: string): Share[] {
  if (text === '') return [];
  const members = JSON.parse(text) as Record<string, Member>;
  return Object.values(members).flatMap(({ cost = 0, adjustment = 0, providerID = '' }) => {
    const resource = resourceKey(providerID);
    return resource === '' ? [] : [[resource, cost + adjustment] as const];
  });
}

interface Member {
  readonly cost?: number;
  readonly adjustment?: number;
  readonly providerID?: string;
}
