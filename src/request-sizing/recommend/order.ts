/** The order of recommendations, and the requested page of them. */
import type { RecommendedNumber, RecommendedNumbers } from './requests-and-savings.ts';
import type { Sizing, SortField } from './sizing-rules.ts';

const SORTED_BY: Readonly<Record<SortField, RecommendedNumber>> = {
  totalSavings: 'totalMonthlyUsd',
  gpuSavings: 'gpuMonthlyUsd',
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
  // Rows without a value come last, in either order.
  const last = isAscending ? Infinity : -Infinity;
  const keys = values.map((value) => (Number.isNaN(value) ? last : value));
  order.sort((a, b) => {
    const [left = 0, right = 0] = [keys[a], keys[b]];
    return left === right ? a - b : sign * (left - right);
  });
  return order.slice(offset, limit === null ? undefined : offset + limit);
}
