/**
 * The changes a store makes to its folder, few enough that a test can record them, lose what was not
 * yet synced, and make each of them fail.
 */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Disk {
  /** Makes the folder and those above it; an existing one is no error. */
  makeFolder(path: string): Promise<void>;
  /** The file's content is on the disk when this ends, its name perhaps not. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Names made, changed and removed in the folder are on the disk when this ends. */
  syncFolder(path: string): Promise<void>;
  /** A file that is not there is no error. */
  remove(path: string): Promise<void>;
}

export const TEMPORARY = '.tmp';

export const DISK: Disk = {
  async makeFolder(path) {
    await mkdir(path, { recursive: true });
  },
  async write(path, bytes) {
    const file = await open(path, 'w');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  rename,
  async syncFolder(path) {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
  remove: (path) => rm(path, { force: true }),
};

let written = 0;

/**
 * Writes a file that has its name only when it is whole; the name lasts once its folder is synced. Of several that write
 * it at the same time, commands beside each other among them, the last one's file stays.
 */
export async function writeWhole(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.${++written}${TEMPORARY}`;
  try {
    await disk.write(temporary, bytes);
    await disk.rename(temporary, path);
  } catch (error) {
    await disk.remove(temporary).catch(() => undefined);
    throw error;
  }
}

/** Moves a file to another folder, for good. */
export async function moveFile(disk: Disk, from: string, to: string): Promise<void> {
  await disk.makeFolder(dirname(to));
  await disk.rename(from, to);
  await disk.syncFolder(dirname(to));
  await disk.syncFolder(dirname(from));
}
