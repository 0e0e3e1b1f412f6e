/** Grouped rows of several sets as costs by name, highest cost first. */
import { spendHeap } from '../../columnar/index.ts';
import type { AggregateKey } from '../../query/index.ts';
import { costTotals, type ControllerNames, type GroupedRows } from './cost-totals.ts';

export interface CostItems {
  /** Those of one name are one; USD. */
  readonly items: readonly { readonly name: string; readonly cost: number }[];
  /** How many items there are, listed or not. */
  readonly count: number;
}

/** Heap that an item takes, in a table and in order. */
const ITEM_BYTES = 120;

export interface ItemNames {
  /** None, one or more. */
  readonly keys: readonly AggregateKey[];
  readonly controllers: ControllerNames;
  /** Items to list; null: all. */
  readonly most: number | null;
}

/** @param sets grouped by the keys @throws {HeapFull} */
export function costItems(
  sets: readonly GroupedRows[],
  { keys, controllers, most }: ItemNames,
): CostItems {
  const sums = new Map<string, number>();
  for (const rows of sets) {
    const { names, ofNode, others } = costTotals(rows, keys, controllers);
    names.forEach((name, row) => {
      const usd = (ofNode[row] ?? 0) + (others[row] ?? 0);
      sums.set(name, (sums.get(name) ?? 0) + usd);
      spendHeap(ITEM_BYTES);
    });
  }
  const items = Array.from(sums, ([name, cost]) => ({ name, cost }));
  items.sort((a, b) => b.cost - a.cost || (a.name < b.name ? -1 : 1));
  return { items: most === null ? items : items.slice(0, most), count: items.length };
}
