/** The stretches of time that an answer tells charges of, one set each. */
import {
  daysOf,
  layByCalendar,
  parseAccumulate,
  type Accumulate,
  type Calendar,
  type ParsedWindow,
  type Window,
} from '../../query/index.ts';

/** Sets of one answer. */
const SETS_MAX = 10_000;

export type ChargeUnit = Exclude<Accumulate, 'quarter'>;
const UNITS: readonly Accumulate[] = ['none', 'all', 'hour', 'day', 'week', 'month'];

/** @throws {Fault} naming `accumulate` */
export function readChargeUnit(text: string): ChargeUnit {
  return parseAccumulate(text, UNITS) as ChargeUnit;
}

/** From the first of a window's whole days to the last (see `daysOf`). */
export function wholeWindow(window: ParsedWindow, calendar: Calendar): Window {
  const days = daysOf(window, calendar);
  return { startMs: days.at(-1)?.startMs ?? 0, endMs: days[0]?.endMs ?? 0 };
}

/**
 * @param window of whole days
 * @returns oldest first
 * @throws {Fault} 422 above 10,000
 */
export function entriesOf(window: Window, unit: ChargeUnit, calendar: Calendar): Window[] {
  if (unit === 'all') return [window];
  return layByCalendar(window, unit === 'none' ? 'day' : unit, calendar, SETS_MAX).reverse();
}
