/** Folders that several test files of one run fill alike: the first fills one, the others copy it. */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where the gate keeps such folders until its end; unset where a file runs alone, which fills its own. */
export const FILLED_FOLDERS = 'FILLED_FOLDERS';

/**
 * Two files that begin at the same time fill one: the second waits.
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
  const lock = `${kept}.lock`;
  mkdirSync(shared, { recursive: true });
  while (!existsSync(kept)) {
    if (!taken(lock)) {
      await sleep(WAIT_MS);
      continue;
    }
    try {
      // Another process may have kept its own meanwhile.
      if (existsSync(kept)) break;
      return await keepOne(folder, kept, fill);
    } finally {
      rmSync(lock);
    }
  }
  cpSync(kept, folder, { recursive: true, errorOnExist: true, force: false });
}

const WAIT_MS = 50;

async function keepOne(folder: string, kept: string, fill: () => Promise<void>): Promise<void> {
  await fill();
  const unfinished = `${kept}.${process.pid}`;
  cpSync(folder, unfinished, { recursive: true });
  renameSync(unfinished, kept);
}

/** @returns whether this process has the lock; that of a process that has ended is removed */
function taken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  }
  try {
    const holder = Number(readFileSync(lock, 'utf8'));
    // It may not have written its id yet.
    if (holder > 0) process.kill(holder, 0);
  } catch (error) {
    if (isCode(error, 'ESRCH')) rmSync(lock, { force: true });
    else if (!isCode(error, 'ENOENT')) throw error;
  }
  return false;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
