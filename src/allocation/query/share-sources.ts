/** Sources of shared cost: the items of a share filter, each under its name. */
import { RowSet, type Table } from '../../columnar/index.ts';
import { formatFilter, type Comparison, type Filter } from '../../query/index.ts';
import { select } from '../row/select.ts';
import { isTenant } from './set-part.ts';

export interface ShareSource {
  readonly name: string;
  readonly filter: Filter;
}

/** Overhead of clusters that is part of `sharedCost`: names in breakdowns, and columns of the amounts. */
export const TENANCY_SOURCES: readonly { readonly name: string; readonly column: string }[] = [
  { name: 'clusterManagement', column: 'tenancy:clusterManagement' },
  { name: 'attachedDisks', column: 'tenancy:attachedDisks' },
];

/** Finding the rows of each item by itself takes a pass over all of them. */
const MAX_ITEMS = 64;

/**
 * @param share rows whose costs are shared; null: none
 * @param isItemized one source an item, such as `kube-system` or `app:proxy`, else one for all
 */
export function shareSources(share: Filter | null, isItemized: boolean): ShareSource[] {
  if (share === null) return [];
  if (!isItemized) return [{ name: formatFilter(share), filter: share }];
  const parts = share.kind === 'any' ? share.parts : [share];
  return parts.flatMap((part): ShareSource[] => {
    const isList = part.kind === 'comparison' && !part.isNegated && part.values.length <= MAX_ITEMS;
    if (!isList) return [{ name: formatFilter(part), filter: part }];
    return part.values.map((value) => itemOf(part, value));
  });
}

function itemOf(comparison: Comparison, value: string): ShareSource {
  const text = comparison.operator === 'startsWith' ? `${value}*` : value;
  return {
    name: comparison.name === null ? text : `${comparison.name}:${text}`,
    filter: { ...comparison, values: [value] },
  };
}

/** 1 + the place of the first source that matches the row; 0 for rows that none matches. */
export function sourcesOf(
  table: Table,
  kinds: Uint32Array,
  sources: readonly ShareSource[],
): Uint32Array | null {
  if (sources.length === 0) return null;
  const of = new Uint32Array(table.rows);
  const open = new RowSet(table.rows).addAll();
  sources.forEach(({ filter }, place) => {
    const rows = select(table, filter).and(open);
    rows.forEach((row) => {
      if (isTenant(kinds[row])) of[row] = place + 1;
      open.delete(row);
    });
  });
  return of;
}
