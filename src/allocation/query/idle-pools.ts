/**
 * Idle by its pool: a cluster, or a node of one. For each resource, a row's share of the pool's idle
 * is its own cost, adjustment included, over the cost of all rows there:
 *
 *   coefficient = max(0, cost of the row) / Σ max(0, cost)
 *
 * Rows that are shared, or that the filter leaves out, count as others: what a tenant pays does not
 * depend on the filter. Where no row of a pool pays for a resource, its idle stays.
 */
import { numbersOf, textColumn } from '../../columnar/index.ts';
import { isTenant, sumOf, type SetPart } from './set-part.ts';

/** Columns of a resource that can be idle; shares are in proportion to the costs. */
export interface IdleResource {
  readonly hours: string;
  readonly costs: readonly [cost: string, adjustment: string];
  /** The idle among a row's costs. */
  readonly idle: string;
}

export const IDLE_RESOURCES: readonly IdleResource[] = [
  { hours: 'cpuCoreHours', costs: ['cpuCost', 'cpuCostAdjustment'], idle: 'cpuCostIdle' },
  { hours: 'gpuHours', costs: ['gpuCost', 'gpuCostAdjustment'], idle: 'gpuCostIdle' },
  { hours: 'ramByteHours', costs: ['ramCost', 'ramCostAdjustment'], idle: 'ramCostIdle' },
];

/** Pools of a part's rows. */
export interface PoolsOfPart {
  /** The pool of each idle row. */
  readonly own: Uint32Array;
  /** The one or two pools whose idle a row shares. */
  readonly shares: readonly Uint32Array[];
}

export interface IdlePools {
  readonly count: number;
  readonly ofParts: readonly PoolsOfPart[];
}

/** @param byNode the pool of an idle row that names its node is that node, else its cluster */
export function idlePools(parts: readonly SetPart[], byNode: boolean): IdlePools {
  const numbers = new Map<string, number>();
  const numberOf = (place: string): number => {
    const number = numbers.get(place) ?? numbers.size;
    numbers.set(place, number);
    return number;
  };
  const ofParts = parts.map(({ table }): PoolsOfPart => {
    const clusters = textColumn(table, 'cluster');
    const inCluster = numbersOf(clusters, (cluster) => numberOf(cluster));
    if (!byNode) return { own: inCluster, shares: [inCluster] };
    const nodes = textColumn(table, 'node');
    const known = new Map<number, number>();
    const onNode = inCluster.map((cluster, row) => {
      const node = nodes.codes[row] ?? 0;
      const pair = cluster * 2 ** 32 + node;
      let pool = known.get(pair);
      if (pool === undefined) {
        const name = nodes.texts.text(node);
        const clusterName = clusters.texts.text(clusters.codes[row] ?? 0);
        pool = name === '' ? cluster : numberOf(`${clusterName}\0${name}`);
        known.set(pair, pool);
      }
      return pool;
    });
    return { own: onNode, shares: [inCluster, onNode] };
  });
  return { count: numbers.size, ofParts };
}

/** Columns of a resource that some part has. */
export function columnsOf({ hours, costs }: IdleResource, parts: readonly SetPart[]): string[] {
  return [hours, ...costs].filter((name) => parts.some(({ table }) => table.numbers(name)));
}

/** Each row's weight when a resource's idle is shared: the cost of a tenant, else 0. */
export function idleWeights(part: SetPart, { costs }: IdleResource): Float64Array {
  const weights = sumOf(part.table, costs);
  for (let row = 0; row < weights.length; row++) {
    const weight = weights[row] ?? 0;
    weights[row] = isTenant(part.kinds[row]) && weight > 0 ? weight : 0;
  }
  return weights;
}

/** Sums over the rows that share each pool. */
export function perPool(pools: IdlePools, values: readonly Float64Array[]): Float64Array {
  const sums = new Float64Array(pools.count);
  pools.ofParts.forEach(({ shares }, i) => {
    const of = values[i] ?? new Float64Array();
    for (let row = 0; row < of.length; row++) {
      const value = of[row] ?? 0;
      if (value === 0) continue;
      const first = shares[0]?.[row] ?? 0;
      sums[first] = (sums[first] ?? 0) + value;
      const second = shares[1]?.[row] ?? first;
      if (second !== first) sums[second] = (sums[second] ?? 0) + value;
    }
  });
  return sums;
}

/** Visits idle rows. */
export function eachIdle(part: SetPart, visit: (row: number) => void): void {
  for (const row of part.idle) visit(row);
}
