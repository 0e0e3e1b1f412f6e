/** Blocks of a folder on this machine: a data folder of Prometheus, or a bucket that is kept as files. */
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { attempt, codeOf } from '../../storage/disk-error.ts';
import type { RangeSource, StoredFile } from './range-source.ts';

/** Folders within folders: a tenant's, a block's, that of its chunks. */
const DEPTH_MAX = 3;

/** @param path absolute, without a slash at its end */
export function folderSource(path: string): RangeSource {
  return {
    name: `file://${path}`,
    list: async (folder, isWanted, signal) => {
      const files = await attempt(`read ${path}`, async () => {
        const keys = (await keysBelow(path, folder, 0, signal)).filter(isWanted);
        return await Promise.all(keys.map((key) => fileAt(path, key)));
      });
      const found = files.filter((file) => file !== undefined);
      return { files: found, nowMs: Date.now() };
    },
    read: ({ key }, at, bytes, signal) => {
      signal.throwIfAborted();
      return attempt(`read ${join(path, key)}`, () => readPart(join(path, key), at, bytes));
    },
  };
}

async function keysBelow(
  root: string,
  folder: string,
  depth: number,
  signal: AbortSignal,
): Promise<string[]> {
  signal.throwIfAborted();
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(
    (error: unknown) => {
      // Blocks are deleted while others are looked for.
      if (codeOf(error) === 'ENOENT' && depth > 0) return [];
      throw error;
    },
  );
  const keys: string[] = [];
  for (const entry of entries) {
    const key = folder === '' ? entry.name : `${folder.replace(/\/$/, '')}/${entry.name}`;
    if (!entry.isDirectory()) keys.push(key);
    else if (depth < DEPTH_MAX) keys.push(...(await keysBelow(root, key, depth + 1, signal)));
  }
  return keys;
}

async function fileAt(root: string, key: string): Promise<StoredFile | undefined> {
  try {
    const { size, mtimeMs } = await stat(join(root, key));
    return { key, version: `${size}-${mtimeMs}`, bytes: size, changedMs: mtimeMs };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function readPart(path: string, at: number, bytes: number): Promise<Uint8Array | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const part = Buffer.allocUnsafeSlow(bytes);
    let read = 0;
    for (;;) {
      const { bytesRead } = await file.read(part, read, bytes - read, at + read);
      read += bytesRead;
      if (bytesRead === 0 || read === bytes) return part.subarray(0, read);
    }
  } finally {
    await file.close();
  }
}
