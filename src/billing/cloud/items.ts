/** Cloud costs as numbers, for rooms that add them to other costs. */
import type { ChargeGroups } from '../charges/index.ts';
import { spendHeap } from '../../columnar/index.ts';
import { resourceKey, UNALLOCATED } from '../../query/index.ts';
import { KNOWN } from './known-resources.ts';
import { COLUMN_OF, type CostMetric } from './schema.ts';

export interface CloudItem {
  /** Values of the keys, joined by `/`; '' without keys. */
  readonly name: string;
  /** The resource, as `resourceKey` spells it; '' where it is not known. */
  readonly resource: string;
  /** USD. */
  readonly cost: number;
}

/** Heap of an item with its texts. */
const ITEM_BYTES = 200;

/**
 * Items of groups, whose last key is the resource.
 * @param isNamed whether it is grouped by anything else
 */
export function itemsWithin(
  groups: ChargeGroups,
  window: number,
  metric: CostMetric,
  isNamed: boolean,
): CloudItem[] {
  return groups.within(window).map((group) => {
    spendHeap(ITEM_BYTES);
    const name = groups.name(group);
    const id = groups.text(KNOWN, group) ?? '';
    return {
      name: isNamed ? name.slice(0, name.length - (id || UNALLOCATED).length - 1) : '',
      resource: resourceKey(id),
      cost: groups.sum(COLUMN_OF[metric], group),
    };
  });
}
