import { formatDuration } from './duration.ts';
import { Fault } from '../fault.ts';
import { MINUTE_MS } from './units.ts';
import type { ParsedWindow, Window } from './window.ts';

/**
 * Divides a window into sets of `stepMs`, backward from its end: newest first, the oldest cut at the
 * window's start. A step as long as the window or longer gives one set.
 *
 * @param stepMs whole milliseconds, at least 1
 * @param gridEndMs where the newest step ends, at or after the window's end, at which its set is cut
 * @throws Fault 422 naming `step`, with the smallest accepted one, above `maxSets` sets
 */
export function layBackward(
  window: Window,
  stepMs: number,
  maxSets: number,
  gridEndMs: number = window.endMs,
): Window[] {
  const lengthMs = gridEndMs - window.startMs;
  const count = Math.ceil(lengthMs / stepMs);
  if (count > maxSets) throw tooMany(stepMs, count, lengthMs, maxSets);
  return Array.from({ length: count }, (_, newer) => {
    const endMs = gridEndMs - newer * stepMs;
    const startMs = Math.max(window.startMs, endMs - stepMs);
    return { startMs, endMs: Math.min(window.endMs, endMs) };
  });
}

/** The end of the grid of steps that begins with the window. */
export function forwardEndMs({ startMs, endMs }: Window, stepMs: number): number {
  return startMs + Math.ceil((endMs - startMs) / stepMs) * stepMs;
}

/** A window that lacks no more of its last step than this part, and than a minute, is meant to have it whole. */
const LACKING_PART = 1 / 60;

/** As `forwardEndMs` for a pair such as `…T00:00:00Z,…T23:59:59Z`; else the window's end. */
export function snappedEndMs(window: ParsedWindow, stepMs: number): number {
  const endMs = forwardEndMs(window, stepMs);
  const lackingMs = endMs - window.endMs;
  const isMeant = lackingMs <= Math.min(MINUTE_MS, stepMs * LACKING_PART);
  return window.form === 'pair' && isMeant ? endMs : window.endMs;
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
