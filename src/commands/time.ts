/** The clock and the calendar that the configuration names. */
import type { Config } from '../config.ts';
import { createCalendar, type Calendar } from '../query/index.ts';

/** What a query's parameters are read by. */
export interface Time {
  readonly calendar: Calendar;
  readonly nowMs: () => number;
}

export function timeOf({ nowMs, timezone }: Pick<Config, 'nowMs' | 'timezone'>): Time {
  return { calendar: createCalendar(timezone), nowMs: () => nowMs ?? Date.now() };
}
