/**
 * Demand: what containers of controllers requested, used and cost over stored sets, a row each, the
 * replicas of a controller together. Integrals add up, so that prices and averages are of all sets.
 */
import type { Sketches } from '../columnar/index.ts';
import { USAGE_KEYS, type UsageColumn } from '../allocation/stored-rows.ts';

/** What tells rows apart. */
export const KEYS: readonly string[] = USAGE_KEYS;

/** Of the row of allocations that ends last; JSON of names and values. */
export const TOLD = ['labels', 'annotations'] as const;

/** Adjustments are in the costs. `…PriceHours` is hours by what a core or byte cost in each run. */
export const SUMS = [
  'hours',
  'cpuCoreHours',
  'cpuCoreRequestHours',
  'cpuCoreUsageHours',
  'cpuCost',
  'cpuPriceHours',
  'ramByteHours',
  'ramByteRequestHours',
  'ramByteUsageHours',
  'ramCost',
  'ramPriceHours',
] as const;

/** NaN where nothing is known. `isMeant` is 1 where the filter means a row of allocations. */
export const MAXIMA = ['cpuCoreUsageMax', 'ramByteUsageMax', 'isMeant'] as const;

/** Of the row of allocations that ends last; 0 without one. */
export const LATEST = ['latestEndMs', 'latestStartMs', 'cpuCoreRequest', 'ramByteRequest'] as const;

export type DemandNumber = (typeof SUMS | typeof MAXIMA | typeof LATEST)[number];
export const DEMAND_NUMBERS: readonly DemandNumber[] = [...SUMS, ...MAXIMA, ...LATEST];

/** When anything of a cluster was there. */
export interface ClusterSpan {
  readonly cluster: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Demand in the arena: plain data that any thread can open. */
export interface DemandAt {
  readonly frame: number;
  readonly dictionary: number;
  /** Of usage, those asked for; a sketch a row. */
  readonly sketches: readonly (readonly [column: UsageColumn, sketches: Sketches])[];
  readonly clusters: readonly ClusterSpan[];
}
