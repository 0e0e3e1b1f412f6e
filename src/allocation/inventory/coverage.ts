/** What a set sees of a life, exactly or at the points of a grid. */
import type { Stretch } from './presence.ts';

/** Place of the last bound at or before `atMs`; of equal bounds the last; -1 before the first. */
export function boundAt(boundsMs: readonly number[], atMs: number): number {
  let low = -1;
  let high = boundsMs.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((boundsMs[middle] ?? Infinity) <= atMs) low = middle;
    else high = middle;
  }
  return low;
}

export interface SetSpan {
  readonly startMs: number;
  readonly endMs: number;
  /** 0 exact, else the distance of the grid's points, the first of which is the set's start. */
  readonly resolutionMs: number;
}

/**
 * Whether a set sees any of a life: exactly, or at the points of a grid.
 * ```
 *  points     |     |     |     |     |      three points see it: it is billed for three resolutions,
 *  life           ├─────────────┤            at the average of the whole life in the set
 *  billed           [─────────────────)
 * ```
 */
export function isSeen(stretches: readonly Stretch[], set: SetSpan): boolean {
  return stretches.some(({ startMs, endMs }) => {
    const bornMs = Math.max(startMs, set.startMs);
    const deadMs = Math.min(endMs, set.endMs);
    return bornMs < deadMs && onGrid(bornMs, set) < onGrid(deadMs, set);
  });
}

/** The first point of the grid at or after `atMs`. */
function onGrid(atMs: number, set: SetSpan): number {
  if (set.resolutionMs === 0) return atMs;
  return set.startMs + Math.ceil((atMs - set.startMs) / set.resolutionMs) * set.resolutionMs;
}
