/** The order of recommendations, and the page of them that is asked for. */
import type { Table } from '../columnar/index.ts';
import { KEYS } from './demand-columns.ts';
import type { RecommendedNumber } from './recommended.ts';
import type { Sizing, SortField } from './sizing.ts';

const SORTED_BY: Readonly<Record<SortField, RecommendedNumber>> = {
  totalSavings: 'totalMonthlyUsd',
  currentEfficiency: 'totalEfficiency',
  cpuRecommended: 'cpuMillicores',
  cpuLatest: 'cpuLatestMillicores',
  memoryRecommended: 'ramMib',
  memoryLatest: 'ramLatestMib',
};

/**
 * Those that are equal come in order of their names: of the same sets every page is of one list.
 * @param places of each recommendation its row of demand
 * @returns of the page the recommendations, and its places by name
 */
export function inOrder(
  table: Table,
  places: Uint32Array,
  numbers: Readonly<Record<RecommendedNumber, Float64Array>>,
  { sortBy, isAscending, offset, limit }: Sizing,
): { page: Uint32Array; byName: Uint32Array } {
  const names = ranksOf(table, places);
  const values = numbers[SORTED_BY[sortBy]];
  const sign = isAscending ? 1 : -1;
  const order = Uint32Array.from(places, (_, i) => i).sort(
    (a, b) => sign * ((values[a] ?? 0) - (values[b] ?? 0)) || (names[a] ?? 0) - (names[b] ?? 0),
  );
  const page = order.slice(offset, limit === null ? undefined : offset + limit);
  const byName = Uint32Array.from(page, (_, row) => row).sort(
    (a, b) => (names[page[a] ?? 0] ?? 0) - (names[page[b] ?? 0] ?? 0),
  );
  return { page, byName };
}

/** The place of each row among all, in order of their names. */
function ranksOf(table: Table, places: Uint32Array): Uint32Array {
  const columns = KEYS.map((name) => textRanks(table, name, places));
  const order = Uint32Array.from(places, (_, i) => i).sort((a, b) => {
    for (const ranks of columns) {
      const difference = (ranks[a] ?? 0) - (ranks[b] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  });
  const ranks = new Uint32Array(order.length);
  order.forEach((i, rank) => (ranks[i] = rank));
  return ranks;
}

/** Equal for equal texts, greater for those that come later by UTF-16 units. */
function textRanks(table: Table, name: string, places: Uint32Array): Uint32Array {
  const column = table.text(name);
  if (column === undefined) return new Uint32Array(places.length);
  const codes = places.map((place) => column.codes[place] ?? 0);
  const known = [...new Set(codes)].map((code) => ({ code, text: column.texts.text(code) }));
  known.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  const rank = new Map(known.map(({ code }, i) => [code, i]));
  return codes.map((code) => rank.get(code) ?? 0);
}
