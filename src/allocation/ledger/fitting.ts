/** What a query's tables take of the arena, and which query would fit where one does not. */
import { METER_ROW } from '../../columnar/index.ts';
import type { Stretch } from '../inventory/presence.ts';
import { setsTouched } from './row-layout.ts';
import { BYTES_PER_SET_ROW } from '../row/set-columns.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../query/index.ts';

/** Sums of CPU, RAM and GPU, the pod's of five kinds of traffic, and charges. */
const LEDGER_ROW_BYTES = (3 + 5) * METER_ROW.bytes + 28;
/** Segment, spans, key, runs, member and its texts: generously. */
const WORKLOAD_BYTES = 1024;
/**
 * While a set is grouped and written there are its rows, as many groups (when nothing is
 * aggregated), sums with their errors, extremes, keys and names.
 */
const ANSWER_ROW_BYTES = 2 * BYTES_PER_SET_ROW + 256 + 64 + 4 + 400;
/** Batches fetched ahead, spare spans of eight meters, and the slot that chunks are written to. */
const TRANSIENT_BYTES = 16 * 2 ** 20;
/** What is suggested fits with some room. */
const MARGIN = 0.9;

/** Durations worth suggesting, ascending. */
const ROUND_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 20, 30].map((n) => n * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 8, 12, 18].map((n) => n * HOUR_MS),
  ...[1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 90, 120, 180, 270, 365].map((n) => n * DAY_MS),
];

type Living = { readonly stretches: readonly Stretch[] };

/** Bytes that sums of the sets [setsMs[s], setsMs[s + 1]), and writing them, take. */
export function neededBytes(workloads: readonly Living[], setsMs: readonly number[]): number {
  const changes = new Int32Array(setsMs.length + 1);
  let present = 0;
  let rowCount = 0;
  for (const { stretches } of workloads) {
    const { firstSet, sets } = setsTouched(stretches, setsMs);
    if (sets === 0) continue;
    rowCount += sets;
    present++;
    changes[firstSet] = (changes[firstSet] ?? 0) + 1;
    changes[firstSet + sets] = (changes[firstSet + sets] ?? 0) - 1;
  }
  let rows = 0;
  let most = 0;
  for (const change of changes) {
    rows += change;
    most = Math.max(most, rows);
  }
  return (
    TRANSIENT_BYTES +
    8 * setsMs.length +
    present * WORKLOAD_BYTES +
    rowCount * LEDGER_ROW_BYTES +
    most * ANSWER_ROW_BYTES
  );
}

/** The shortest step and the longest window (to the same end) that would fit; null when none. */
export interface Passing {
  readonly stepMs: number | null;
  readonly windowMs: number | null;
}

export function whatPasses(
  workloads: readonly Living[],
  setsMs: readonly number[],
  budgetBytes: number,
): Passing {
  const endMs = setsMs.at(-1) ?? 0;
  const lengthMs = endMs - (setsMs[0] ?? 0);
  // Sets at the window's ends may be cut.
  const stepMs = setsMs.reduce((most, ms, i) => Math.max(most, ms - (setsMs[i - 1] ?? ms)), 0);
  const fits = (ofWindowMs: number, ofStepMs: number): boolean =>
    neededBytes(workloads, boundsOf(endMs, ofWindowMs, ofStepMs)) <= MARGIN * budgetBytes;
  const steps = [...ROUND_MS, lengthMs].filter((ms) => ms > stepMs && ms <= lengthMs);
  const windows = ROUND_MS.filter((ms) => ms < lengthMs).toReversed();
  return {
    stepMs: steps.find((ms) => fits(lengthMs, ms)) ?? null,
    windowMs: windows.find((ms) => fits(ms, Math.min(ms, stepMs))) ?? null,
  };
}

/** Bounds of sets laid backward from the end, ascending. */
function boundsOf(endMs: number, windowMs: number, stepMs: number): number[] {
  const sets = Math.ceil(windowMs / stepMs);
  return Array.from({ length: sets + 1 }, (_, i) =>
    Math.max(endMs - windowMs, endMs - (sets - i) * stepMs),
  );
}
