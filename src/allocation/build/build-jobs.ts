/**
 * Jobs of the builder, derived from the stored sets alone, so that an interrupted builder goes on where
 * it was.
 *
 *   day        today ──────────── over ─── grace over ──────────────
 *   its set    partial, extended ──────── built whole, sealed
 *   its hours  each sealed 15 min after its end; stored for 49 hours
 */
import { type Calendar, HOUR_MS, type Window } from '../../query/index.ts';
import type { SetInfo, SetKey } from '../../storage/index.ts';
import { HOUR_GRACE_MS, hoursBegun } from './extend-day.ts';
import { KINDS } from '../sets/set-files.ts';
import { fromOpen, wholeSet, type Stored } from '../stored/set-index.ts';

/** Two days of hours, whatever the clocks do, and the open one. */
const HOURS_STORED_MS = 49 * HOUR_MS;

/**
 * `extend`: up to now; `seal`: whole, for good; `hours`: those of a day that is over; `sums`: those beside its rows,
 * where they are missing.
 */
export interface Job {
  readonly kind: 'extend' | 'seal' | 'hours' | 'sums';
  readonly day: Window;
}

/** Which days are stored, for how long, and until when they change. */
export interface Rules {
  readonly calendar: Calendar;
  readonly retentionMs: number;
  /** How old the set of a day that is not over may be. */
  readonly refreshMs: number;
  /** How long after a day's end its samples may still come. */
  readonly sealAfterMs: number;
}

/** Days from today back to that of the first instant, or to the end of retention. */
export function daysBack(
  { calendar, retentionMs }: Rules,
  firstMs: number,
  nowMs: number,
): Window[] {
  const oldestMs = Math.max(firstMs, nowMs - retentionMs);
  const bounds = calendar.days(Math.min(oldestMs, nowMs), nowMs + 1);
  return bounds
    .slice(1)
    .map((endMs, i) => ({ startMs: bounds[i] ?? endMs, endMs }))
    .reverse();
}

/** The jobs of a day that are due now, in their order. */
export function jobsOf(rules: Rules, stored: Stored, day: Window, nowMs: number): Job[] {
  const whole = wholeSet(stored, day);
  if (nowMs < day.endMs + rules.sealAfterMs) {
    return whole && !isStale(rules, whole, day, nowMs) ? [] : [{ kind: 'extend', day }];
  }
  const isSealed = whole?.meta.state === 'sealed';
  const isBlank = isSealed && whole.rows === 0;
  const lacksHours = !isBlank && missingHours(rules, stored, day, nowMs).length > 0;
  return [
    ...(isSealed ? [] : [{ kind: 'seal', day } as const]),
    ...(lacksHours ? [{ kind: 'hours', day } as const] : []),
  ];
}

function isStale({ refreshMs }: Rules, { meta }: SetInfo, day: Window, nowMs: number): boolean {
  // Later its hours are final, and nothing is new.
  const isOpen = meta.createdMs < day.endMs + HOUR_GRACE_MS;
  return isOpen && meta.createdMs + refreshMs <= nowMs;
}

/** Hours of a past day within retention, from the first one that is not final. */
export function missingHours(
  { calendar }: Rules,
  stored: Stored,
  day: Window,
  nowMs: number,
): readonly Window[] {
  if (day.endMs <= nowMs - HOURS_STORED_MS) return [];
  const hours = hoursBegun(calendar, day, nowMs);
  const retained = hours.filter(({ endMs }) => endMs > nowMs - HOURS_STORED_MS);
  return fromOpen(stored, retained);
}

/** Keys of sets beyond retention. */
export function expired(
  { calendar, retentionMs }: Pick<Rules, 'calendar' | 'retentionMs'>,
  infos: readonly Pick<SetInfo, 'key'>[],
  nowMs: number,
): SetKey[] {
  const oldestMs = calendar.startOfDay(nowMs - retentionMs);
  const isOver = ({ key: { startMs, endMs } }: Pick<SetInfo, 'key'>): boolean =>
    endMs <= oldestMs || (endMs - startMs <= HOUR_MS && endMs <= nowMs - HOURS_STORED_MS);
  return infos.filter(isOver).flatMap(({ key }) => KINDS.map((kind) => ({ ...key, kind })));
}

/** For people: the local date. */
export function dateOf({ zone }: Calendar, { startMs, endMs }: Window): string {
  // A day that keeps other bounds than the zone has may begin on the evening before.
  const middleMs = (startMs + endMs) / 2;
  return formatOf(zone).format(middleMs);
}

/** Making one takes as long as reading a small file. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  // This locale writes dates as ISO 8601 does.
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
  formats.set(zone, format);
  return format;
}
