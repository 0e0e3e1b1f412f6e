/**
 * Opens a folder as a process left it, also by a crash: finds the generation that counts and its files,
 * and clears the rest away.
 */
import { join } from 'node:path';
import { lengthDamage, namesIn, readGenerations } from './checks.ts';
import { moveFile, TEMPORARY } from '../disk.ts';
import { QUARANTINE, SETS } from './folders.ts';
import { History, type HistoryOptions } from './history.ts';
import { lostEntries, lostIn, lostNotes } from './lost.ts';
import { isSetName, manifestName, readSetName, type Entry } from './manifest.ts';

export interface Opened {
  readonly history: History;
  /** Entries that replace those of the current manifest, by `idOf`; not yet committed. */
  readonly changed: ReadonlyMap<string, Entry>;
  /** Damage found and things done about it, for the operator. */
  readonly notes: readonly string[];
}

/** @throws {Unavailable} when the disk does not do its part */
export async function openFolder(options: HistoryOptions): Promise<Opened> {
  const { folder, disk } = options;
  await disk.makeFolder(join(folder, SETS));
  const generations = await readGenerations(folder);
  const { whole, damaged, recorded } = generations;
  const known = typeof recorded === 'number' ? recorded : 0;
  const last = Math.max(known, ...[...whole, ...damaged].map(({ generation }) => generation));
  const files = await namesIn(join(folder, SETS));
  const lost = lostIn(generations, files);
  const history = new History(
    options,
    whole,
    lost ? Math.max(last, ...generationsIn(files)) : last,
  );
  const notes: string[] = [];
  for (const { what, reason, generation } of damaged) {
    notes.push(`${what} is set aside: ${reason}; ${manifestName(generation - 1)} or older counts`);
    await moveFile(disk, join(folder, what), join(folder, QUARANTINE, what));
  }
  const changed = lost ? lostEntries(history.current, lost, files) : new Map<string, Entry>();
  if (lost) notes.push(...lostNotes(whole[0], lost, changed.values()));
  await clearAway(options, history.usedFiles(), lost !== undefined || damaged.length > 0);
  if (known < history.current.generation || recorded === 'none') await history.recordNewest();
  for (const [id, entry] of history.current.sets) {
    const damage = entry.damage ?? (await lengthDamage(folder, entry));
    if (damage === undefined || entry.damage !== undefined) continue;
    const replaced = await history.withoutDamage(entry, damage, lengthDamage);
    changed.set(id, replaced.entry);
    notes.push(replaced.note);
  }
  return { history, changed, notes };
}

function generationsIn(files: readonly string[]): number[] {
  return files.map((file) => readSetName(file)?.generation ?? 0);
}

/** Removes the rest of an interrupted change. Files of a lost manifest are set aside instead. */
async function clearAway(
  { folder, disk }: HistoryOptions,
  used: ReadonlySet<string>,
  isManifestLost: boolean,
): Promise<void> {
  for (const place of [folder, join(folder, SETS)]) {
    for (const name of await namesIn(place)) {
      // A process that tries to lock the folder or a log in it has such a name for a moment.
      if (name.endsWith(TEMPORARY) && !/^(.+\.)?lock\./.test(name)) {
        await disk.remove(join(place, name));
      }
    }
  }
  for (const name of await namesIn(join(folder, SETS))) {
    if (!isSetName(name) || used.has(name)) continue;
    const path = join(folder, SETS, name);
    if (isManifestLost) await moveFile(disk, path, join(folder, QUARANTINE, name));
    else await disk.remove(path);
  }
}
