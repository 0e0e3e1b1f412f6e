/** Folders that several test files of one run fill alike: the first fills one, the others copy it. */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Where the gate keeps such folders until its end; unset where a file runs alone, which fills its own. */
export const FILLED_FOLDERS = 'FILLED_FOLDERS';

/**
 * Two files that begin at the same time both fill theirs.
 * @param folder is made, and must not be there
 * @param key tells all that decides on the contents
 * @param fill makes the folder
 * @throws what `fill` throws: then nothing is kept
 */
export async function filledOnce(
  folder: string,
  key: readonly string[],
  fill: () => Promise<void>,
): Promise<void> {
  const shared = process.env[FILLED_FOLDERS];
  if (shared === undefined) return await fill();
  const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex');
  const kept = join(shared, hash.slice(0, 16));
  if (existsSync(kept)) {
    cpSync(kept, folder, { recursive: true, errorOnExist: true, force: false });
    return;
  }
  await fill();
  const unfinished = `${kept}.${process.pid}`;
  mkdirSync(shared, { recursive: true });
  cpSync(folder, unfinished, { recursive: true });
  try {
    renameSync(unfinished, kept);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process may have kept its own meanwhile.
    if (!existsSync(kept)) throw error;
  }
}
