/** A store's folder to read from alone, whoever has it open; nothing is locked, nothing changed. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, Unavailable } from '../query/index.ts';
import { readGenerations, SETS } from './checks.ts';
import type { Entry } from './manifest.ts';
import { byTime, DamagedSet, idOf } from './set-key.ts';
import type { Sets } from './sets.ts';

/** What queries need of a store. */
export type QueriedSets = Pick<Sets, 'version' | 'kinds' | 'list' | 'locate' | 'setAside'>;

/**
 * The folder as it is now. Its owner keeps replaced files for ten minutes more, and sealed sets for
 * good: what is replaced later than that while they are read is then found missing.
 * @throws {Fault} when there is no such folder
 * @throws {Unavailable} when the disk does not answer, or a later version wrote the folder
 */
export async function openReadOnly(folder: string): Promise<QueriedSets> {
  const isFolder = await stat(folder).then((found) => found.isDirectory(), () => false); // prettier-ignore
  if (!isFolder) throw new Fault(`there is no folder ${folder}`, { hint: 'name it by --data-dir' });
  const { whole, damaged } = await readGenerations(folder);
  const [newest] = whole;
  if (newest === undefined && damaged.length > 0) {
    throw new Unavailable(`${folder} has no manifest that is whole`, { hint: 'see prorata fsck' });
  }
  const entries: ReadonlyMap<string, Entry> = newest?.sets ?? new Map<string, Entry>();
  return {
    version: newest?.generation ?? 0,
    kinds: () => [...new Set(Array.from(entries.values(), ({ key }) => key.kind))],
    list: (kind) => [...entries.values()].filter(({ key }) => key.kind === kind).toSorted(byTime),
    locate(key) {
      const entry = entries.get(idOf(key));
      if (entry?.damage !== undefined) throw new DamagedSet(key, entry.damage);
      if (entry === undefined) return undefined;
      return { key, place: { path: join(folder, SETS, entry.file) }, directory: entry.directory };
    },
    // Its owner finds it as well, and may change the folder.
    setAside: () => Promise.resolve(),
  };
}
