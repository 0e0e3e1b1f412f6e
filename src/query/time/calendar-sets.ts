import type { Accumulate } from './accumulate.ts';
import type { Calendar } from './calendar.ts';
import { Fault } from '../fault.ts';
import type { Window } from './window.ts';
import { HOUR_MS } from './units.ts';

/** The units by which a window can be divided. */
export type CalendarUnit = Extract<Accumulate, 'hour' | 'day' | 'week' | 'month'>;

/** Start of the unit after the one that holds the instant. */
type Next = (calendar: Calendar, ms: number) => number;

const NEXT: Readonly<Record<CalendarUnit, Next>> = {
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
};

const LARGER: Readonly<Record<CalendarUnit, Accumulate>> = {
  hour: 'day',
  day: 'week',
  week: 'month',
  month: 'all',
};

/**
 * Divides a window into sets of a calendar unit of the zone: newest first, the first and the last cut at
 * the window's ends. Weeks start on Sunday.
 *
 * @throws Fault 422 naming `accumulate` above `maxSets` sets
 */
export function layByCalendar(
  window: Window,
  unit: CalendarUnit,
  calendar: Calendar,
  maxSets: number,
): Window[] {
  const sets: Window[] = [];
  for (let startMs = window.startMs; startMs < window.endMs;) {
    if (sets.length === maxSets) throw tooMany(unit, maxSets);
    const endMs = Math.min(window.endMs, NEXT[unit](calendar, startMs));
    sets.push({ startMs, endMs });
    startMs = endMs;
  }
  return sets.reverse();
}

function tooMany(unit: CalendarUnit, maxSets: number): Fault {
  const made = `'${unit}' makes more than the ${maxSets} sets of one answer`;
  return new Fault(`parameter 'accumulate': ${made}`, {
    status: 422,
    parameter: 'accumulate',
    hint: `ask for a shorter window, or for accumulate=${LARGER[unit]}`,
  });
}
