/** What requests are recommended by, as plain data. */
import type { UsageColumn } from '../../allocation/stored-rows.ts';
import type { Filter } from '../../query/index.ts';

/** What is taken for the need of a container: the largest usage, or a quantile. */
export type Algorithm = 'max' | 'quantile' | 'quantileOfAverages' | 'quantileOfMaxes';

/** Of quantiles, of which sketches of CPU and of RAM. */
export const ALGORITHMS: Readonly<
  Record<Algorithm, readonly [cpu: UsageColumn, ram: UsageColumn] | null>
> = {
  max: null,
  quantile: ['cpuCoreUsage', 'ramByteUsage'],
  quantileOfAverages: ['cpuCoreHourlyAverage', 'ramByteHourlyAverage'],
  quantileOfMaxes: ['cpuCoreHourlyMax', 'ramByteHourlyMax'],
};

/** Of one resource: a request is the need over the utilization, and not below the floor. */
export interface Rule {
  readonly algorithm: Algorithm;
  /** In (0, 1]; of quantiles alone. */
  readonly q: number;
  /** In (0, 1]. */
  readonly targetUtilization: number;
  /** Cores or bytes. */
  readonly floor: number;
}

export const SORT_FIELDS = [
  'totalSavings',
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
  /** What a run of a container cost, or what it cost on average. */
  readonly savings: 'byRun' | 'byAverage';
  readonly sortBy: SortField;
  readonly isAscending: boolean;
  readonly offset: number;
  /** Null: all. */
  readonly limit: number | null;
}

/** Which containers are asked about: of demand by its own columns, or by rows of allocations. */
export interface ContainerFilters {
  readonly byKeys: Filter | null;
  readonly byRows: Filter | null;
}

/** The column of sketches that a rule needs. */
export function columnOf({ algorithm }: Rule, resource: 'cpu' | 'ram'): UsageColumn | null {
  const columns = ALGORITHMS[algorithm];
  return columns === null ? null : columns[resource === 'cpu' ? 0 : 1];
}
