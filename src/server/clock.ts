/** The clock and the calendar that the configuration names. */
import type { Config } from '../settings/config.ts';
import { createCalendar, type Clock } from '../query/index.ts';

export function clockOf({ nowMs, timezone }: Pick<Config, 'nowMs' | 'timezone'>): Clock {
  return { calendar: createCalendar(timezone), nowMs: () => nowMs ?? Date.now() };
}
