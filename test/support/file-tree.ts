/** A folder's files and folders, and a digest of all that an image has of them. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Entry {
  /** From the root. */
  readonly path: string;
  readonly bytes: number;
  readonly isFolder: boolean;
  readonly mode: number;
  readonly seconds: number;
}

export function entriesOf(root: string): Entry[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((path) => {
      const stat = lstatSync(join(root, path));
      const { size, mode, mtimeMs } = stat;
      const isFolder = stat.isDirectory();
      return {
        path,
        bytes: isFolder ? 0 : size,
        isFolder,
        mode: mode & 0o777,
        seconds: mtimeMs / 1000,
      };
    });
}

/** Names, modes, times and contents. @param time of all entries in place of their own, in seconds */
export function digestOf(root: string, time?: number): string {
  const hash = createHash('sha256');
  for (const { path, isFolder, mode, seconds } of entriesOf(root)) {
    hash.update(`${path}\0${mode}\0${time ?? seconds}\0`);
    if (!isFolder) hash.update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}
