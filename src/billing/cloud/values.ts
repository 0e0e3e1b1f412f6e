/** Values of a field of cloud costs, for the completion of typed text. */
import type { ChargeGroups } from '../charges/index.ts';
import { spendHeap } from '../../columnar/index.ts';
import { parseLabels, storeName, UNALLOCATED, type FieldQuery } from '../../query/index.ts';

/** Plain data, sent to workers. */
export interface ValuesQuery extends FieldQuery {
  /** A part of the values, in any case; '' is in all. */
  readonly search: string;
  readonly limit: number;
}

/** Heap of a value, in a table and in order. */
const VALUE_BYTES = 100;

/** The first values in order. @param groups by the field alone; by tags for names of labels */
export function valuesOf(groups: ChargeGroups, query: ValuesQuery): string[] {
  const { field, name, search, limit } = query;
  const found = new Set<string>();
  for (const group of groups.within(0)) {
    const text = groups.name(group);
    if (text === UNALLOCATED) continue;
    spendHeap(VALUE_BYTES);
    if (field !== 'label') found.add(text);
    else if (name !== null) found.add(text.slice(name.length + 1));
    else for (const label of parseLabels(text).keys()) found.add(storeName(label));
  }
  return [...found]
    .filter((value) => value.toLowerCase().includes(search))
    .toSorted()
    .slice(0, limit);
}
