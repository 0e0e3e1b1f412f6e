/** Two hours of the head, from a multiple of two hours on: one block and one log. */
import { HOUR_MS } from '../../query/index.ts';
import type { WindowLog } from './window-log.ts';

export const WINDOW_MS: number = 2 * HOUR_MS;

export interface HeadWindow {
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
  readonly log: WindowLog;
  /** Parts that have begun in its log: the ref of the next one. */
  parts: number;
  /** Times of its samples; Infinity and -Infinity before the first. */
  oldestMs: number;
  newestMs: number;
}

export function newWindow(startMs: number, log: WindowLog): HeadWindow {
  const endMs = startMs + WINDOW_MS;
  return { startMs, endMs, log, parts: 0, oldestMs: Infinity, newestMs: -Infinity };
}

export function windowStart(timeMs: number): number {
  return Math.floor(timeMs / WINDOW_MS) * WINDOW_MS;
}
