/** The cloud's bill, as allocations need it. */
import type { Window } from '../../query/index.ts';
import type { StoredSet } from '../../storage/index.ts';

export interface CloudBill {
  /**
   * Sets of lines, columns as LINE_COLUMNS, that workers can read; none: no bill covers it.
   * @throws {Unavailable} when one of them is known to be damaged
   */
  linesOf(window: Window): readonly StoredSet[];
}
