/**
 * The number of the newest generation that was committed, in a document of its own beside the
 * manifests: that a manifest is gone is seen by it. It is written once a generation is on the disk for
 * good, so that after a crash it may be behind, and never ahead. A copy of the folder, made while sets
 * are written, may have a newer one than manifests: there it counts for nothing.
 */
import { stat } from 'node:fs/promises';
import { DISK, type Disk } from '../disk.ts';
import { StoredDocument } from './document.ts';

interface Newest {
  readonly generation: number;
  /** The inode of the folder. */
  readonly inode: number;
}

/** `none`: it was never written, or is damaged; `other`: it is that of the folder this is a copy of. */
export type Recorded = number | 'none' | 'other';

function documentOf(folder: string, disk: Disk): StoredDocument {
  return new StoredDocument({ folder, name: 'newest', disk });
}

/** @throws {Unavailable} when the disk does not answer, or a later version wrote it */
export async function readNewest(folder: string): Promise<Recorded> {
  const found = await documentOf(folder, DISK).read();
  if (found === undefined || 'damage' in found) return 'none';
  const { generation, inode } = JSON.parse(found.text) as Newest;
  return inode === (await stat(folder)).ino ? generation : 'other';
}

/** @throws {Unavailable} and the one before counts */
export async function writeNewest(folder: string, disk: Disk, generation: number): Promise<void> {
  const newest: Newest = { generation, inode: (await stat(folder)).ino };
  await documentOf(folder, disk).write(JSON.stringify(newest));
}
