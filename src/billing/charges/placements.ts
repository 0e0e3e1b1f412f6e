/** The windows of charges, and the share of each charge in each window. */
import type { Table } from '../../columnar/index.ts';
import { partWithin, type Window } from '../../query/index.ts';

/** Pairs of a charge and a window, as columns. */
export interface Placements {
  readonly rows: Uint32Array;
  /** The window's place in its list. */
  readonly windows: Uint32Array;
  /**
   * The share of the charge in the window, in (0, 1]: by time, so that the shares of adjacent windows
   * add up to 1. A charge without length is whole in the window it starts in.
   */
  readonly shares: Float64Array;
}

/** @param windows oldest first, without overlap */
export function placeCharges(table: Table, windows: readonly Window[]): Placements {
  const starts = table.numbers('startMs')?.values;
  const ends = table.numbers('endMs')?.values;
  const windowEnds = Float64Array.from(windows, ({ endMs }) => endMs);
  const placed = new Placed(table.rows);
  for (let row = 0; row < table.rows; row++) {
    const fromMs = starts?.[row] ?? 0;
    // A charge without length is one of a millisecond, as times are whole.
    const untilMs = Math.max(ends?.[row] ?? 0, fromMs + 1);
    for (let place = firstAfter(windowEnds, fromMs); place < windows.length; place++) {
      const window = windows[place];
      if (window === undefined || window.startMs >= untilMs) break;
      placed.add(row, place, partWithin(fromMs, untilMs, window));
    }
  }
  return placed.all();
}

class Placed {
  #rows: Uint32Array;
  #windows: Uint32Array;
  #shares: Float64Array;
  #count = 0;

  constructor(room: number) {
    this.#rows = new Uint32Array(room);
    this.#windows = new Uint32Array(room);
    this.#shares = new Float64Array(room);
  }

  add(row: number, window: number, share: number): void {
    if (this.#count === this.#rows.length) this.#grow();
    this.#rows[this.#count] = row;
    this.#windows[this.#count] = window;
    this.#shares[this.#count] = share;
    this.#count++;
  }

  all(): Placements {
    return {
      rows: this.#rows.subarray(0, this.#count),
      windows: this.#windows.subarray(0, this.#count),
      shares: this.#shares.subarray(0, this.#count),
    };
  }

  #grow(): void {
    const { rows, windows, shares } = this.all();
    const room = 2 * this.#count + 64;
    (this.#rows = new Uint32Array(room)).set(rows);
    (this.#windows = new Uint32Array(room)).set(windows);
    (this.#shares = new Float64Array(room)).set(shares);
  }
}

/** The first window that ends after the instant. */
function firstAfter(ends: Float64Array, ms: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] ?? 0) > ms) high = middle;
    else low = middle + 1;
  }
  return low;
}
