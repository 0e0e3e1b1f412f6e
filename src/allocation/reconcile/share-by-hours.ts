/**
 * Rule 2 of the interface ("Rules for distribution"): a cost is divided by the hours that each row ran
 * at the same time as the asset:
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

/** Rows that can pay a cost, in lists: a list pays only where the lists before it cannot. */
export type Payers = readonly (readonly number[])[];

/**
 * Charges parts that add up to 1. The first list with a row that ran beside the asset pays; where none
 * did, the rows of the first list pay the same each.
 *
 * @returns false where there are no rows: then nothing is charged
 */
export function shareByHours(
  lives: Lives,
  payers: Payers,
  asset: Window,
  charge: (row: number, part: number) => void,
): boolean {
  for (const rows of payers) {
    const beside = rows.map((row) => msBeside(lives, row, asset));
    const total = beside.reduce((sum, ms) => sum + ms, 0);
    if (total <= 0) continue;
    rows.forEach((row, i) => charge(row, (beside[i] ?? 0) / total));
    return true;
  }
  const front = payers.find((rows) => rows.length > 0) ?? [];
  for (const row of front) charge(row, 1 / front.length);
  return front.length > 0;
}

function msBeside({ startsMs, endsMs }: Lives, row: number, asset: Window): number {
  return overlapMs(startsMs[row] ?? 0, endsMs[row] ?? 0, asset);
}
