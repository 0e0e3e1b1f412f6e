/** Items: costs by name, all days added up, highest cost first. */
import type { PageLimits } from '../http/index.ts';
import { byName, sumOf, type DayEntries } from './entries.ts';
import type { Item, Items } from './sources.ts';

/** The items add up to the cost of the days. */
export function itemsOf(days: readonly DayEntries[]): Item[] {
  const sums = new Map<string, number>();
  const add = (name: string, usd: number): void => void sums.set(name, (sums.get(name) ?? 0) + usd);
  for (const { entries, idleBy } of days) {
    const idle = entries.filter(({ isIdle }) => isIdle);
    const idleUsd = sumOf(idle);
    const weight = [...(idleBy?.values() ?? [])].reduce((sum, each) => sum + each, 0);
    for (const { name, usd, isIdle } of entries) if (!isIdle) add(name, usd);
    if (idleUsd === 0) continue;
    if (idleBy === undefined || weight === 0)
      for (const [name, usd] of byName(idle)) add(name, usd);
    else for (const [name, each] of idleBy) add(name, (idleUsd * each) / weight);
  }
  return Array.from(sums, ([name, cost]) => ({ cost, name })).sort(byCost);
}

/** Highest cost first; equal costs by name. */
export function byCost(a: Item, b: Item): number {
  return b.cost - a.cost || (a.name < b.name ? -1 : 1);
}

export function pageOf(items: readonly Item[], { limit, offset }: PageLimits): Items {
  const end = limit === null ? undefined : offset + limit;
  return { items: items.slice(offset, end), count: items.length };
}
