/** Parts of a file that are wanted, as fewer and larger ranges: what lies between near ones is read, too. */

export interface ByteSpan {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** A request takes as long as reading so many bytes more. Thanos joins by the same. */
export const GAP_BYTES_MAX: number = 512 * 1024;

/**
 * @param spans in order of `from`
 * @param bytesMax of one range, unless a single span is longer
 */
export function joinSpans(spans: readonly ByteSpan[], bytesMax: number): ByteSpan[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of spans) {
    const last = joined.at(-1);
    const isNear = last !== undefined && from - last.to <= GAP_BYTES_MAX;
    if (isNear && Math.max(to, last.to) - last.from <= bytesMax) last.to = Math.max(to, last.to);
    else joined.push({ from, to });
  }
  return joined;
}
