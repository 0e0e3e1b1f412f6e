/** External costs beside allocations: rows for each window. */
import type { JoinedRows } from '../../billing/external/index.ts';
import {
  isPassing,
  FoundCaveats,
  spanText,
  Unavailable,
  type Caveats,
  type Window,
} from '../../query/index.ts';

export interface ExternalCosts {
  /**
   * @param windows none of them over another
   * @throws {Unavailable} when a bill cannot be read
   */
  rowsOf(windows: readonly Window[]): Promise<readonly JoinedRows[]>;
  /** Parts of the window up to now that no bill tells of; none where there is no bill at all. */
  untold(window: Window): readonly Window[];
}

export interface ExternalRows {
  /** Those of each window; none where a bill cannot be read. */
  readonly rows: readonly JoinedRows[];
  readonly caveats: Caveats;
  /** A bill cannot be read. */
  readonly isDamaged: boolean;
}

/** @param windows none of them over another */
export async function externalRows(
  costs: ExternalCosts | undefined,
  windows: readonly Window[],
): Promise<ExternalRows> {
  const caveats = new FoundCaveats();
  if (costs === undefined || windows.length === 0) return { rows: [], caveats, isDamaged: false };
  try {
    const rows = await costs.rowsOf(windows);
    const [startMs, endMs] = [
      Math.min(...windows.map((window) => window.startMs)),
      Math.max(...windows.map((window) => window.endMs)),
    ];
    caveats.lack(costs.untold({ startMs, endMs }).map(untoldWarning));
    return { rows, caveats, isDamaged: false };
  } catch (error) {
    if (!(error instanceof Unavailable) || isPassing(error)) throw error;
    caveats.lack([`${error.message}: the answer lacks external costs`]);
    return { rows: [], caveats, isDamaged: true };
  }
}

function untoldWarning(window: Window): string {
  return `no bill tells of external costs of ${spanText(window)}: the answer lacks them`;
}
