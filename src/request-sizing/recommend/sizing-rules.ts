/** The rules by which requests are recommended, as plain data. */
import type { UsageColumn } from '../../allocation/stored-rows.ts';
import type { Filter } from '../../query/index.ts';

/** The need of a container: its largest usage, or a quantile of its usage. */
export type Algorithm = 'max' | 'quantile' | 'quantileOfAverages' | 'quantileOfMaxes';

/** The columns of sketches that a quantile is of. */
export const ALGORITHMS: Readonly<
  Record<Algorithm, readonly [cpu: UsageColumn, ram: UsageColumn] | null>
> = {
  max: null,
  quantile: ['cpuCoreUsage', 'ramByteUsage'],
  quantileOfAverages: ['cpuCoreHourlyAverage', 'ramByteHourlyAverage'],
  quantileOfMaxes: ['cpuCoreHourlyMax', 'ramByteHourlyMax'],
};

/** The rule of one resource: a request is the need over the utilization, and not below the floor. */
export interface Rule {
  readonly algorithm: Algorithm;
  /** The quantile, in (0, 1]. */
  readonly q: number;
  /** In (0, 1]. */
  readonly targetUtilization: number;
  /** Cores or bytes. */
  readonly floor: number;
}

export const SORT_FIELDS = [
  'totalSavings',
  'gpuSavings',
  'currentEfficiency',
  'cpuRecommended',
  'cpuLatest',
  'memoryRecommended',
  'memoryLatest',
] as const;
export type SortField = (typeof SORT_FIELDS)[number];

export interface Sizing {
  readonly cpu: Rule;
  readonly ram: Rule;
  /** In (0, 1]. */
  readonly gpuTargetUtilization: number;
  /** Savings at the price of each run of a container, or at its average price. */
  readonly savings: 'byRun' | 'byAverage';
  readonly sortBy: SortField;
  readonly isAscending: boolean;
  readonly offset: number;
  /** Null: all. */
  readonly limit: number | null;
}

/** Filters of containers: by columns of demand, or by rows of allocations. */
export interface ContainerFilters {
  readonly byKeys: Filter | null;
  readonly byRows: Filter | null;
}

/** The column of sketches that a rule needs. */
export function columnOf({ algorithm }: Rule, resource: 'cpu' | 'ram'): UsageColumn | null {
  const columns = ALGORITHMS[algorithm];
  return columns === null ? null : columns[resource === 'cpu' ? 0 : 1];
}
