/** Groups stored sets into the sets of an answer. */
import type { Accumulate } from './accumulate.ts';
import type { Calendar } from './calendar.ts';
import type { Window } from './window.ts';

/** One set of the answer, and the stored sets that it sums up, oldest first. */
export interface SetGroup {
  readonly window: Window;
  readonly members: readonly Window[];
}

/** The start of the calendar unit that contains a moment. */
const STARTS: Readonly<Record<'week' | 'month', (calendar: Calendar, ms: number) => number>> = {
  week: (calendar, ms) => calendar.startOfWeek(ms),
  month: (calendar, ms) => calendar.startOfMonth(ms),
};

/**
 * @param sets newest first
 * @param unit with hours and days, which are stored, each set stays a set
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
