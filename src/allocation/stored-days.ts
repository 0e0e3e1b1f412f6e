/** Which stored sets a window is answered by, and what they are summed into. */
import type { Accumulate, Calendar, ParsedWindow, Window } from '../query/index.ts';

/** An explicit window may overlap a day by less than this without meaning it. */
const EDGE_MS = 60_000;

/** One set of the answer, and the stored sets it is the sum of, oldest first. */
export interface SetGroup {
  readonly window: Window;
  readonly members: readonly Window[];
}

/**
 * The whole days that the window overlaps, newest first. Clients send pairs that end at 23:59:59 or
 * begin at 00:00:01: of those a day overlapped by less than a minute is left out, unless it is the
 * only one.
 */
export function daysOf(window: ParsedWindow, calendar: Calendar): Window[] {
  const bounds = calendar.days(window.startMs, window.endMs);
  const days = bounds.slice(1).map((endMs, i) => ({ startMs: bounds[i] ?? endMs, endMs }));
  const meant = days.filter((day) => window.form !== 'pair' || overlapMs(day, window) >= EDGE_MS);
  return (meant.length > 0 ? meant : days.slice(0, 1)).reverse();
}

/**
 * How long a window, read again later, is of the same days, of which the same are in the future.
 * Spans move with the clock; words change at midnight.
 * @returns Unix ms, in which they may be others; nowMs where nothing is sure
 */
export function sameUntilMs(window: ParsedWindow, nowMs: number, calendar: Calendar): number {
  const untilMidnight = (ms: number): number => (calendar.days(ms, ms + 1)[1] ?? ms) - ms;
  const { form, startMs, endMs } = window;
  const ends = form === 'duration' || endMs === nowMs ? [endMs - 1] : [];
  const moving = form === 'duration' ? [startMs, ...ends] : ends;
  return nowMs + Math.min(...[nowMs, ...moving].map(untilMidnight));
}

function overlapMs(day: Window, { startMs, endMs }: Window): number {
  return Math.min(day.endMs, endMs) - Math.max(day.startMs, startMs);
}

/** Start of the calendar unit that a moment is in. */
const STARTS: Readonly<Record<'week' | 'month', (calendar: Calendar, ms: number) => number>> = {
  week: (calendar, ms) => calendar.startOfWeek(ms),
  month: (calendar, ms) => calendar.startOfMonth(ms),
};

/**
 * @param sets newest first
 * @param unit hours and days are what is stored: each stays a set
 */
export function groupsOf(
  sets: readonly Window[],
  unit: Exclude<Accumulate, 'quarter'>,
  calendar: Calendar,
): SetGroup[] {
  if (unit === 'none' || unit === 'hour' || unit === 'day') {
    return sets.map((set) => ({ window: set, members: [set] }));
  }
  const groups = new Map<number, Window[]>();
  for (const set of sets) {
    const start = unit === 'all' ? 0 : STARTS[unit](calendar, set.startMs);
    const group = groups.get(start) ?? [];
    group.unshift(set);
    groups.set(start, group);
  }
  return [...groups.values()].map((members) => ({ window: around(members), members }));
}

/** @param members oldest first, at least one */
function around(members: readonly Window[]): Window {
  const [first] = members;
  const last = members.at(-1);
  if (!first || !last) throw new Error('BUG: a group without a set');
  return { startMs: first.startMs, endMs: last.endMs };
}
