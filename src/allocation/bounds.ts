/** Where a moment stands among ascending bounds, such as those of sets. */

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
