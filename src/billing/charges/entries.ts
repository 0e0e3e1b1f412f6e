/** The windows of an answer, one set each. */
import type { QueryParams } from '../../http/index.ts';
import {
  ACCUMULATE_UNITS,
  daysOf,
  layByCalendar,
  type Accumulate,
  type Calendar,
  type Window,
} from '../../query/index.ts';

/** Sets of one answer. */
const SETS_MAX = 10_000;

const WINDOW = ['a window such as 7d, today, lastweek, or start,end', '7d'] as const;

export const CHARGE_UNITS: readonly Accumulate[] = ['none', 'all', ...ACCUMULATE_UNITS];

/** @throws {Fault} naming `accumulate` or `accumulateBy` */
export function readChargeUnit(params: QueryParams, byDefault: Accumulate): Accumulate {
  return params.accumulate(CHARGE_UNITS, byDefault);
}

/**
 * The parameter `window`, from the first of its whole days to the last (see `daysOf`).
 * @param accepted valid values, and an example of them, for messages
 * @throws {Fault} naming the parameter, its value and what is accepted
 */
export function readWholeWindow(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
  [accepted, example]: readonly [string, string] = WINDOW,
): Window {
  const text = params.required('window', accepted, example);
  const days = daysOf(params.daysWindow(text, { nowMs, calendar }), calendar);
  return { startMs: days.at(-1)?.startMs ?? 0, endMs: days[0]?.endMs ?? 0 };
}

/**
 * @param window of whole days
 * @returns oldest first
 * @throws {Fault} 422 above 10,000
 */
export function entriesOf(window: Window, unit: Accumulate, calendar: Calendar): Window[] {
  if (unit === 'all') return [window];
  return layByCalendar(window, unit === 'none' ? 'day' : unit, calendar, SETS_MAX).reverse();
}
