/** Charges by day: one that spans several days counts in each by the share of its time. */
import type { Scratch } from '../columnar/index.ts';
import type { Calendar } from '../query/index.ts';

export interface Charges {
  /** Unix ms, one a row. */
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
}

/** Pieces of charges, those of one charge in order and together. */
export interface Pieces {
  /** The charge's row. */
  readonly row: Uint32Array;
  /** Unix ms; within one day. */
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
}

const HOUR_MS = 3_600_000;
/** No day is shorter. */
const SHORTEST_DAY_MS = 22 * HOUR_MS;

/** @param rows of the charges that count */
export function cutByDay(
  scratch: Scratch,
  charges: Charges,
  rows: Uint32Array,
  calendar: Calendar,
): Pieces {
  const dayEnd = dayEnds(calendar);
  const room = roomOf(charges, rows);
  const row = scratch.u32(room);
  const [startMs, endMs] = [scratch.f64(room), scratch.f64(room)];
  let pieces = 0;
  for (const each of rows) {
    const until = charges.endMs[each] ?? 0;
    let from = charges.startMs[each] ?? 0;
    do {
      const to = Math.min(until, dayEnd(from));
      row[pieces] = each;
      startMs[pieces] = from;
      endMs[pieces] = to;
      pieces++;
      from = to;
    } while (from < until);
  }
  const cut = <T extends Float64Array | Uint32Array>(all: T): T => all.subarray(0, pieces) as T;
  return { row: cut(row), startMs: cut(startMs), endMs: cut(endMs) };
}

/**
 * What each piece has of its charge's amount. The last has what the others leave, so that the pieces
 * add up to the charge.
 */
export function shareOut(
  { row, startMs, endMs }: Pieces,
  charges: Charges,
  amounts: Float64Array,
  target: Float64Array,
): void {
  let left = 0;
  for (let piece = 0; piece < row.length; piece++) {
    const charge = row[piece] ?? 0;
    const amount = amounts[charge] ?? 0;
    const [from, until] = [charges.startMs[charge] ?? 0, charges.endMs[charge] ?? 0];
    const [start, end] = [startMs[piece] ?? 0, endMs[piece] ?? 0];
    if (start === from) left = amount;
    const share = end === until ? left : (amount * (end - start)) / (until - from);
    target[piece] = share;
    left -= share;
  }
}

function roomOf({ startMs, endMs }: Charges, rows: Uint32Array): number {
  let room = 0;
  for (const row of rows) {
    room += 2 + Math.floor(((endMs[row] ?? 0) - (startMs[row] ?? 0)) / SHORTEST_DAY_MS);
  }
  return room;
}

/** The end of the day that holds an instant; the last day is remembered. */
function dayEnds(calendar: Calendar): (ms: number) => number {
  let [start, end] = [0, 0];
  return (ms) => {
    if (ms < start || ms >= end) {
      [start, end] = [calendar.startOfDay(ms), calendar.addDays(ms, 1)];
    }
    return end;
  };
}
