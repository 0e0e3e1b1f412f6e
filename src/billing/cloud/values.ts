/** Values of a field of cloud costs, for who completes what is typed. */
import type { ChargeGroups } from '../charges/index.ts';
import { spendHeap } from '../../columnar/index.ts';
import { parseLabels, storeName, UNALLOCATED, type FieldQuery } from '../../query/index.ts';

/** Plain data, sent to workers. */
export interface ValuesQuery extends FieldQuery {
  /** Values have it in them, in any case; '' is in all. */
  readonly search: string;
  readonly limit: number;
}

/** What a value takes of the heap, in a table and in order. */
const VALUE_BYTES = 100;

/** The first values in order. @param groups by the field alone; of names of labels, by tags */
export function valuesOf(groups: ChargeGroups, asked: ValuesQuery): string[] {
  const { field, name, search, limit } = asked;
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
