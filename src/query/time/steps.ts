import { formatDuration } from './duration.ts';
import { Fault } from '../fault.ts';
import type { Window } from './window.ts';

/**
 * Divides a window into sets of `stepMs`, backward from its end: newest first, the oldest cut at the
 * window's start. A step as long as the window or longer gives one set.
 *
 * @param stepMs whole milliseconds, at least 1
 * @throws Fault 422 naming `step`, with the smallest accepted one, above `maxSets` sets
 */
export function layBackward(window: Window, stepMs: number, maxSets: number): Window[] {
  const lengthMs = window.endMs - window.startMs;
  const count = Math.ceil(lengthMs / stepMs);
  if (count > maxSets) throw tooMany(stepMs, count, lengthMs, maxSets);
  return Array.from({ length: count }, (_, newer) => {
    const endMs = window.endMs - newer * stepMs;
    return { startMs: Math.max(window.startMs, endMs - stepMs), endMs };
  });
}

function tooMany(stepMs: number, count: number, lengthMs: number, maxSets: number): Fault {
  const smallest = formatDuration(wholeSeconds(Math.ceil(lengthMs / maxSets)));
  const made = `'${formatDuration(stepMs)}' makes ${count} sets`;
  return new Fault(`parameter 'step': ${made}, more than the ${maxSets} of one answer`, {
    status: 422,
    parameter: 'step',
    hint: `the smallest step for this window is step=${smallest}`,
  });
}

/** Rounded up to a whole second if it is above one: 605s reads better than 604801ms in a hint. */
function wholeSeconds(ms: number): number {
  return ms > 1000 ? Math.ceil(ms / 1000) * 1000 : ms;
}
