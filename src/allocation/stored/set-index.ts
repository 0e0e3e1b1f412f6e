/** Stored sets of allocations by the stretch of time they are of. */
import type { Window } from '../../query/index.ts';
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

/** The set of a stretch, unless it is damaged, or stands for a newer one that is. */
export function wholeSet(stored: Stored, window: Window): SetInfo | undefined {
  const info = stored.get(spanOf(window));
  return info?.damage === undefined && info?.insteadOf === undefined ? info : undefined;
}

/** Stretches from the first on whose set is not there or not final. */
export function fromOpen(stored: Stored, windows: readonly Window[]): readonly Window[] {
  const isOpen = (window: Window): boolean => wholeSet(stored, window)?.meta.state !== 'sealed';
  const first = windows.findIndex(isOpen);
  return first < 0 ? [] : windows.slice(first);
}
