/** How long a window means the same stored days. */
import type { Calendar, ParsedWindow } from '../query/index.ts';

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
