/** Folders within that of a store, and where its sets are. */
import { join } from 'node:path';
import type { Place } from '../place.ts';
import type { StoredSet } from '../sets.ts';
import type { Entry } from './manifest.ts';

export const SETS = 'sets';

/** Damaged files, and those of lost manifests: out of use, but not destroyed. */
export const QUARANTINE = 'quarantine';

/** The file of a set. */
export function setPath(folder: string, { file }: Pick<Entry, 'file'>): string {
  return join(folder, SETS, file);
}

export function storedIn(folder: string, entry: Entry): StoredSet {
  return { key: entry.key, place: { path: setPath(folder, entry) }, directory: entry.directory };
}

/** Whether the place is the file of the entry. */
export function isAt(folder: string, entry: Entry | undefined, place: Place): entry is Entry {
  return entry !== undefined && 'path' in place && place.path === setPath(folder, entry);
}
