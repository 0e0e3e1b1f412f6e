/** External costs beside allocations: rows for each window. */
import type { JoinedRows } from '../../billing/external/index.ts';
import { Unavailable, type Window } from '../../query/index.ts';

export interface ExternalCosts {
  /**
   * @param windows none of them over another
   * @throws {Unavailable} when a bill cannot be read
   */
  rowsOf(windows: readonly Window[]): Promise<readonly JoinedRows[]>;
}

export interface ExternalRows {
  /** Those of each window; none where a bill cannot be read. */
  readonly rows: readonly JoinedRows[];
  /** Why there are none. */
  readonly lacking: readonly string[];
}

/** @param windows none of them over another */
export async function externalRows(
  costs: ExternalCosts | undefined,
  windows: readonly Window[],
): Promise<ExternalRows> {
  if (costs === undefined || windows.length === 0) return { rows: [], lacking: [] };
  try {
    return { rows: await costs.rowsOf(windows), lacking: [] };
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return { rows: [], lacking: [`${error.message}: the answer lacks external costs`] };
  }
}
