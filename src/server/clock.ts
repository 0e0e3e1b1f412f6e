/** The clock and the calendar that the configuration names. */
import { storedBounds } from '../allocation/index.ts';
import type { Config } from '../settings/config.ts';
import { createCalendar, type Clock } from '../query/index.ts';
import type { QueriedSets } from '../storage/index.ts';

type ZoneAndNow = Pick<Config, 'nowMs' | 'timezone'>;

/** @param sets whose days keep their bounds; absent: none are read or written */
export function clockOf({ nowMs, timezone }: ZoneAndNow, sets?: QueriedSets): Clock {
  const bounds = sets === undefined ? [] : storedBounds(sets, timezone);
  return { calendar: createCalendar(timezone, bounds), nowMs: () => nowMs ?? Date.now() };
}

/** @returns a sentence where the tz database has other bounds of days than those that are stored */
export function keptDays(
  { timezone }: Pick<Config, 'timezone'>,
  sets: QueriedSets,
): string | undefined {
  const calendar = createCalendar(timezone);
  const kept = [...storedBounds(sets, timezone)]
    .filter((ms) => calendar.startOfDay(ms) !== ms)
    .toSorted((a, b) => a - b);
  const [first, last] = [kept[0], kept.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const [from, to] = [first, last].map((ms) => new Date(ms).toISOString());
  return `tzdata ${TZDATA} cuts days of ${timezone} from ${from} to ${to} otherwise than they are stored: they keep their bounds`;
}

/** The version of the tz database that Node has. */
export const TZDATA: string = process.versions['tz'] ?? 'unknown';
