/** Costs of one day as collections add them up. */

/** A cost in USD; below 0 for a credit. */
export interface Entry {
  /** The item's name where costs are itemized; of idle always. */
  readonly name: string;
  /** The resource that was paid for, named alike in both domains (`resourceKey`); '' where not known. */
  readonly resource: string;
  readonly usd: number;
  readonly isIdle: boolean;
}

/** Entries of one day and one domain. */
export interface DayEntries {
  readonly entries: readonly Entry[];
  /** How idle is divided among items: weights by name. Absent: idle is items of its own. */
  readonly idleBy?: ReadonlyMap<string, number>;
}

/** The item of idle that is charged to nothing else. */
export const IDLE_NAME = '__idle__';

export function sumOf(entries: Iterable<Entry>): number {
  let sum = 0;
  for (const { usd } of entries) sum += usd;
  return sum;
}

/** Sums of entries by name. */
export function byName(entries: Iterable<Entry>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { name, usd } of entries) sums.set(name, (sums.get(name) ?? 0) + usd);
  return sums;
}

/** Sums of entries that name a resource. */
export function byResource(entries: Iterable<Entry>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { resource, usd } of entries) {
    if (resource !== '') sums.set(resource, (sums.get(resource) ?? 0) + usd);
  }
  return sums;
}
