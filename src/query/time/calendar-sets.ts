import { ROLLING_DAYS, type Accumulate, type CalendarUnit } from './accumulate.ts';
import type { Calendar } from './calendar.ts';
import { Fault } from '../fault.ts';
import type { Window } from './window.ts';
import { HOUR_MS } from './units.ts';

/** Units that begin where the calendar says. */
type ForwardUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter';

/** Start of the unit after the one that holds the instant. */
type Next = (calendar: Calendar, ms: number) => number;

const NEXT: Readonly<Record<ForwardUnit, Next>> = {
  /** Hours are counted from the start of the local day; where clocks change by half an hour, the
   * day's last is half as long. */
  hour(calendar, ms) {
    const dayMs = calendar.startOfDay(ms);
    const hours = Math.floor((ms - dayMs) / HOUR_MS) + 1;
    return Math.min(dayMs + hours * HOUR_MS, calendar.addDays(ms, 1));
  },
  day: (calendar, ms) => calendar.addDays(ms, 1),
  week: (calendar, ms) => calendar.startOfWeek(calendar.addDays(calendar.startOfWeek(ms), 7)),
  month: (calendar, ms) => calendar.addMonths(ms, 1),
  quarter: (calendar, ms) => calendar.addMonths(calendar.startOfQuarter(ms), 3),
};

const LARGER: Readonly<Record<CalendarUnit, Accumulate>> = {
  hour: 'day',
  day: 'week',
  week: 'month',
  month: 'quarter',
  quarter: 'all',
  weeknow: 'monthnow',
  monthnow: 'quarternow',
  quarternow: 'all',
};

/**
 * Divides a window into sets of a calendar unit of the zone: newest first, the first and the last cut at
 * the window's ends. Weeks start on Sunday. Sets of `weeknow` and its kin are whole days, counted back from the
 * window's last one.
 *
 * @throws Fault 422 naming `accumulate` above `maxSets` sets
 */
export function layByCalendar(
  window: Window,
  unit: CalendarUnit,
  calendar: Calendar,
  maxSets: number,
): Window[] {
  const days = ROLLING_DAYS[unit];
  if (days !== undefined)
    return rolling(window, days, calendar, () => tooMany(unit, maxSets), maxSets);
  const next = NEXT[unit as ForwardUnit];
  const sets: Window[] = [];
  for (let startMs = window.startMs; startMs < window.endMs;) {
    if (sets.length === maxSets) throw tooMany(unit, maxSets);
    const endMs = Math.min(window.endMs, next(calendar, startMs));
    sets.push({ startMs, endMs });
    startMs = endMs;
  }
  return sets.reverse();
}

function rolling(
  window: Window,
  days: number,
  calendar: Calendar,
  refusal: () => Fault,
  maxSets: number,
): Window[] {
  const bounds = calendar.days(window.startMs, window.endMs);
  const sets: Window[] = [];
  for (let last = bounds.length - 1; last > 0; last -= days) {
    if (sets.length === maxSets) throw refusal();
    const [startMs = 0, endMs = 0] = [bounds[Math.max(0, last - days)], bounds[last]];
    sets.push({
      startMs: Math.max(window.startMs, startMs),
      endMs: Math.min(window.endMs, endMs),
    });
  }
  return sets;
}

function tooMany(unit: CalendarUnit, maxSets: number): Fault {
  const made = `'${unit}' makes more than the ${maxSets} sets of one answer`;
  return new Fault(`parameter 'accumulate': ${made}`, {
    status: 422,
    parameter: 'accumulate',
    hint: `ask for a shorter window, or for accumulate=${LARGER[unit]}`,
  });
}
