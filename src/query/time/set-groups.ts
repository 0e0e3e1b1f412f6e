/** Groups stored sets into the sets of an answer. */
import { ROLLING_DAYS, type Accumulate } from './accumulate.ts';
import type { Calendar } from './calendar.ts';
import type { Window } from './window.ts';

/** One set of the answer, and the stored sets that it sums up, oldest first. */
export interface SetGroup {
  readonly window: Window;
  readonly members: readonly Window[];
}

/** The start of the calendar unit that contains a moment. */
const STARTS: Readonly<
  Record<'week' | 'month' | 'quarter', (calendar: Calendar, ms: number) => number>
> = {
  week: (calendar, ms) => calendar.startOfWeek(ms),
  month: (calendar, ms) => calendar.startOfMonth(ms),
  quarter: (calendar, ms) => calendar.startOfQuarter(ms),
};

/**
 * @param sets newest first
 * @param unit with hours and days, which are stored, each set stays a set
 */
export function groupsOf(
  sets: readonly Window[],
  unit: Accumulate,
  calendar: Calendar,
): SetGroup[] {
  if (unit === 'none' || unit === 'hour' || unit === 'day') {
    return sets.map((set) => ({ window: set, members: [set] }));
  }
  const groups = new Map<number, Window[]>();
  const days = ROLLING_DAYS[unit];
  for (const [place, set] of sets.entries()) {
    const start =
      unit === 'all'
        ? 0
        : days !== undefined
          ? Math.floor(place / days)
          : STARTS[unit as keyof typeof STARTS](calendar, set.startMs);
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
