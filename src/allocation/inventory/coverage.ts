/** What a set sees of a life, exactly or at the points of a grid, and how far off that can be. */

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
 * ```
 *  points     |     |     |     |     |      three points seen stand for three resolutions;
 *  life           ├─────────────┤            it lasted more than two and less than four
 *  covered          [─────────────────)
 * ```
 */
export interface Coverage {
  /** From the first point seen to one resolution past the last, cut to the set. */
  readonly startMs: number;
  readonly endMs: number;
  /** What is billed: a resolution for each point seen, cut to the set. */
  readonly coveredMs: number;
  /** Between which the life in the set must lie, given the points alone. */
  readonly leastMs: number;
  readonly mostMs: number;
}

/**
 * @param stretches pairs [startMs, endMs), ascending
 * @param endUncertaintyMs how far off the stretches are: samples are a grid of their own
 * @returns endMs at or before startMs when nothing of it is seen
 */
export function coverage(
  stretches: Float64Array,
  set: SetSpan,
  endUncertaintyMs: number = 0,
): Coverage {
  const { resolutionMs } = set;
  let startMs = Infinity;
  let endMs = -Infinity;
  let coveredMs = 0;
  let leastMs = 0;
  let mostMs = 0;
  for (let i = 0; i < stretches.length; i += 2) {
    const bornMs = Math.max(stretches[i] ?? NaN, set.startMs);
    const deadMs = Math.min(stretches[i + 1] ?? NaN, set.endMs);
    if (!(bornMs < deadMs)) continue;
    const from = onGrid(bornMs, set);
    const to = onGrid(deadMs, set);
    if (!(from < to)) {
      mostMs += deadMs - bornMs;
      continue;
    }
    const cutMs = Math.min(to, set.endMs);
    startMs = Math.min(startMs, from);
    endMs = Math.max(endMs, cutMs);
    coveredMs += cutMs - from;
    leastMs += to - resolutionMs - from;
    mostMs += cutMs - Math.max(set.startMs, from - resolutionMs);
  }
  return {
    startMs,
    endMs,
    coveredMs,
    leastMs: Math.max(0, leastMs - endUncertaintyMs),
    mostMs: Math.min(mostMs + endUncertaintyMs, set.endMs - set.startMs),
  };
}

/** The first point of the grid at or after `atMs`. */
function onGrid(atMs: number, set: SetSpan): number {
  if (set.resolutionMs === 0) return atMs;
  return set.startMs + Math.ceil((atMs - set.startMs) / set.resolutionMs) * set.resolutionMs;
}
