/** The selection of a collection: filters for each domain, of which a row must match any. */
import { allOf, anyOf, complement, type Filter } from '../query/index.ts';

/** Without filters nothing is selected; a null among them selects everything. */
export type AnyOf = readonly (Filter | null)[];

export interface Selection {
  readonly kubernetes: AnyOf;
  readonly cloud: AnyOf;
}

/** The rows that any of the selections has, each once. */
export function union(selections: readonly Selection[]): Selection {
  return {
    kubernetes: selections.flatMap(({ kubernetes }) => kubernetes),
    cloud: selections.flatMap(({ cloud }) => cloud),
  };
}

/** One filter for rows; `null` selects all. */
export type Rows = Filter | null | 'nothing';

export function rowsIn(filters: AnyOf): Rows {
  if (filters.length === 0) return 'nothing';
  const present = filters.filter((filter) => filter !== null);
  return present.length < filters.length ? null : anyOf(present);
}

/** The rows that no filter selects. */
export function rowsOutside(filters: AnyOf): Rows {
  const rows = rowsIn(filters);
  if (rows === 'nothing') return null;
  return rows === null ? 'nothing' : complement(rows);
}

/** The rows that both select. */
export function within(rows: Rows, filter: Filter | null): Rows {
  if (filter === null || rows === 'nothing') return rows;
  return rows === null ? filter : allOf([rows, filter]);
}
