/**
 * Where the files of a run of tests lie: in memory where there is room, as tests sync to their disk again and
 * again, and nothing of theirs is to last. What a cut of power leaves is worked out from a log of the disk.
 */
import { chmodSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY_DISK = '/dev/shm';
/** Several times what tests have there at once. */
const DISK_BYTES_MIN = 4 * 2 ** 30;
/** Servers under test need theirs beside it. */
const FREE_BYTES_MIN = 8 * 2 ** 30;

/** Whoever runs a server of a test uses it, as /tmp: some run as another user. */
const FOR_ALL = 0o1777;

/** A folder of the run's own, which it removes. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(quickPlace(), 'prorata-tests-'));
  chmodSync(folder, FOR_ALL);
  return folder;
}

/** Where temporary files are synced quickly; within a run of all tests, the folder of the run. */
export function quickPlace(): string {
  const place = tmpdir();
  return !place.startsWith(MEMORY_DISK) && hasRoom() ? MEMORY_DISK : place;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DISK);
    const isRoomy = bavail * bsize >= DISK_BYTES_MIN && freemem() >= FREE_BYTES_MIN;
    return isRoomy && runsPrograms(MEMORY_DISK, readFileSync('/proc/mounts', 'utf8'));
  } catch {
    return false;
  }
}

/**
 * Tests run what they lay out; containers often have the place without that right.
 * @param mounts as /proc/mounts tells them
 */
export function runsPrograms(place: string, mounts: string): boolean {
  const lines = mounts.split('\n').map((line) => line.split(' '));
  const options = lines.findLast(([, mounted]) => mounted === place)?.[3]?.split(',') ?? [];
  return options.includes('rw') && !options.includes('noexec');
}
