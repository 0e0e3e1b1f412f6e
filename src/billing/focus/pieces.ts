/** Charges by day: one that spans several days counts in each by the share of its time. */
import type { Scratch } from '../../columnar/index.ts';
import { type Calendar, DAY_MS, HOUR_MS } from '../../query/index.ts';

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
  /** The pieces are the charges, row for row. */
  readonly areCharges: boolean;
}

/** The shortest day. */
const SHORTEST_DAY_MS = 22 * HOUR_MS;
/** Days whose ends are cached, a power of two: all of a month's bill. */
const DAYS_CACHED = 64;

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
  const areCharges = pieces === charges.startMs.length && rows.length === pieces;
  return { row: cut(row), startMs: cut(startMs), endMs: cut(endMs), areCharges };
}

/** The value of each piece's charge. */
export function ofPieces<T extends Float64Array | Uint32Array>(
  scratch: Scratch,
  { row, areCharges }: Pieces,
  values: T,
): T {
  if (areCharges) return values;
  const target = (
    values instanceof Uint32Array ? scratch.u32(row.length) : scratch.f64(row.length)
  ) as T;
  for (let piece = 0; piece < row.length; piece++) target[piece] = values[row[piece] ?? 0] ?? 0;
  return target;
}

/**
 * Each piece's part of its charge's amount. The last has the rest, so that the pieces add up to the
 * charge.
 */
export function shareOut(
  scratch: Scratch,
  { row, startMs, endMs, areCharges }: Pieces,
  charges: Charges,
  amounts: Float64Array,
): Float64Array {
  if (areCharges) return amounts;
  const target = scratch.f64(row.length);
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
  return target;
}

function roomOf({ startMs, endMs }: Charges, rows: Uint32Array): number {
  let room = 0;
  for (const row of rows) {
    room += 2 + Math.floor(((endMs[row] ?? 0) - (startMs[row] ?? 0)) / SHORTEST_DAY_MS);
  }
  return room;
}

/** The end of the day that holds an instant; days are remembered. */
function dayEnds(calendar: Calendar): (ms: number) => number {
  const starts = new Float64Array(DAYS_CACHED).fill(NaN);
  const ends = new Float64Array(DAYS_CACHED).fill(NaN);
  let midnight = NaN;
  return (ms) => {
    if (Number.isNaN(midnight)) midnight = calendar.startOfDay(ms);
    // By days of 24 hours from a midnight: but for changes of the clock, each day has a place.
    const place = Math.floor((ms - midnight) / DAY_MS) & (DAYS_CACHED - 1);
    const [start = NaN, end = NaN] = [starts[place], ends[place]];
    if (ms >= start && ms < end) return end;
    starts[place] = calendar.startOfDay(ms);
    return (ends[place] = calendar.addDays(ms, 1));
  };
}
