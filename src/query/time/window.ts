/** The `window` parameter of all endpoints. */
import type { Calendar } from './calendar.ts';
import { readDuration } from './duration.ts';
import { Fault, refuse } from '../fault.ts';
import { LAST_INSTANT_MS, readTimestamp, readUnixSeconds } from './instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

/** [startMs, endMs) in Unix milliseconds, whole, not empty, within 1970 to 9999. */
export interface Window {
  readonly startMs: number;
  readonly endMs: number;
}

/** The window in messages: `<start> to <end>`, in RFC 3339. */
export function spanText({ startMs, endMs }: Window): string {
  return `${new Date(startMs).toISOString()} to ${new Date(endMs).toISOString()}`;
}

/** Milliseconds of a time that lie in the window. */
export function overlapMs(fromMs: number, toMs: number, { startMs, endMs }: Window): number {
  return Math.max(0, Math.min(toMs, endMs) - Math.max(fromMs, startMs));
}

/** The part of a time that lies in the window, in [0, 1]; for a moment 0 or 1. */
export function partWithin(fromMs: number, toMs: number, window: Window): number {
  if (toMs > fromMs) return overlapMs(fromMs, toMs, window) / (toMs - fromMs);
  return fromMs >= window.startMs && fromMs < window.endMs ? 1 : 0;
}

/** A window with its form in the request: stored sets treat the edges of explicit pairs leniently. */
export interface ParsedWindow extends Window {
  readonly form: 'word' | 'duration' | 'pair';
}

export interface WindowClock {
  readonly nowMs: number;
  readonly calendar: Calendar;
  /** The parameter's name for errors, if it is not `window`. */
  readonly parameter?: string;
  /** Absent: moving. */
  readonly spans?: Spans;
}

/**
 * What a duration stands for. `moving`: up to now, to the millisecond. `days`: `3d` and `1w` are whole local days,
 * today's the last. `units`: so are minutes and hours, the running one the last.
 */
export type Spans = 'moving' | 'days' | 'units';

const ACCEPTED =
  'a window: today, yesterday, week, lastweek, month, lastmonth; a duration such as 30m, 12h, ' +
  '7d or 2w; <duration> offset <duration>; a date, or a pair of dates, of RFC 3339 timestamps or of Unix seconds';
const EXAMPLE = '7d or 2024-05-01T00:00:00Z,2024-05-02T00:00:00Z';
const LONGEST = 200;

type Word = (calendar: Calendar, nowMs: number) => Window;

/** Days are those of the configured zone, weeks start on Sunday. */
const WORDS: ReadonlyMap<string, Word> = new Map<string, Word>([
  /** Local midnight to the next one, the hours to come included. */
  ['today', (c, nowMs) => ({ startMs: c.startOfDay(nowMs), endMs: c.addDays(nowMs, 1) })],
  /** The whole local day before today. */
  ['yesterday', (c, nowMs) => ({ startMs: c.addDays(nowMs, -1), endMs: c.startOfDay(nowMs) })],
  /** Sunday's midnight to now. */
  ['week', (c, nowMs) => untilNow(c.startOfWeek(nowMs), nowMs)],
  /** The whole Sunday-to-Saturday week before this one. */
  [
    'lastweek',
    (c, nowMs) => {
      const endMs = c.startOfWeek(nowMs);
      return { startMs: c.startOfWeek(endMs - 1), endMs };
    },
  ],
  /** Midnight of the first to now. */
  ['month', (c, nowMs) => untilNow(c.startOfMonth(nowMs), nowMs)],
  /** The whole calendar month before this one. */
  ['lastmonth', (c, nowMs) => ({ startMs: c.addMonths(nowMs, -1), endMs: c.startOfMonth(nowMs) })],
]);

/**
 * Reads a window. Words are local (see the table above); durations end now, to the millisecond,
 * `7d` being 168 h, unless `spans` says otherwise; `A offset B` ends B before now; pairs are `start,end`, Unix seconds also
 * `start-end`; a date is the midnight at its start, alone its whole day. Takes time linear in the text.
 *
 * @throws Fault naming the parameter: another form, start not before end, or outside 1970 to 9999
 */
export function parseWindow(text: string, clock: WindowClock): ParsedWindow {
  const trimmed = text.trim();
  const parameter = clock.parameter ?? 'window';
  if (trimmed.length > LONGEST) throw refuse(parameter, text, ACCEPTED, EXAMPLE);
  const parsed =
    readWord(trimmed, clock) ??
    readSpan(trimmed, clock) ??
    readDay(trimmed, clock) ??
    readPair(trimmed, clock);
  if (parsed === undefined) throw unreadable(parameter, text);
  if (parsed.startMs < 0 || parsed.endMs > LAST_INSTANT_MS) throw outOfRange(parameter, text);
  if (parsed.startMs >= parsed.endMs) {
    const accepted = 'a window that ends after it starts: start,end with start before end';
    throw refuse(parameter, text, accepted, EXAMPLE);
  }
  return parsed;
}

