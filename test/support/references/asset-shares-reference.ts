/** Shares of rows in assets, each by looking at every row of every day anew: slow and obvious. */

import type { SetQuery } from '../../../src/allocation/query/set-query.ts';

/** What a row pays of a volume or balancer, USD. */
export interface PaidAsset {
  readonly name: string;
  readonly cost: number;
  readonly adjustment: number;
}

export interface AssetRow {
  readonly cluster: string;
  readonly node: string;
  readonly namespace: string;
  readonly container: string;
  /** CPU, GPU, RAM: each its cost and adjustment. */
  readonly costs: readonly (readonly [cost: number, adjustment: number])[];
  readonly volumes: readonly PaidAsset[];
  readonly balancers: readonly PaidAsset[];
}

export type Shares = Record<string, Record<string, number | string>>;

const NAMES = ['cpuPercentage', 'gpuPercentage', 'ramPercentage', 'loadBalancerPercentage', 'pvPercentage'] as const; // prettier-ignore

/** @param rows of one row of the answer @param all of every day */
export function sharesOf(
  rows: readonly AssetRow[],
  all: readonly AssetRow[],
  byNode: boolean,
): Shares {
  const keys = new Set(rows.flatMap((row) => keysOf(row, byNode)));
  return Object.fromEntries(
    [...keys].map((key) => {
      const totals = NAMES.map((_, resource) => usdOf(all, key, resource, byNode));
      const parts = totals.map((total, resource) =>
        total > 0 ? usdOf(rows, key, resource, byNode) / total : 0,
      );
      const node = totals.slice(0, 3).filter((total) => total > 0);
      const nodeUsd = node.reduce((sum, total) => sum + total, 0);
      const paid = totals
        .slice(0, 3)
        .reduce((sum, total, i) => sum + (total > 0 ? total * (parts[i] ?? 0) : 0), 0);
      const numbers = Object.fromEntries(NAMES.map((name, i) => [name, parts[i] ?? 0]));
      return [key, { ...numbers, nodeResourceCostPercentage: nodeUsd > 0 ? paid / nodeUsd : 0 }];
    }),
  );
}

/** What each row pays, as [key, resource, USD]. */
function paidBy(row: AssetRow, byNode: boolean): [key: string, resource: number, usd: number][] {
  if (row.container === '__external__') return [];
  const keyOf = (name: string): string => (byNode ? `${row.cluster},${name}` : row.cluster);
  const paid = ({ cost, adjustment }: PaidAsset): number => cost + adjustment;
  return [
    ...row.costs.map(([cost, more], i): [string, number, number] => [
      keyOf(row.node),
      i,
      cost + more,
    ]),
    ...row.balancers.map((one): [string, number, number] => [keyOf(one.name), 3, paid(one)]),
    ...row.volumes.map((one): [string, number, number] => [keyOf(one.name), 4, paid(one)]),
  ];
}

/** A node is named by every row on it; rows on no node that pay for none are of no asset there. */
function keysOf(row: AssetRow, byNode: boolean): string[] {
  const isNowhere =
    byNode && row.node === '' && row.costs.every(([cost, more]) => cost + more === 0);
  return paidBy(row, byNode)
    .filter(([, resource]) => resource > 2 || !isNowhere)
    .map(([key]) => key);
}

function usdOf(rows: readonly AssetRow[], key: string, of: number, byNode: boolean): number {
  let sum = 0;
  for (const row of rows)
    for (const [asset, resource, usd] of paidBy(row, byNode))
      if (asset === key && resource === of) sum += usd;
  return sum;
}

/** @param filter such as `filterNodes=n` */
export function isMatched(of: AssetRow, filter: string): boolean {
  const [, value] = filter.split('=');
  if (filter === '') return true;
  if (filter.startsWith('filterNodes')) return of.node === value;
  return (filter.startsWith('filterClusters') ? of.cluster : of.namespace) === value;
}

/** The name of the row of the answer that a row is part of. */
export function nameOf(of: AssetRow, [key]: SetQuery['keys']): string {
  if (of.container === '__idle__') return '__idle__';
  if (key === undefined)
    return [of.cluster, of.node, of.namespace, of.namespace, of.container].join('/');
  const property = key.kind === 'property' ? key.property : '';
  if (property === 'all') return 'all';
  const value =
    property === 'namespace' || property === 'cluster' || property === 'node' ? of[property] : '';
  return value === '' ? '__unallocated__' : value;
}
