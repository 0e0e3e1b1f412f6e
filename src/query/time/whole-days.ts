/** The whole days that a window selects. */
import type { Calendar } from './calendar.ts';
import type { ParsedWindow, Window } from './window.ts';

/** An explicit window that overlaps a day by less than this does not select it. */
const EDGE_MS = 60_000;

/**
 * The whole days that the window overlaps, newest first. Clients send pairs that end at 23:59:59 or begin
 * at 00:00:01, so a day that a pair overlaps by less than a minute is left out, unless it is the only one.
 */
export function daysOf(window: ParsedWindow, calendar: Calendar): Window[] {
  const bounds = calendar.days(window.startMs, window.endMs);
  const days = bounds.slice(1).map((endMs, i) => ({ startMs: bounds[i] ?? endMs, endMs }));
  const selected = days.filter(
    (day) => window.form !== 'pair' || overlapMs(day, window) >= EDGE_MS,
  );
  return (selected.length > 0 ? selected : days.slice(0, 1)).reverse();
}

function overlapMs(day: Window, { startMs, endMs }: Window): number {
  return Math.min(day.endMs, endMs) - Math.max(day.startMs, startMs);
}
