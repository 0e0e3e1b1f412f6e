/** The order of recommendations, and the requested page of them. */
import type { RecommendedNumber, RecommendedNumbers } from './requests-and-savings.ts';
import type { Sizing, SortField } from './sizing-rules.ts';

const SORTED_BY: Readonly<Record<SortField, RecommendedNumber>> = {
  totalSavings: 'totalMonthlyUsd',
  currentEfficiency: 'totalEfficiency',
  cpuRecommended: 'cpuMillicores',
  cpuLatest: 'cpuLatestMillicores',
  memoryRecommended: 'ramMib',
  memoryLatest: 'ramLatestMib',
};

/**
 * Equal values stay in the order of demand, so that all pages over the same sets are of one list.
 * @returns the places of the page's recommendations among all
 */
export function inOrder(
  numbers: RecommendedNumbers,
  { sortBy, isAscending, offset, limit }: Sizing,
): Uint32Array {
  const values = numbers[SORTED_BY[sortBy]];
  const sign = isAscending ? 1 : -1;
  const order = new Uint32Array(values.length).map((_, i) => i);
  order.sort((a, b) => sign * ((values[a] ?? 0) - (values[b] ?? 0)) || a - b);
  return order.slice(offset, limit === null ? undefined : offset + limit);
}
