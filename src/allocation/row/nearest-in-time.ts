/** Several things of one name, one after another: which of them was there at a time. */
import type { Window } from '../../query/index.ts';

/** The place of the span that overlaps the time longest, else the nearest; of equal ones the first; -1 for none. */
export function nearestInTime(spans: readonly Window[], { startMs, endMs }: Window): number {
  let [found, most] = [-1, -Infinity];
  spans.forEach((span, i) => {
    const overlap = Math.min(span.endMs, endMs) - Math.max(span.startMs, startMs);
    if (found >= 0 && !(overlap > most)) return;
    [found, most] = [i, overlap];
  });
  return found;
}
