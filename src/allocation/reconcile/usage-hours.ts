/**
 * Rule 2 of the interface ("Rules for distribution"): a cost that is loosely tied to rows is divided
 * by the hours that each of them ran beside the asset:
 *
 *   hours of a row = |[start, end) of the row ∩ [start, end) of the asset|
 *   part of a row  = hours of the row / Σ hours
 */
import { overlapMs, type Window } from '../../query/index.ts';

/** When the rows of a set ran, Unix ms. */
export interface Lives {
  readonly startsMs: Float64Array;
  readonly endsMs: Float64Array;
}

/** Rows that can bear a cost, those who are to bear it first. */
export type Bearers = readonly (readonly number[])[];

/**
 * Hands out the parts, which add up to 1. Who is further back bears something only where nobody
 * before ran beside the asset; where nobody at all did, those in front bear the same each.
 *
 * @returns false where there are no rows at all: then nobody bears anything
 */
export function shareByHours(
  lives: Lives,
  bearers: Bearers,
  asset: Window,
  bear: (row: number, part: number) => void,
): boolean {
  for (const rows of bearers) {
    const beside = rows.map((row) => msBeside(lives, row, asset));
    const total = beside.reduce((sum, ms) => sum + ms, 0);
    if (total <= 0) continue;
    rows.forEach((row, i) => bear(row, (beside[i] ?? 0) / total));
    return true;
  }
  const front = bearers.find((rows) => rows.length > 0) ?? [];
  for (const row of front) bear(row, 1 / front.length);
  return front.length > 0;
}

function msBeside({ startsMs, endsMs }: Lives, row: number, asset: Window): number {
  return overlapMs(startsMs[row] ?? 0, endsMs[row] ?? 0, asset);
}
