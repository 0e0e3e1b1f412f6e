/** Logs of the newest records: never more than twice as many, none lost, whatever cuts in. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { BoundedLog, type Disk } from '../../src/storage/index.ts';
import { Unavailable } from '../../src/query/index.ts';
import {
  afterPowerCut,
  failingDisk,
  layContents,
  QUICK_DISK,
  recordingDisk,
} from '../support/stores/crash-disk.ts';

const LIMIT = 4;
const home = mkdtempSync(join(tmpdir(), 'prorata-log-'));
after(() => rmSync(home, { recursive: true, force: true }));
const newFolder = (): string => mkdtempSync(join(home, 'f-'));

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
const numbersIn = (log: BoundedLog): number[] =>
  (log.newest as readonly { n: number }[]).map(({ n }) => n);
const linesIn = (folder: string): string[] =>
  readFileSync(join(folder, 'log'), 'utf8').split('\n').slice(0, -1);

async function kept(folder: string): Promise<number[]> {
  const log = await BoundedLog.open(join(folder, 'log'), LIMIT);
  await log.close();
  return numbersIn(log);
}

async function filled(folder: string, count: number, disk: Disk = QUICK_DISK): Promise<BoundedLog> {
  const log = await BoundedLog.open(join(folder, 'log'), LIMIT, disk);
  for (const n of range(1, count)) await log.append({ n });
  return log;
}

test('the newest records stay after any number, and at most twice as many in the file', async () => {
  const counts = fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(counts, async (runs) => {
      const folder = newFolder();
      let last = 0;
      for (const count of runs) {
        const log = await BoundedLog.open(join(folder, 'log'), LIMIT);
        assert.deepEqual(numbersIn(log), range(Math.max(1, last - LIMIT + 1), last));
        // Asked for at once, they are written in order.
        await Promise.all(range(last + 1, last + count).map((n) => log.append({ n })));
        last += count;
        assert.ok(linesIn(folder).length <= 2 * LIMIT, `${linesIn(folder).length} lines`);
        await log.close();
      }
      assert.deepEqual(await kept(folder), range(Math.max(1, last - LIMIT + 1), last));
    }),
    { numRuns: 50 },
  );
});

test('a file that was never cut is cut by the first record', async () => {
  const folder = newFolder();
  const lines = range(1, 100).map((n) => `${JSON.stringify({ n })}\n`);
  writeFileSync(join(folder, 'log'), `${lines.join('')}{"n":`);
  const log = await BoundedLog.open(join(folder, 'log'), LIMIT);
  assert.deepEqual(numbersIn(log), range(97, 100));
  await log.append({ n: 101 });
  await log.close();
  assert.deepEqual(
    linesIn(folder),
    range(97, 101).map((n) => JSON.stringify({ n })),
  );
});

test('P-C1: a power cut at any moment of the cut leaves the newest records, and the next is added', async () => {
  const folder = newFolder();
  const disk = recordingDisk(folder);
  const log = await filled(folder, 2 * LIMIT, disk);
  const before = newFolder();
  cpSync(folder, before, { recursive: true });
  await log.append({ n: 2 * LIMIT + 1 });
  await log.close();
  assert.deepEqual(
    disk.log.map(({ does }) => does),
    ['write', 'rename', 'sync'],
  );
  for (const at of range(0, disk.log.length)) {
    for (const seed of range(0, 15)) {
      const left = newFolder();
      let turn = seed;
      const chance = (): boolean => (turn = (turn >> 1) | ((turn & 1) << 3)) >> 3 === 1;
      layContents(left, afterPowerCut(disk.log, at, chance, before));
      assert.deepEqual(await kept(left), range(LIMIT + 1, 2 * LIMIT), `${at} ${seed}`);
      const again = await BoundedLog.open(join(left, 'log'), LIMIT);
      await again.append({ n: 2 * LIMIT + 1 });
      await again.close();
      assert.deepEqual(await kept(left), range(LIMIT + 2, 2 * LIMIT + 1), `${at} ${seed}`);
    }
  }
});

test('P-C3: a disk that fails at any operation loses no stored record', async () => {
  for (const at of range(0, 3)) {
    const folder = newFolder();
    const disk = failingDisk(at, 'ENOSPC');
    const log = await BoundedLog.open(join(folder, 'log'), LIMIT, disk);
    const held: number[] = [];
    for (const n of range(1, 30)) {
      await log.append({ n }).then(
        () => held.push(n),
        (error: unknown) => assert.ok(error instanceof Unavailable, String(error)),
      );
    }
    await log.close();
    assert.equal(held.length, 29, `${at}`);
    assert.deepEqual(await kept(folder), held.slice(-LIMIT));
  }
});

describe('a process that is killed', () => {
  const WRITER = fileURLToPath(new URL('../support/stores/log-writer.ts', import.meta.url));
  test('P-C1: has stored all that it reported, in order', async () => {
    const folder = newFolder();
    for (const ms of [0, 7, 40]) {
      const args = ['--import', 'tsx', WRITER, join(folder, 'log'), String(LIMIT)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      let told = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
      await once(child.stdout, 'data');
      await sleep(ms);
      child.kill('SIGKILL');
      await once(child, 'close');
      const last = Number(told.slice(0, told.lastIndexOf('\n')).split('\n').at(-1));
      const found = await kept(folder);
      const end = found.at(-1) ?? 0;
      // One more may have been kept than was told.
      assert.ok(end === last || end === last + 1, `${end} after ${last}`);
      assert.deepEqual(found, range(Math.max(1, end - LIMIT + 1), end));
    }
  });
});
