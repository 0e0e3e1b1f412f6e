/** Sets over time: which are whole, and the time before that they are compared with. */
import { isoDate } from '../format.ts';

export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

export interface WindowText {
  readonly start: string;
  readonly end: string;
}

export function spanOf({ start, end }: WindowText): Span {
  return { startMs: Date.parse(start), endMs: Date.parse(end) };
}

/** How much of a span is over: 1 for a whole one. */
export function partOver({ startMs, endMs }: Span, nowMs: number): number {
  if (nowMs >= endMs) return 1;
  return Math.max(0, (nowMs - startMs) / (endMs - startMs));
}

export interface Comparison {
  /** The window of whole sets alone, as the API reads it. */
  readonly now: string;
  readonly before: string;
  readonly nowSpan: Span;
  readonly beforeSpan: Span;
  /** Sets that are not over are left out. */
  readonly isCut: boolean;
}

const DAY_MS = 86_400_000;

/**
 * As much time before as the whole sets have. What is not over is not compared: a part of a day is less than a day.
 * @param zone in which days begin
 * @returns undefined where no set is over
 */
export function comparisonOf(
  sets: readonly Span[],
  nowMs: number,
  zone: string,
): Comparison | undefined {
  const whole = sets.filter(({ endMs }) => endMs <= nowMs);
  const [first, last] = [whole[0], whole.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const nowSpan = { startMs: first.startMs, endMs: last.endMs };
  const lengthMs = nowSpan.endMs - nowSpan.startMs;
  const isCut = whole.length < sets.length;
  const days = Math.round(lengthMs / DAY_MS);
  const isOfDays =
    days >= 1 && isMidnight(nowSpan.startMs, zone) && isMidnight(nowSpan.endMs, zone);
  if (!isOfDays) {
    const beforeSpan = { startMs: nowSpan.startMs - lengthMs, endMs: nowSpan.startMs };
    return { now: pair(nowSpan), before: pair(beforeSpan), nowSpan, beforeSpan, isCut };
  }
  // Noon of the day, so that no change of the clock leads to another date.
  const start = isoDate(nowSpan.startMs, zone);
  const beforeStart = addDays(start, -days);
  return {
    now: `${start},${isoDate(nowSpan.endMs, zone)}`,
    before: `${beforeStart},${start}`,
    nowSpan,
    beforeSpan: { startMs: nowSpan.startMs - days * DAY_MS, endMs: nowSpan.startMs },
    isCut,
  };
}

function pair({ startMs, endMs }: Span): string {
  return `${new Date(startMs).toISOString()},${new Date(endMs).toISOString()}`;
}

/** @param date `2026-11-22` */
export function addDays(date: string, days: number): string {
  const ms = Date.parse(`${date}T12:00:00Z`) + days * DAY_MS;
  return new Date(ms).toISOString().slice(0, 10);
}

function isMidnight(ms: number, zone: string): boolean {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short' }).format(ms);
  return time === '00:00';
}

/** The same days of the month before, as a pair of dates. @param start of the first of the month, a date */
export function monthBefore(start: string, days: number): string {
  const [year = 0, month = 0] = start.split('-').map(Number);
  const before = month === 1 ? `${year - 1}-12-01` : `${year}-${String(month - 1).padStart(2, '0')}-01`; // prettier-ignore
  const end = addDays(before, days);
  return `${before},${end < start ? end : start}`;
}

/** Days of the month that begins with the date. */
export function daysOfMonth(start: string): number {
  const [year = 0, month = 0] = start.split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
