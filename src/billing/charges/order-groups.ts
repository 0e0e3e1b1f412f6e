/** Groups that an answer shows, in order. */
import { spendHeap } from '../../columnar/index.ts';
import type { PageLimits } from '../../http/index.ts';
import type { ChargeGroups } from './charge-groups.ts';

/** Heap of a group while groups are ordered. */
const ORDERED_BYTES = 64;

/** The page of each set. */
export interface ItemPage extends PageLimits {
  readonly isAscending: boolean;
}

/**
 * The groups of a window by value; equal ones by name, then in the order in which they were added.
 * @param value of a group; a text to sort by names
 * @throws {HeapFull}
 */
export function orderGroups(
  groups: ChargeGroups,
  window: number,
  { limit, offset, isAscending }: ItemPage,
  value: (group: number) => number | string,
): number[] {
  const sign = isAscending ? 1 : -1;
  const sorted = groups
    .within(window)
    .map((group) => {
      spendHeap(ORDERED_BYTES);
      return { group, value: value(group), name: groups.name(group) };
    })
    .sort(
      (a, b) => sign * compare(a.value, b.value) || compare(a.name, b.name) || a.group - b.group,
    );
  const page = sorted.slice(offset, limit === null ? undefined : offset + limit);
  return page.map(({ group }) => group);
}

function compare(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
