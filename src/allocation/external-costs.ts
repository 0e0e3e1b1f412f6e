/** External costs as allocations ask for them: rows beside those that are stored. */
import type { JoinedRows } from '../external/index.ts';
import type { Window } from '../query/index.ts';

export interface ExternalCosts {
  /**
   * @param windows none of them over another
   * @throws {Unavailable} when a bill cannot be read
   */
  rowsOf(windows: readonly Window[]): Promise<readonly JoinedRows[]>;
}
