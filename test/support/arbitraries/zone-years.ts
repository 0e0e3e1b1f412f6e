/** Years of zones whose clocks change, by an independent calendar. */
import { Temporal } from 'temporal-polyfill';

const MINUTE_MS = 60_000;

export interface ZoneYear {
  readonly zone: string;
  readonly year: number;
  /** Local days that have not 24 hours, and how many they have. */
  readonly odd: Readonly<Record<string, number>>;
}

export interface LocalDay {
  readonly date: Temporal.PlainDate;
  readonly startMs: number;
  readonly endMs: number;
}

/** From zoneinfo (https://www.iana.org/time-zones). Apia skipped 30 December 2011. */
export const ZONE_YEARS: readonly ZoneYear[] = [
  { zone: 'Europe/Berlin', year: 2024, odd: { '2024-03-31': 23, '2024-10-27': 25 } },
  { zone: 'America/New_York', year: 2024, odd: { '2024-03-10': 23, '2024-11-03': 25 } },
  { zone: 'Australia/Lord_Howe', year: 2024, odd: { '2024-04-07': 24.5, '2024-10-06': 23.5 } },
  { zone: 'America/Havana', year: 2024, odd: { '2024-03-10': 23, '2024-11-03': 25 } },
  { zone: 'Africa/Cairo', year: 2024, odd: { '2024-04-26': 23, '2024-10-31': 25 } },
  { zone: 'Pacific/Apia', year: 2011, odd: { '2011-04-02': 25, '2011-09-24': 23 } },
];

/** Days that exist, in order; what a window at the year's edges asks for is among them. */
export function daysOfYear({ zone, year }: ZoneYear): LocalDay[] {
  const days: LocalDay[] = [];
  for (let date = Temporal.PlainDate.from({ year, month: 1, day: 1 }); date.year === year;) {
    const startMs = date.toZonedDateTime(zone).epochMilliseconds;
    const next = date.add({ days: 1 });
    const endMs = next.toZonedDateTime(zone).epochMilliseconds;
    if (startMs < endMs) days.push({ date, startMs, endMs });
    date = next;
  }
  return days;
}

/** A local time of a day as clients write it, with its offset; of two the first. */
export function localText({ date }: LocalDay, zone: string, time: string): string {
  const zoned = date.toZonedDateTime({ timeZone: zone, plainTime: time });
  return zoned.toString({ timeZoneName: 'never', fractionalSecondDigits: 0 });
}

export function minutesOf(days: readonly Pick<LocalDay, 'startMs' | 'endMs'>[]): number {
  return days.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs) / MINUTE_MS, 0);
}
