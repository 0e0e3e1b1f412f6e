/** Costs of rows by billed resource other than nodes: volumes and load balancers. */
import {
  spendHeap,
  TextIndex,
  textColumn,
  textReader,
  type Table,
  type Workspace,
} from '../../columnar/index.ts';
import { resourceKey, type AggregateKey, type Filter } from '../../query/index.ts';
import { balancerPool } from '../reconcile/balancer-pools.ts';
import { keyColumn } from '../query/key-columns.ts';
import { select } from '../row/select.ts';
import { sumOf } from '../query/set-part.ts';
import { bareName } from './cost-totals.ts';

/** Columns of sums by name and resource. Resources without a provider id are left out. */
export interface ResourceCosts {
  /** As rows are named by the keys. */
  readonly names: readonly string[];
  /** As `resourceKey` spells volumes, and pools of load balancers (balancer-pools.ts). */
  readonly resources: readonly string[];
  /** Adjustments and all. */
  readonly usd: readonly number[];
}

/** Columns of rows that are read beside those of the query. */
export const RESOURCE_COLUMNS: readonly string[] = [
  'pvs',
  'cluster',
  'namespace',
  'loadBalancerCost',
  'loadBalancerCostAdjustment',
];

/** Heap that a share takes, in tables and in the result. */
const SHARE_BYTES = 300;

/** The cost of one resource in one row. */
type Share = readonly [resource: string, usd: number];

/**
 * @param table with RESOURCE_COLUMNS, those of the keys and those that the filter compares
 * @param filter null: all rows
 */
export function resourceCosts(
  space: Workspace,
  table: Table,
  filter: Filter | null,
  keys: readonly AggregateKey[],
): ResourceCosts {
  const matched = filter === null ? null : select(table, filter);
  const [ofVolumes, ofBalancers] = [volumesOf(table), balancersOf(table)];
  const nameOf = namesOf(space, table, keys);
  const sums = new Map<string, Map<string, number>>();
  for (let row = 0; row < table.rows; row++) {
    const shares = [...ofVolumes(row), ...ofBalancers(row)];
    if (shares.length === 0 || matched?.has(row) === false) continue;
    const name = nameOf(row);
    const of = sums.get(name) ?? new Map<string, number>();
    sums.set(name, of);
    for (const [resource, usd] of shares) of.set(resource, (of.get(resource) ?? 0) + usd);
    spendHeap(SHARE_BYTES * shares.length);
  }
  const all = [...sums].flatMap(([name, of]) =>
    Array.from(of, (share) => [name, ...share] as const),
  );
  return {
    names: all.map(([name]) => name),
    resources: all.map(([, resource]) => resource),
    usd: all.map(([, , usd]) => usd),
  };
}

function namesOf(
  space: Workspace,
  table: Table,
  keys: readonly AggregateKey[],
): (row: number) => string {
  const texts = new TextIndex(space.engine, space.owner);
  const parts = keys.map((key) => {
    const { rows, names } = keyColumn({ space, table, texts }, key);
    const read = bareName(key);
    const known: string[] = [];
    return (row: number) => {
      const code = names[rows[row] ?? 0] ?? 0;
      return (known[code] ??= read(texts.text(code)));
    };
  });
  return (row) => parts.map((part) => part(row)).join('/');
}

const NONE: readonly Share[] = [];

/** Each different text is read once. */
function volumesOf(table: Table): (row: number) => readonly Share[] {
  const { codes, texts } = textColumn(table, 'pvs');
  const known = new Map<number, readonly Share[]>();
  return (row) => {
    const code = codes[row] ?? 0;
    const shares = known.get(code) ?? sharesIn(texts.text(code));
    known.set(code, shares);
    return shares;
  };
}

/** @param text `{"cluster=C:name=PV":{"cost","adjustment","providerID",…},…}`, or '' */
function sharesIn(text: string): readonly Share[] {
  if (text === '') return NONE;
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

function balancersOf(table: Table): (row: number) => readonly Share[] {
  const costs = sumOf(table, ['loadBalancerCost', 'loadBalancerCostAdjustment']);
  const [cluster, namespace] = [textReader(table, 'cluster'), textReader(table, 'namespace')];
  return (row) => {
    const usd = costs[row] ?? 0;
    if (usd === 0) return NONE;
    return [[balancerPool(cluster(row), namespace(row)), usd]];
  };
}
