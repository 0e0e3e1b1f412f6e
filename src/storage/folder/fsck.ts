/** Checks a store's folder and changes nothing; a server may have it open meanwhile. */
import { join } from 'node:path';
import { checkFolder, fileDamage, namesIn, readGenerations } from './checks.ts';
import { TEMPORARY } from '../disk.ts';
import { QUARANTINE, SETS } from './folders.ts';
import { lostIn } from './lost.ts';
import { isSetName, manifestName, type Entry, type Manifest } from './manifest.ts';
import { nameOf } from '../set-key.ts';
import { type Damage, type Report } from '../sets.ts';

/**
 * Checks every byte of the newest generation, and of the files that it replaced, whose damage is only a
 * note.
 * @throws {Fault} when there is no such folder
 * @throws {Unavailable} when the disk does not answer, or a later version wrote the folder
 */
export async function fsck(folder: string): Promise<Report> {
  await checkFolder(folder);
  const generations = await readGenerations(folder);
  const { whole, damaged } = generations;
  const files = await namesIn(join(folder, SETS));
  const damages: Damage[] = damaged.map(({ what, reason }) => ({ what, reason }));
  const [newest, before] = whole;
  const lost = lostIn(generations, files);
  if (newest === undefined && files.some(isSetName)) {
    damages.push({ what: 'manifest', reason: 'there is none, but there are sets' });
  } else if (lost?.isMissing === true) {
    const reason = 'it is missing, and was the newest: what it changed is lost';
    damages.push({ what: manifestName(lost.generation), reason });
  }
  const checked = await checkFiles(folder, entriesOf(newest));
  const current = new Set(entriesOf(newest).map(({ file }) => file));
  const replaced = entriesOf(before).filter(({ file }) => !current.has(file));
  const older = await checkFiles(folder, replaced);
  return {
    sets: current.size,
    bytes: checked.bytes,
    damages: [...damages, ...checked.damages],
    notes: [
      ...(await notesOn(folder, files, whole)),
      ...entriesOf(newest).flatMap(({ key, insteadOf }) =>
        insteadOf === undefined ? [] : [`older: ${nameOf(key)}: ${insteadOf}`],
      ),
      ...older.damages.map(({ what, reason }) => `replaced: ${what}: ${reason}`),
    ],
  };
}

function entriesOf(manifest: Manifest | undefined): Entry[] {
  return [...(manifest?.sets.values() ?? [])];
}

/** @returns the bytes of whole files, and the damage of the others */
async function checkFiles(
  folder: string,
  entries: readonly Entry[],
): Promise<Pick<Report, 'bytes' | 'damages'>> {
  const damages: Damage[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const reason = entry.damage ?? (await fileDamage(folder, entry));
    if (reason === undefined) bytes += entry.bytes;
    else damages.push({ what: `${SETS}/${entry.file}`, reason: `${nameOf(entry.key)}: ${reason}` });
  }
  return { bytes, damages };
}

async function notesOn(
  folder: string,
  files: readonly string[],
  whole: readonly Manifest[],
): Promise<string[]> {
  const used = new Set(whole.flatMap(({ sets }) => Array.from(sets.values(), ({ file }) => file)));
  const [newest] = whole;
  const counts: readonly (readonly [number, string])[] = [
    [files.filter((name) => isSetName(name) && !used.has(name)).length, 'files of no generation'],
    [files.filter((name) => name.endsWith(TEMPORARY)).length, 'files that were not finished'],
    [(await namesIn(join(folder, QUARANTINE))).length, `files in ${QUARANTINE}`],
  ];
  return [
    newest === undefined ? 'the folder is empty' : `newest is ${manifestName(newest.generation)}`,
    ...counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`),
  ];
}
