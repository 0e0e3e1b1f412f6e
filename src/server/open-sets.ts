/** Stored sets, at the place that the configuration names. */
import type { OwnedMemory } from '../columnar/index.ts';
import type { Config } from '../settings/config.ts';
import { keptDays } from './clock.ts';
import {
  createMemorySets,
  isWritable,
  openArrowFiles,
  openReadOnlySets,
  type Sets,
} from '../storage/index.ts';

/**
 * @param note gets a sentence for what was damaged and how it was handled
 * @throws {Unavailable} when another process has the folder
 */
export async function openSets(
  { dataDir, nowMs }: Config,
  { arena, owners }: OwnedMemory,
  note: (sentence: string) => void,
): Promise<Sets> {
  const clock = nowMs === undefined ? {} : { nowMs: () => nowMs };
  return dataDir === undefined
    ? createMemorySets({ arena, owner: owners.take(), ...clock })
    : await openArrowFiles({ folder: dataDir, arena, note, ...clock });
}

/** Sets that a server answers from. */
export interface ServedSets {
  readonly sets: Sets;
  /** Nothing of the folder can be changed. */
  readonly isReadOnly: boolean;
  /** What was damaged, and how it was handled. */
  readonly notes: readonly string[];
  /** For `/readyz?verbose`: notes of the folder; nothing without one. */
  state(): object;
}

/** Notes that are remembered for `/readyz?verbose`. */
const NOTES_MAX = 100;

/**
 * As `openSets`; a folder that this process may not write to is served as it is.
 * @throws {Unavailable} when another process has a folder that could be written
 */
export async function openServedSets(
  config: Config,
  memory: OwnedMemory,
  note: (sentence: string) => void,
): Promise<ServedSets> {
  const { dataDir: folder } = config;
  const notes: string[] = [];
  const noted = (sentence: string): void => {
    if (notes.push(sentence) > NOTES_MAX) notes.shift();
    note(sentence);
  };
  const isReadOnly = folder !== undefined && !(await isWritable(folder));
  if (isReadOnly) note(`${folder} cannot be written: it is served as it is, and nothing is kept`);
  const sets = isReadOnly
    ? await openReadOnlySets(folder, memory.arena, noted)
    : await openSets(config, memory, noted);
  const kept = keptDays(config, sets);
  if (kept !== undefined) noted(kept);
  return {
    sets,
    isReadOnly,
    notes,
    state: () => {
      const state = { ...(isReadOnly ? { readOnly: true } : {}), ...(notes.length > 0 ? { notes } : {}) }; // prettier-ignore
      return Object.keys(state).length > 0 ? { folder: { path: folder, ...state } } : {};
    },
  };
}
