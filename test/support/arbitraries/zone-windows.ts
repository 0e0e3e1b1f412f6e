/** Windows over a year's local days, and the days that they are answered by. */
import type { Window } from '../../../src/query/index.ts';
import { localText, type LocalDay, type ZoneYear } from './zone-years.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Nothing but start and end. */
export const spans = (days: readonly Window[]): Window[] =>
  days.map(({ startMs, endMs }) => ({ startMs, endMs }));

/** Whole days that [startMs, endMs) overlaps, newest first. */
export function overlapped(days: readonly LocalDay[], { startMs, endMs }: Window): Window[] {
  return spans(days.filter((day) => day.startMs < endMs && day.endMs > startMs)).reverse();
}

/** Sunday's day at or before the place. */
function sunday(days: readonly LocalDay[], place: number): LocalDay | undefined {
  return days.findLast(({ date }, i) => i <= place && date.dayOfWeek === 7);
}

function firstOfMonth(days: readonly LocalDay[], month: number): LocalDay | undefined {
  return days.find(({ date }) => date.month === month);
}

/** What a window means at `nowMs` of the day at `place`; undefined where it leaves the year. */
type Meaning = (days: readonly LocalDay[], place: number, nowMs: number) => Window | undefined;

const between = (from: LocalDay | undefined, endMs: number | undefined): Window | undefined =>
  from && endMs !== undefined ? { startMs: from.startMs, endMs } : undefined;

/** In the first minute it is that minute. */
const untilNow = (from: LocalDay | undefined, nowMs: number): Window | undefined =>
  between(from, Math.max(nowMs, (from?.startMs ?? 0) + 60_000));

export const WINDOWS: Readonly<Record<string, Meaning>> = {
  today: (days, place) => days[place],
  yesterday: (days, place) => days[place - 1],
  week: (days, place, nowMs) => untilNow(sunday(days, place), nowMs),
  lastweek(days, place) {
    const end = sunday(days, place);
    return end && between(sunday(days, days.indexOf(end) - 1), end.startMs);
  },
  month: (days, place, nowMs) => untilNow(firstOfMonth(days, days[place]?.date.month ?? 0), nowMs),
  lastmonth(days, place) {
    const month = days[place]?.date.month ?? 0;
    return between(firstOfMonth(days, month - 1), firstOfMonth(days, month)?.startMs);
  },
  '30m': (_days, _place, nowMs) => ({ startMs: nowMs - HOUR_MS / 2, endMs: nowMs }),
  '24h': (_days, _place, nowMs) => ({ startMs: nowMs - DAY_MS, endMs: nowMs }),
  '2d': (_days, _place, nowMs) => ({ startMs: nowMs - 2 * DAY_MS, endMs: nowMs }),
  '1w': (_days, _place, nowMs) => ({ startMs: nowMs - 7 * DAY_MS, endMs: nowMs }),
  '2d offset 36h': (_days, _place, nowMs) => ({
    startMs: nowMs - 2 * DAY_MS - 36 * HOUR_MS,
    endMs: nowMs - 36 * HOUR_MS,
  }),
};

/** Forms of a pair of whole days, the last included, as clients send them. */
export const PAIRS: Readonly<
  Record<string, (zone: string, first: LocalDay, last: LocalDay) => string>
> = {
  'to 23:59:59': (zone, first, last) =>
    `${localText(first, zone, '00:00:00')},${localText(last, zone, '23:59:59')}`,
  'from 00:00:01 to the next 00:00:01': (_zone, first, last) =>
    `${iso(first.startMs + 1000)},${iso(last.endMs + 1000)}`,
  'to the next midnight, in UTC': (_zone, first, last) =>
    `${iso(first.startMs)},${iso(last.endMs)}`,
  'of Unix seconds': (_zone, first, last) => `${first.startMs / 1000},${last.endMs / 1000}`,
  'of Unix seconds, a second short': (_zone, first, last) =>
    `${first.startMs / 1000}-${last.endMs / 1000 - 1}`,
};

export function iso(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Places of days around changes, and every 30th. */
export function placesOf(days: readonly LocalDay[], { odd, zone }: ZoneYear): number[] {
  const changes = days.flatMap(({ date }, i) => (odd[date.toString()] === undefined ? [] : [i]));
  const skips = zone === 'Pacific/Apia' ? [days.length - 2] : [];
  const around = [...changes, ...skips].flatMap((i) => [-2, -1, 0, 1, 2, 7, 8].map((by) => i + by));
  const all = [...around, ...Array.from({ length: 12 }, (_, i) => 3 + 30 * i)];
  return [...new Set(all)].filter((i) => i > 0 && i < days.length - 1).sort((a, b) => a - b);
}
