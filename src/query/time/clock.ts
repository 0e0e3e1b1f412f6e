import type { Calendar } from './calendar.ts';

/** Now, and the days of the zone that is counted in: what times of parameters are read by. */
export interface Clock {
  readonly calendar: Calendar;
  readonly nowMs: () => number;
}
