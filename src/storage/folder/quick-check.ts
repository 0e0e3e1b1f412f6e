/** A look at the folder that takes no longer with larger sets: each file's length, and its first and last bytes. */
import { open } from 'node:fs/promises';
import { checkFolder, lengthDamage, readGenerations } from './checks.ts';
import { SETS, setPath } from './folders.ts';
import type { Entry } from './manifest.ts';
import { unlessMissing } from '../disk-error.ts';
import { nameOf } from '../set-key.ts';
import type { Damage } from '../sets.ts';

/** Arrow files begin and end with it (https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format). */
const MAGIC = 'ARROW1';

/**
 * The damage of sets of the newest generation that can be seen without reading them; `fsck` finds all.
 * @throws {Fault} when there is no such folder
 * @throws {Unavailable} when the disk does not answer, or a later version wrote the folder
 */
export async function quickCheck(folder: string): Promise<Damage[]> {
  await checkFolder(folder);
  const [newest] = (await readGenerations(folder)).whole;
  const damages: Damage[] = [];
  for (const entry of newest?.sets.values() ?? []) {
    const reason =
      entry.damage ?? (await lengthDamage(folder, entry)) ?? (await endsDamage(folder, entry));
    if (reason === undefined) continue;
    damages.push({ what: `${SETS}/${entry.file}`, reason: `${nameOf(entry.key)}: ${reason}` });
  }
  return damages;
}

async function endsDamage(folder: string, entry: Entry): Promise<string | undefined> {
  const path = setPath(folder, entry);
  return await unlessMissing(`read ${path}`, undefined, async () => {
    const file = await open(path, 'r');
    try {
      for (const at of [0, entry.bytes - MAGIC.length]) {
        const { buffer, bytesRead } = await file.read(
          Buffer.alloc(MAGIC.length),
          0,
          MAGIC.length,
          at,
        );
        if (buffer.toString('latin1', 0, bytesRead) !== MAGIC)
          return 'its file does not begin and end as it was written';
      }
      return undefined;
    } finally {
      await file.close();
    }
  });
}
