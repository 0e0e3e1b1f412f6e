/** What a collection means of each domain: filters, of which any will do. */
import type { Filter } from '../query/index.ts';

/** None: nothing. Null among them: everything. */
export type AnyOf = readonly (Filter | null)[];

export interface Selection {
  readonly kubernetes: AnyOf;
  readonly cloud: AnyOf;
}
