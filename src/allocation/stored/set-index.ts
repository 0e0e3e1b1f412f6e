/** Stored sets of allocations by their window. */
import { HOUR_MS, type Window } from '../../query/index.ts';
import type { QueriedSets, SetInfo } from '../../storage/index.ts';
import { ALLOCATIONS } from '../sets/set-files.ts';

/** By `spanOf`. */
export type Stored = ReadonlyMap<string, SetInfo>;

export function spanOf({ startMs, endMs }: Window): string {
  return `${startMs}-${endMs}`;
}

export function storedIn(sets: QueriedSets): Stored {
  return new Map(sets.list(ALLOCATIONS).map((info) => [spanOf(info.key), info]));
}

/** The set of a window, unless it is damaged, or replaces a newer one that is. */
export function wholeSet(stored: Stored, window: Window): SetInfo | undefined {
  const info = stored.get(spanOf(window));
  return info?.damage === undefined && info?.insteadOf === undefined ? info : undefined;
}

/** Where days of the zone that are stored begin and end, Unix ms. */
export function storedBounds(sets: QueriedSets, timezone: string): ReadonlySet<number> {
  const days = sets
    .list(ALLOCATIONS)
    .filter(({ key, meta }) => key.endMs - key.startMs > HOUR_MS && meta.timezone === timezone);
  return new Set(days.flatMap(({ key }) => [key.startMs, key.endMs]));
}

/** Windows from the first one whose set is missing or not final. */
export function fromOpen(stored: Stored, windows: readonly Window[]): readonly Window[] {
  const isOpen = (window: Window): boolean => wholeSet(stored, window)?.meta.state !== 'sealed';
  const first = windows.findIndex(isOpen);
  return first < 0 ? [] : windows.slice(first);
}
