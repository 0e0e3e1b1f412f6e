/** Selects which groups of a set are shown, and in what order. */
import type { PageLimits } from '../http/index.ts';
import type { AssetGroup } from './groups.ts';

export const SORTS = ['name', 'totalCost', 'cpuCost', 'ramCost', 'gpuCost', 'minutes'] as const;

export interface Paging extends PageLimits {
  readonly sortBy: (typeof SORTS)[number];
  readonly isAscending: boolean;
}

const VALUES: Readonly<Record<Paging['sortBy'], (group: AssetGroup) => number>> = {
  name: () => 0,
  totalCost: ({ totalCost }) => totalCost,
  cpuCost: ({ listed }) => listed.cpuCost,
  ramCost: ({ listed }) => listed.ramCost,
  gpuCost: ({ sums }) => sums.gpuCost,
  minutes: ({ startMs, endMs }) => endMs - startMs,
};

/** The page of the sorted groups; equal values are sorted by name. */
export function pageOf(groups: readonly AssetGroup[], paging: Paging): AssetGroup[] {
  const { limit, offset, sortBy, isAscending } = paging;
  const value = VALUES[sortBy];
  const sign = isAscending ? 1 : -1;
  const byName = (a: AssetGroup, b: AssetGroup): number => (a.name < b.name ? -1 : 1);
  const nameSign = sortBy === 'name' ? sign : 1;
  const sorted = groups.toSorted((a, b) => sign * (value(a) - value(b)) || nameSign * byName(a, b));
  return sorted.slice(offset, limit === null ? undefined : offset + limit);
}
