/** Where the files of a run of tests lie. */
import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { runsPrograms, temporaryFolder } from '../../scripts/temporary-folder.ts';

test('each run has an empty folder of its own', () => {
  const folders = [temporaryFolder(), temporaryFolder()];
  assert.equal(new Set(folders).size, 2);
  for (const folder of folders) {
    assert.deepEqual(readdirSync(folder), []);
    rmSync(folder, { recursive: true });
  }
});

test('a disk of memory is taken where programs may be run from it', () => {
  const root = 'overlay / overlay rw,relatime 0 0';
  const rows: readonly (readonly [mounts: string, isTaken: boolean])[] = [
    [`${root}\ntmpfs /dev/shm tmpfs rw,relatime,size=24683656k 0 0\n`, true],
    [`${root}\nshm /dev/shm tmpfs rw,nosuid,nodev,noexec,size=65536k 0 0\n`, false],
    [`${root}\ntmpfs /dev/shm tmpfs ro,relatime 0 0\n`, false],
    // The last mount hides those before it.
    [`tmpfs /dev/shm tmpfs rw 0 0\ntmpfs /dev/shm tmpfs rw,noexec 0 0\n`, false],
    [`${root}\n`, false],
  ];
  for (const [mounts, isTaken] of rows)
    assert.equal(runsPrograms('/dev/shm', mounts), isTaken, mounts);
});
