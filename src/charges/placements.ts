/** Which windows charges fall into, and how much of each. */
import type { Table } from '../columnar/index.ts';
import type { Window } from '../query/index.ts';

/** Pairs of a charge and a window, as columns. */
export interface Placements {
  readonly rows: Uint32Array;
  /** The window's place in its list. */
  readonly windows: Uint32Array;
  /**
   * The part of the charge that falls into the window, in (0, 1]: by time, so that the parts of
   * windows side by side are the whole. A charge without length is whole in the window it starts in.
   */
  readonly shares: Float64Array;
}

/** @param windows oldest first, none of them over another */
export function placeCharges(table: Table, windows: readonly Window[]): Placements {
  const rows: number[] = [];
  const places: number[] = [];
  const shares: number[] = [];
  const starts = table.numbers('startMs')?.values;
  const ends = table.numbers('endMs')?.values;
  for (let row = 0; row < table.rows; row++) {
    const fromMs = starts?.[row] ?? 0;
    // A charge without length is one of a millisecond, as times are whole.
    const untilMs = Math.max(ends?.[row] ?? 0, fromMs + 1);
    for (let place = firstAfter(windows, fromMs); place < windows.length; place++) {
      const { startMs, endMs } = windows[place] ?? { startMs: untilMs, endMs: untilMs };
      if (startMs >= untilMs) break;
      rows.push(row);
      places.push(place);
      shares.push((Math.min(untilMs, endMs) - Math.max(fromMs, startMs)) / (untilMs - fromMs));
    }
  }
  return {
    rows: Uint32Array.from(rows),
    windows: Uint32Array.from(places),
    shares: Float64Array.from(shares),
  };
}

/** The first window that ends after the instant. */
function firstAfter(windows: readonly Window[], ms: number): number {
  let low = 0;
  let high = windows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((windows[middle]?.endMs ?? 0) > ms) high = middle;
    else low = middle + 1;
  }
  return low;
}
