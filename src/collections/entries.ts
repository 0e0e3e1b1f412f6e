/** Costs of one day as collections add them up. */

/** What something cost, USD; below 0 where more was given back. */
export interface Entry {
  /** Shown where costs are itemized. */
  readonly name: string;
  /** What was paid for, as both domains call it (`resourceKey`); '' where nobody tells. */
  readonly resource: string;
  readonly usd: number;
  readonly isIdle: boolean;
}

/** Entries of one day and one domain. */
export interface DayEntries {
  readonly entries: readonly Entry[];
  /** Whose idle it is, where costs are itemized: weights by name. Absent: `__idle__` has its name. */
  readonly idleBy?: ReadonlyMap<string, number>;
}

/** What nobody bears, where costs are itemized. */
export const IDLE_NAME = '__idle__';

export function sumOf(entries: Iterable<Entry>): number {
  let sum = 0;
  for (const { usd } of entries) sum += usd;
  return sum;
}

/** Sums of entries that name a resource. */
export function byResource(entries: Iterable<Entry>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { resource, usd } of entries) {
    if (resource !== '') sums.set(resource, (sums.get(resource) ?? 0) + usd);
  }
  return sums;
}
