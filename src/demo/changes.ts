/** When things of the demo fleet are replaced: rollouts of a workload, spot nodes taken away. */
import { DAY_MS, HOUR_MS, SECOND_MS } from '../query/index.ts';
import { mix, unit } from './hash.ts';

/** Replaced at most once a UTC day, between 08:00 and 18:00, and at least every seven days. */
export interface Replaced {
  readonly key: number;
  /** Chance of a replacement on a day, in [0, 1]. */
  readonly perDay: number;
}

export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

const LONGEST_DAYS = 7;

/**
 * Spans between replacements of any of `things` that overlap `range`, in order; each ends where
 * the next begins.
 */
export function* livesBetween(things: readonly Replaced[], range: Span): Generator<Span, void> {
  let startMs = Number.NaN;
  for (let day = Math.floor(range.startMs / DAY_MS) - LONGEST_DAYS; ; day++) {
    for (const atMs of changesOn(things, day)) {
      if (atMs > range.startMs && startMs < range.endMs) yield { startMs, endMs: atMs };
      startMs = atMs;
    }
    if (startMs >= range.endMs) return;
  }
}

/** The last replacement at or before `atMs`. */
export function lastChangeMs(thing: Replaced, atMs: number): number {
  for (let day = Math.floor(atMs / DAY_MS); ; day--) {
    const [changeMs = Infinity] = changesOn([thing], day);
    if (changeMs <= atMs) return changeMs;
  }
}

/** A whole second within the day for `key`, in `[fromHour, toHour)`. */
export function timeOfDayMs(key: number, day: number, fromHour: number, toHour: number): number {
  const seconds = Math.floor(unit(mix(key, day)) * (toHour - fromHour) * 3600);
  return day * DAY_MS + fromHour * HOUR_MS + seconds * SECOND_MS;
}

function changesOn(things: readonly Replaced[], day: number): number[] {
  return things
    .filter(({ key, perDay }) => isDue(key, day) || unit(mix(key ^ 0x5bd1, day)) < perDay)
    .map(({ key }) => timeOfDayMs(key, day, 8, 18))
    .sort((a, b) => a - b);
}

function isDue(key: number, day: number): boolean {
  return (day + key) % LONGEST_DAYS === 0;
}
