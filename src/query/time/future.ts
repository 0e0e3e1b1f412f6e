/** Windows that lie in the future: they are empty, and nothing is missing. */
import type { Window } from './window.ts';

const IN_THE_FUTURE = 'the window lies in the future: nothing is known of it yet';

/** @returns one warning where all windows begin after now, else none */
export function futureWarnings(windows: readonly Window[], nowMs: number): string[] {
  return windows.every(({ startMs }) => startMs >= nowMs) ? [IN_THE_FUTURE] : [];
}
