/**
 * Local days of a time zone. A day is counted from 1970-01-01 (day 0) and starts at the first
 * instant whose local time is at or past its midnight, so days meet without gap or overlap:
 *
 *   clocks jump over midnight (Cairo)       the day starts at the jump, 01:00 local
 *   clocks fall back over midnight (Havana) the day starts at the first of two midnights
 *   a whole day is skipped (Apia 2011)      that day is empty and never listed
 */
import { createRequire } from 'node:module';
import type * as luxon from 'luxon';
import { Fault, refuse } from '../fault.ts';
import { dayHolding, keptStarts, type DayStart } from './kept-days.ts';
import { DAY_MS, HOUR_MS } from './units.ts';

const THURSDAY = 4; // day 0 was one; Sunday is 0
const CACHED_DAYS = 65_536;
const LISTED_DAYS = 36_525;
const UTC = 'UTC';

/** All instants are Unix milliseconds. */
export interface Calendar {
  /** IANA name, as configured. */
  readonly zone: string;
  /** Start of the local day that holds the instant. */
  startOfDay(ms: number): number;
  /** Start of the local day `days` after (before, if negative) the one that holds the instant. */
  addDays(ms: number, days: number): number;
  /** Start of the Sunday at or before the instant's local day. */
  startOfWeek(ms: number): number;
  /** Start of the first day of the instant's local month. */
  startOfMonth(ms: number): number;
  /** Start of the first day of January, April, July or October at or before the instant's local day. */
  startOfQuarter(ms: number): number;
  /** Start of the local day of a date. @param day days since 1970-01-01 */
  startOfDate(day: number): number;
  /** Start of the local month `months` after (before, if negative) the instant's. */
  addMonths(ms: number, months: number): number;
  /**
   * Boundaries of the local days that overlap [startMs, endMs): n + 1 ascending instants for n
   * days, the first at or before `startMs`, the last at or after `endMs`.
   *
   * @throws Fault 422 naming `window` above 36,525 days (a century)
   */
  days(startMs: number, endMs: number): number[];
  /** Length of the local day that holds the instant: 24, or 23 and 25 where clocks change. */
  dayHours(ms: number): number;
}

/**
 * @param bounds of days that are stored already, Unix ms: they hold where the tz database has others
 * @throws Fault naming `timezone` when the zone is not in the tz database
 */
export function createCalendar(zone: string, bounds: Iterable<number> = []): Calendar {
  if (!isZone(zone)) {
    throw refuse('timezone', zone, 'a zone of the IANA tz database', 'Europe/Berlin or UTC');
  }
  const startOf = keptStarts(dayStarts(offsetOf(zone)), bounds);
  const dayOf = (ms: number): number => dayHolding(ms, startOf);
  const firstOfMonth = (ms: number, months: number): number => {
    const local = new Date(dayOf(ms) * DAY_MS);
    return startOf(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + months) / DAY_MS);
  };
  const weekday = (day: number): number => (((day + THURSDAY) % 7) + 7) % 7;
  const dayHours = (ms: number): number => (startOf(dayOf(ms) + 1) - startOf(dayOf(ms))) / HOUR_MS;
  return {
    zone,
    startOfDay: (ms) => startOf(dayOf(ms)),
    addDays: (ms, days) => startOf(stepped(dayOf(ms), days, startOf)),
    startOfWeek: (ms) => startOf(dayOf(ms) - weekday(dayOf(ms))),
    startOfMonth: (ms) => firstOfMonth(ms, 0),
    startOfQuarter: (ms) => firstOfMonth(ms, -(new Date(dayOf(ms) * DAY_MS).getUTCMonth() % 3)),
    startOfDate: startOf,
    addMonths: firstOfMonth,
    days: (startMs, endMs) => boundaries(dayOf(startMs), endMs, startOf),
    dayHours,
  };
}

/** Whether the tz database of this Node knows the zone. */
export function isZone(text: string): boolean {
  return text === UTC || zones().isValidZone(text);
}

/** The offset of a zone's clocks from UTC at an instant, in minutes. */
type Offset = (ms: number) => number;

function offsetOf(zone: string): Offset {
  if (zone === UTC) return () => 0;
  const known = zones().create(zone);
  return (ms) => known.offset(ms);
}

/** The package is loaded for the first zone other than UTC, as most configurations name none. */
function zones(): typeof luxon.IANAZone {
  return (createRequire(import.meta.url)('luxon') as typeof luxon).IANAZone;
}

/** The day `days` existing days from `day`, which exists itself; empty days are not counted. */
function stepped(day: number, days: number, startOf: DayStart): number {
  const direction = Math.sign(days);
  let at = day;
  for (let left = Math.abs(days); left > 0; at += direction) {
    const existing = at + direction;
    if (startOf(existing) !== startOf(existing + 1)) left--;
  }
  return at;
}

function boundaries(firstDay: number, endMs: number, startOf: DayStart): number[] {
  if (endMs / DAY_MS - firstDay > LISTED_DAYS) {
    throw new Fault(`parameter 'window': more than ${LISTED_DAYS} days`, {
      status: 422,
      parameter: 'window',
      hint: 'ask for a century at most',
    });
  }
  let lastMs = startOf(firstDay);
  const starts = [lastMs];
  for (let day = firstDay + 1; starts.length === 1 || lastMs < endMs; day++) {
    const startMs = startOf(day);
    if (startMs !== lastMs) starts.push(startMs);
    lastMs = startMs;
  }
  return starts;
}

/** Day starts, each computed once, as the zone's offset is slow to compute. */
function dayStarts(offset: Offset): DayStart {
  const offsetMs = (ms: number): number => Math.round(offset(ms) * 60_000);
  // One sample for each day, 16 h before midnight UTC: at that instant no zone has reached midnight, and
  // two samples later all zones have passed it.
  const sample = cached((day) => offsetMs(day * DAY_MS - 16 * HOUR_MS));
  return cached((day) => {
    const before = sample(day);
    const after = sample(day + 2);
    const midnight = day * DAY_MS;
    if (before === after) return midnight - before;
    const change = changeBetween(midnight - 16 * HOUR_MS, midnight + 32 * HOUR_MS, offsetMs);
    if (midnight - before < change) return midnight - before;
    return Math.max(midnight - after, change);
  });
}

/** The first instant in (`fromMs`, `toMs`] with the later offset; offsets differ at the two ends. */
function changeBetween(fromMs: number, toMs: number, offsetMs: (ms: number) => number): number {
  const before = offsetMs(fromMs);
  let low = fromMs;
  let high = toMs;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

function cached(compute: (day: number) => number): (day: number) => number {
  const known = new Map<number, number>();
  return (day) => {
    const remembered = known.get(day);
    if (remembered !== undefined) return remembered;
    const value = compute(day);
    if (known.size >= CACHED_DAYS) known.clear();
    known.set(day, value);
    return value;
  };
}
