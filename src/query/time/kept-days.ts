/**
 * Days that keep the bounds with which they were stored. Countries change their clocks at short notice, so a
 * newer tz database may cut days otherwise that are stored already. A stored day cannot be cut again, and its
 * neighbours begin where it ends, so that no hour is in two days or in none:
 *
 *   stored        ├── 9 Nov ──┤├── 10 Nov ──┤
 *   database    ├── 9 Nov ──┤├── 10 Nov ──┤├── 11 Nov ──┤
 *   calendar      ├── 9 Nov ──┤├── 10 Nov ──┤├─ 11 Nov ─┤
 */
import { DAY_MS, HOUR_MS } from './units.ts';

/** Start of a day that is counted from 1970-01-01, Unix ms. */
export type DayStart = (day: number) => number;

/**
 * Clocks have changed by less, but for those that skipped a day. With 14 h that zones are ahead of UTC it is not
 * more than a day.
 */
const MOVED_MS_MAX = 10 * HOUR_MS;

/** The day that holds the instant. */
export function dayHolding(ms: number, startOf: DayStart): number {
  let day = Math.floor(ms / DAY_MS) + 1; // no zone is a whole day ahead of UTC
  while (startOf(day) > ms) day--;
  return day;
}

/** Starts of days, some of them moved to bounds that are near. */
export function keptStarts(startOf: DayStart, bounds: Iterable<number>): DayStart {
  const moved = movedStarts(startOf, bounds);
  if (moved.size === 0) return startOf;
  return (day) => {
    const startMs = startOf(day);
    return moved.get(startMs) ?? startMs;
  };
}

/** Bounds that are other than the database's, by the start in whose place they are. */
function movedStarts(startOf: DayStart, bounds: Iterable<number>): ReadonlyMap<number, number> {
  const moved = new Map<number, number>();
  const agreed = new Set<number>();
  for (const bound of bounds) {
    const startMs = nearestStart(bound, startOf);
    if (startMs === bound) agreed.add(startMs);
    else if (Math.abs(bound - startMs) <= MOVED_MS_MAX && !moved.has(startMs))
      moved.set(startMs, bound);
  }
  // Where both are stored, the database's holds.
  for (const startMs of agreed) moved.delete(startMs);
  return moved;
}

function nearestStart(ms: number, startOf: DayStart): number {
  const day = dayHolding(ms, startOf);
  const [startMs, nextMs] = [startOf(day), startOf(day + 1)];
  return ms - startMs <= nextMs - ms ? startMs : nextMs;
}
