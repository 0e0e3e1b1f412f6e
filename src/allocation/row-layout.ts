/** Where rows of sums are: one a set that a subject touches. */
import { boundAt } from './bounds.ts';
import type { Stretch } from './presence.ts';

/** Which rows a subject has: one a set it touches, from `row` on. */
export interface RowRange {
  readonly row: number;
  readonly firstSet: number;
  readonly sets: number;
}

export interface RowLayout {
  readonly ranges: readonly RowRange[];
  readonly rowCount: number;
}

/** Lays out rows: subject after subject, each with one row a set it touches. */
export function layRows(
  subjects: readonly { readonly stretches: readonly Stretch[] }[],
  setsMs: readonly number[],
): RowLayout {
  let rowCount = 0;
  const ranges = subjects.map(({ stretches }) => {
    const startMs = stretches[0]?.startMs ?? 0;
    const endMs = stretches.at(-1)?.endMs ?? 0;
    const firstSet = Math.max(0, boundAt(setsMs, startMs));
    const lastSet = Math.min(setsMs.length - 2, boundAt(setsMs, endMs));
    const range = { row: rowCount, firstSet, sets: Math.max(0, lastSet - firstSet + 1) };
    rowCount += range.sets;
    return range;
  });
  return { ranges, rowCount };
}
