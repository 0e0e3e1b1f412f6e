/** Which spans of time lie over one another. */
export interface Span {
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
}

/** Groups in order of time, within which each overlaps another, or is alone. @param spans in order of their beginnings */
export function overlaps<Each extends Span>(spans: readonly Each[]): Each[][] {
  const groups: Each[][] = [];
  let endMs = -Infinity;
  for (const span of spans) {
    if (span.startMs < endMs) groups.at(-1)?.push(span);
    else groups.push([span]);
    endMs = Math.max(endMs, span.endMs);
  }
  return groups;
}
