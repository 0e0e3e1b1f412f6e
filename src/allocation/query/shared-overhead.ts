/** The share of a set in a monthly cost that belongs to no row. */
import type { Calendar, Window } from '../../query/index.ts';
import type { Overhead } from './sharing-options.ts';

/** A monthly cost of 30.42 is 1.00 a day. */
const DAYS_A_MONTH = 30.42;

/**
 * Whole local days count as one, whether they have 23, 24 or 25 hours; of a day cut by the window, or
 * not over yet, the part of its hours.
 *
 * @returns USD, 0 for a window in the future
 */
export function overheadUsd(
  usdPerMonth: number,
  { startMs, endMs }: Window,
  nowMs: number,
  calendar: Calendar,
): number {
  const untilMs = Math.min(endMs, nowMs);
  if (untilMs <= startMs) return 0;
  const bounds = calendar.days(startMs, untilMs);
  let days = 0;
  for (let i = 1; i < bounds.length; i++) {
    const [fromMs, toMs] = [bounds[i - 1] ?? NaN, bounds[i] ?? NaN];
    const overlapMs = Math.min(toMs, untilMs) - Math.max(fromMs, startMs);
    days += overlapMs / (toMs - fromMs);
  }
  return (usdPerMonth / DAYS_A_MONTH) * days;
}

/** The share of a set as `sharedCostBreakdown` names it. */
export function overheadsOf(usd: number): Overhead[] {
  return usd > 0 ? [{ name: 'overheadCost', usd }] : [];
}
