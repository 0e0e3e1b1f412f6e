/** Ranges of bytes: which are there, which are missing, and how missing ones are asked for. */

/** From, and the end, exclusive. */
export type Range = readonly [from: number, to: number];

/** Ranges in order, none of which touches another. */
export function joined(ranges: readonly Range[], gapMax: number = 0): Range[] {
  const all: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (from >= to) continue;
    const last = all.at(-1);
    if (last !== undefined && from - last[1] <= gapMax) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
}

/** The parts of what is wanted that are not there. @param there in order, not touching */
export function missing(wanted: readonly Range[], there: readonly Range[]): Range[] {
  return joined(wanted).flatMap(([from, to]) => {
    const parts: Range[] = [];
    let at = from;
    for (const [begin, end] of there) {
      if (end <= at || begin >= to) continue;
      if (begin > at) parts.push([at, begin]);
      at = Math.max(at, end);
    }
    if (at < to) parts.push([at, to]);
    return parts;
  });
}

/** No part is longer than so many bytes. */
export function cut(ranges: readonly Range[], bytesMax: number): Range[] {
  return ranges.flatMap(([from, to]) =>
    Array.from({ length: Math.ceil((to - from) / bytesMax) }, (_, i): Range => {
      const begin = from + i * bytesMax;
      return [begin, Math.min(to, begin + bytesMax)];
    }),
  );
}

export function bytesOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from, 0);
}
