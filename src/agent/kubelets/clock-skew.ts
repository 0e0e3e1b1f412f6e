/** How far the clock of a sender is ahead of ours, by the dates of its answers. */

/** Less is no harm: stores take samples ten minutes ahead, and a date has whole seconds. */
const HARMLESS_MS = 30_000;
/** A measured skew stays until it has changed by more than a date can tell. */
const CHANGE_MS = 5000;

/**
 * @param dateMs of an answer that was requested at `sentMs` and had come at `readMs`
 * @param knownMs the skew so far
 * @returns the skew, negative for a clock that is behind; 0 for a harmless one
 */
export function skewOf(dateMs: number, sentMs: number, readMs: number, knownMs: number): number {
  if (dateMs !== dateMs) return knownMs;
  // The date was cut to whole seconds, at some time in between.
  const leastMs = dateMs - readMs;
  const mostMs = dateMs + 1000 - sentMs;
  const aheadMs = Math.round((leastMs + mostMs) / 2);
  if (leastMs < HARMLESS_MS && mostMs > -HARMLESS_MS) return 0;
  return Math.abs(aheadMs - knownMs) <= CHANGE_MS + (readMs - sentMs) ? knownMs : aheadMs;
}
