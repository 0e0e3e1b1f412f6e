/** What a collection means of each domain: filters, of which any will do. */
import { allOf, anyOf, complement, type Filter } from '../query/index.ts';

/** None: nothing. Null among them: everything. */
export type AnyOf = readonly (Filter | null)[];

export interface Selection {
  readonly kubernetes: AnyOf;
  readonly cloud: AnyOf;
}

/** The rows that some of the selections mean, each once. */
export function union(selections: readonly Selection[]): Selection {
  return {
    kubernetes: selections.flatMap(({ kubernetes }) => kubernetes),
    cloud: selections.flatMap(({ cloud }) => cloud),
  };
}

/** One filter for rows: `null` all of them, `'nothing'` none. */
export type Rows = Filter | null | 'nothing';

export function rowsIn(filters: AnyOf): Rows {
  if (filters.length === 0) return 'nothing';
  const told = filters.filter((filter) => filter !== null);
  return told.length < filters.length ? null : anyOf(told);
}

/** The rows that no filter means. */
export function rowsBeside(filters: AnyOf): Rows {
  const rows = rowsIn(filters);
  if (rows === 'nothing') return null;
  return rows === null ? 'nothing' : complement(rows);
}

/** Of the rows, those that the filter means. */
export function within(rows: Rows, filter: Filter | null): Rows {
  if (filter === null || rows === 'nothing') return rows;
  return rows === null ? filter : allOf([rows, filter]);
}
