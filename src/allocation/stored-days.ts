/** Which stored sets a window is answered by, and what they are summed into. */
import type { Accumulate, Calendar, ParsedWindow, Window } from '../query/index.ts';

/** One set of the answer, and the stored sets it is the sum of, oldest first. */
export interface SetGroup {
  readonly window: Window;
  readonly members: readonly Window[];
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
