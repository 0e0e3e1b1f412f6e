/** Checks of files against their entries in a manifest. */
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Fault, Unavailable } from '../../query/index.ts';
import { setPath } from './folders.ts';
import { generationOf, manifestName, readManifest, type Entry, type Manifest } from './manifest.ts';
import { readNewest, type Recorded } from './newest.ts';
import { unlessMissing } from '../disk-error.ts';
import type { Damage } from '../sets.ts';

const CHUNK_BYTES = 1 << 20;
/** The damage of a set without its file. */
export const MISSING = 'its file is missing';

export interface Generations {
  /** Newest first. */
  readonly whole: readonly Manifest[];
  /** Files that are no manifests, newest first. */
  readonly damaged: readonly (Damage & { readonly generation: number })[];
  /** The newest that was ever committed. */
  readonly recorded: Recorded;
}

/** @throws {Unavailable} when the folder cannot be read or was written by a later version */
export async function readGenerations(folder: string): Promise<Generations> {
  // Before the names: a server may commit another meanwhile.
  const recorded = await readNewest(folder);
  const numbers = (await namesIn(folder))
    .map(generationOf)
    .filter((generation) => generation !== undefined)
    .toSorted((a, b) => b - a);
  const whole: Manifest[] = [];
  const damaged: (Damage & { generation: number })[] = [];
  for (const generation of numbers) {
    const what = manifestName(generation);
    const path = join(folder, what);
    const text = await unlessMissing(`read ${path}`, undefined, () => readFile(path, 'utf8'));
    // The owner of the folder has removed it meanwhile, as newer ones came.
    if (text === undefined) continue;
    const found = readManifest(text);
    if (!('damage' in found)) whole.push(found);
    else if (!found.isNewer) damaged.push({ what, reason: found.damage, generation });
    else throw new Unavailable(`${folder} was written by a later version: ${found.damage}`);
  }
  return { whole, damaged, recorded };
}

/** Compares the length only. @returns why the file cannot be as it was written */
export async function lengthDamage(folder: string, entry: Entry): Promise<string | undefined> {
  return await unlessMissing(`look at ${entry.file}`, MISSING, async () => {
    const { size } = await stat(setPath(folder, entry));
    return wrongLength(entry, size);
  });
}

/** Reads the whole file. @returns why it is not as it was written */
export async function fileDamage(folder: string, entry: Entry): Promise<string | undefined> {
  const path = setPath(folder, entry);
  return await unlessMissing(`read ${path}`, MISSING, async () => {
    const file = await open(path, 'r');
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let [size, sum] = [0, 0];
    try {
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, chunk.length, size);
        if (bytesRead === 0) break;
        sum = crc32(chunk.subarray(0, bytesRead), sum);
        size += bytesRead;
      }
    } finally {
      await file.close();
    }
    const isRight = sum === entry.crc32;
    return wrongLength(entry, size) ?? (isRight ? undefined : 'its file has not the bytes written');
  });
}

function wrongLength(entry: Entry, size: number): string | undefined {
  return size === entry.bytes ? undefined : `its file has ${size} of ${entry.bytes} bytes`;
}

/** Names in a folder; none where there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return await unlessMissing(`read ${folder}`, [], () => readdir(folder));
}

/** @throws {Fault} when there is no such folder */
export async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new Fault(`there is no folder ${folder}`, { hint: 'name it by --data-dir' });
}
