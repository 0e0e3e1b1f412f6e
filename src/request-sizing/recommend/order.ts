/** The order of recommendations, and the page of them that is asked for. */
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
 * Those that are equal stay in the order of demand: of the same sets every page is of one list.
 * @returns of the page the places among all
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
