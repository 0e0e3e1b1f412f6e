/** The stored sets that a window of recommendations reads. */
import {
  DAY_MS,
  daysOf,
  Fault,
  FoundCaveats,
  futureWarnings,
  HOUR_MS,
  overlapMs,
  spanText,
  type Calendar,
  type Caveats,
  type ParsedWindow,
  type Window,
} from '../../query/index.ts';
import type { QueriedSets, SetInfo, StoredSet } from '../../storage/index.ts';

const [ALLOCATIONS, USAGE] = ['allocations', 'usage'];

export interface UsedSets {
  /** Days or hours, oldest first. */
  readonly windows: readonly UsedWindow[];
  /** Days or hours without a stored set. */
  readonly missing: readonly Window[];
  readonly caveats: Caveats;
  /** Every set is final, and there is one of each kind for each window. */
  readonly isSealed: boolean;
}

export interface UsedWindow {
  readonly allocations: StoredSet | undefined;
  readonly usage: StoredSet | undefined;
}

export interface SetsQuery {
  readonly window: ParsedWindow;
  readonly nowMs: number;
}

/**
 * The days that the window overlaps, or the hours where it is shorter than a day.
 * @throws {Fault} 422 for hours that have begun, and of which none is stored
 */
export function usedSets(
  sets: QueriedSets,
  calendar: Calendar,
  { window, nowMs }: SetsQuery,
): UsedSets {
  const days = daysOf(window, calendar).toReversed();
  const stored = { usage: bySpan(sets.list(USAGE)), allocations: bySpan(sets.list(ALLOCATIONS)) };
  const isHours = window.form !== 'word' && !coversDay(window, days);
  const wanted = isHours ? hoursIn(stored.usage.values(), window) : days;
  const ahead = futureWarnings(isHours ? [window] : days, nowMs);
  if (isHours && wanted.length === 0 && ahead.length === 0) throw noHours(window);
  const ofSets = new FoundCaveats();
  const missing: Window[] = isHours ? gapsIn(wanted, window, nowMs) : [];
  let isSealed = missing.length === 0;
  const locate = (of: ReadonlyMap<string, SetInfo>, span: Window): StoredSet | undefined => {
    const info = of.get(spanOf(span));
    if (info?.meta.state !== 'sealed' || info.insteadOf !== undefined) isSealed = false;
    if (info?.damage !== undefined) {
      ofSets.lack([
        `${info.key.kind} of ${spanText(span)} are damaged and set aside (${info.damage})`,
      ]);
      return undefined;
    }
    if (info) ofSets.lackOfSet(info.meta);
    if (info?.insteadOf !== undefined) {
      ofSets.lack([
        `${info.key.kind} of ${spanText(span)} are of an older version than was stored last (${info.insteadOf})`,
      ]);
    }
    return info && sets.locate(info.key);
  };
  const windows = wanted.map((span): UsedWindow => {
    const [allocations, usage] = [locate(stored.allocations, span), locate(stored.usage, span)];
    if (allocations === undefined && usage === undefined) {
      if (span.startMs < nowMs) missing.push(span);
    } else if (usage === undefined && !stored.usage.has(spanOf(span))) {
      ofSets.lack([`usage of ${spanText(span)} is not kept: only what it cost is counted`]);
    }
    return { allocations, usage };
  });
  const caveats = new FoundCaveats();
  caveats.note(ahead);
  caveats.lack(missing.map((span) => `${spanText(span)} is not stored: the answer lacks it`));
  caveats.add(ofSets);
  return { windows, missing, caveats, isSealed };
}

function bySpan(infos: readonly SetInfo[]): ReadonlyMap<string, SetInfo> {
  return new Map(infos.map((info) => [spanOf(info.key), info]));
}

function spanOf({ startMs, endMs }: Window): string {
  return `${startMs}-${endMs}`;
}

/** A local day may have 23 hours. */
function coversDay({ startMs, endMs }: Window, days: readonly Window[]): boolean {
  if (endMs - startMs >= DAY_MS) return true;
  return days.some((day) => startMs <= day.startMs && endMs >= day.endMs);
}

function hoursIn(infos: Iterable<SetInfo>, { startMs, endMs }: Window): Window[] {
  return [...infos]
    .map(({ key }) => ({ startMs: key.startMs, endMs: key.endMs }))
    .filter((hour) => hour.endMs - hour.startMs <= HOUR_MS)
    .filter((hour) => hour.startMs < endMs && hour.endMs > startMs)
    .sort((a, b) => a.startMs - b.startMs);
}

/** The gaps between stored hours, in the window up to now. */
function gapsIn(hours: readonly Window[], { startMs, endMs }: Window, nowMs: number): Window[] {
  const gaps: Window[] = [];
  let reachedMs = startMs;
  for (const hour of [...hours, { startMs: Math.min(endMs, nowMs), endMs }]) {
    if (hour.startMs > reachedMs) gaps.push({ startMs: reachedMs, endMs: hour.startMs });
    reachedMs = Math.max(reachedMs, hour.endMs);
  }
  return gaps;
}

function noHours(window: Window): Fault {
  return new Fault(`usage by the hour is not stored for ${spanText(window)}`, {
    status: 422,
    parameter: 'window',
    hint: 'single hours are kept for two days; ask for whole days, for example window=1d',
  });
}

/** Hours of a span for which sets are stored. */
export function hoursWithout({ startMs, endMs }: Window, missing: readonly Window[]): number {
  const missingMs = missing.reduce((sum, gap) => sum + overlapMs(startMs, endMs, gap), 0);
  return (endMs - startMs - missingMs) / HOUR_MS;
}
