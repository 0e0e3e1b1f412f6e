/** Where rows of sums are: one a set that a subject touches. */
import { boundAt } from '../inventory/coverage.ts';
import type { Stretch } from '../inventory/presence.ts';

/** Which rows a subject has: one a set it touches, from `row` on. */
export interface RowRange {
  readonly row: number;
  readonly firstSet: number;
  readonly sets: number;
}

/** The sets that something touches. */
export type SetRange = Pick<RowRange, 'firstSet' | 'sets'>;

export interface RowLayout {
  readonly ranges: readonly RowRange[];
  readonly rowCount: number;
}

/** Lays out rows: subject after subject, each with one row a set it touches; in none, one of the nearest. */
export function layRows(
  subjects: readonly { readonly stretches: readonly Stretch[] }[],
  setsMs: readonly number[],
): RowLayout {
  let rowCount = 0;
  const ranges = subjects.map(({ stretches }) => {
    const touched = setsTouched(stretches, setsMs);
    const sets = Math.max(1, touched.sets);
    const range = { row: rowCount, firstSet: Math.min(touched.firstSet, setsMs.length - 2), sets };
    rowCount += sets;
    return range;
  });
  return { ranges, rowCount };
}

/** From the first stretch to the last. */
export function setsTouched(stretches: readonly Stretch[], setsMs: readonly number[]): SetRange {
  const firstSet = Math.max(0, boundAt(setsMs, stretches[0]?.startMs ?? 0));
  const lastSet = Math.min(setsMs.length - 2, boundAt(setsMs, stretches.at(-1)?.endMs ?? 0));
  return { firstSet, sets: Math.max(0, lastSet - firstSet + 1) };
}