function readWord(text: string, clock: WindowClock): ParsedWindow | undefined {
  const word = WORDS.get(text);
  return word && { ...word(clock.calendar, clock.nowMs), form: 'word' };
}

/** In the first minute of a week or month the window is that minute: never empty. */
function untilNow(startMs: number, nowMs: number): Window {
  return { startMs, endMs: Math.max(nowMs, startMs + MINUTE_MS) };
}

function readSpan(text: string, clock: WindowClock): ParsedWindow | undefined {
  const [span = '', word, offsetText = '', ...rest] = text.split(/ +/);
  const spanMs = readDuration(span);
  if (spanMs === undefined || rest.length > 0) return undefined;
  if (word === undefined) return wholeSpan(span, clock) ?? spanBefore(clock.nowMs, spanMs);
  const offsetMs = readDuration(offsetText);
  if (word !== 'offset' || offsetMs === undefined) return undefined;
  return spanBefore(clock.nowMs - offsetMs, spanMs);
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['m', MINUTE_MS],
  ['h', HOUR_MS],
]);
const DAYS: ReadonlyMap<string, number> = new Map([
  ['d', 1],
  ['w', 7],
]);

/** Whole units up to the end of the running one, where spans are such. */
function wholeSpan(text: string, clock: WindowClock): ParsedWindow | undefined {
  const { spans = 'moving', nowMs, calendar } = clock;
  const [, digits, unit = ''] = /^(\d{1,9})([mhdw])$/.exec(text) ?? [];
  if (spans === 'moving' || digits === undefined) return undefined;
  const days = DAYS.get(unit);
  if (days !== undefined) {
    // An instant far outside of what is accepted is refused as it is without whole days.
    const startMs = nowMs - Number(digits) * days * DAY_MS;
    if (startMs < 0) return { startMs, endMs: nowMs, form: 'duration' };
    // Words, too, are the same until midnight.
    const beginMs = calendar.addDays(nowMs, 1 - Number(digits) * days);
    return { startMs: beginMs, endMs: calendar.addDays(nowMs, 1), form: 'word' };
  }
  const unitMs = UNIT_MS.get(unit);
  if (spans === 'days' || unitMs === undefined) return undefined;
  const endMs = (Math.floor(nowMs / unitMs) + 1) * unitMs;
  return spanBefore(endMs, Number(digits) * unitMs);
}

function spanBefore(endMs: number, spanMs: number): ParsedWindow {
  return { startMs: endMs - spanMs, endMs, form: 'duration' };
}

const DATE = /^\d{4}-\d\d-\d\d$/;

/** The number of a date's day since 1970-01-01; undefined for any other text. */
function readDate(text: string): number | undefined {
  const day = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) / DAY_MS : NaN;
  // A day that a month has not would be read as one of the next.
  const isReal = Number.isFinite(day) && new Date(day * DAY_MS).toISOString().startsWith(text);
  return isReal ? day : undefined;
}

/** A date alone is its whole local day. */
function readDay(text: string, { calendar }: WindowClock): ParsedWindow | undefined {
  const day = readDate(text);
  if (day === undefined) return undefined;
  return { startMs: calendar.startOfDate(day), endMs: calendar.startOfDate(day + 1), form: 'pair' };
}

function readPair(text: string, { calendar }: WindowClock): ParsedWindow | undefined {
  const [start = '', end = '', ...rest] = text.split(/^\d+-\d+$/.test(text) ? '-' : ',');
  if (rest.length > 0) return undefined;
  const readMoment = (of: string): number | undefined => {
    const day = readDate(of);
    return day === undefined ? readTimestamp(of) : calendar.startOfDate(day);
  };
  for (const read of [readUnixSeconds, readMoment]) {
    const startMs = read(start.trim());
    const endMs = read(end.trim());
    if (startMs !== undefined && endMs !== undefined) return { startMs, endMs, form: 'pair' };
  }
  return undefined;
}

function unreadable(parameter: string, text: string): Fault {
  return refuse(parameter, text, ACCEPTED, EXAMPLE, [...WORDS.keys()]);
}

function outOfRange(parameter: string, text: string): Fault {
  const seconds = millisecondPair(text)?.map((ms) => Math.floor(ms / 1000));
  if (seconds === undefined) {
    return refuse(parameter, text, 'a window within the years 1970 to 9999', EXAMPLE);
  }
  const accepted = 'a pair of Unix seconds; these look like milliseconds';
  return refuse(parameter, text, accepted, seconds.join(','));
}

/** Both ends, if they are within 1970 to 9999 when read as Unix milliseconds. */
function millisecondPair(text: string): number[] | undefined {
  const instantsMs = text.split(/[,-]/).map(Number);
  const plausible = instantsMs.every((ms) => ms >= 0 && ms <= LAST_INSTANT_MS);
  return plausible && instantsMs.length === 2 ? instantsMs : undefined;
}
