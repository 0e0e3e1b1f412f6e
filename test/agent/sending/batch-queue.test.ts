import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test, type TestContext } from 'node:test';
import { openQueue, type Batch, type BatchQueue } from '../../../src/agent/sending/batch-queue.ts';
import { DISK } from '../../../src/storage/index.ts';
import { measured } from '../../support/measured.ts';
import { plainScript } from '../../support/servers/plain-script.ts';

const WRITER = fileURLToPath(new URL('../../support/stores/queue-writer.ts', import.meta.url));
const KILLS = Number(process.env['RUNS'] ?? 6);
const home = mkdtempSync(join(tmpdir(), 'prorata-queue-'));
after(() => rmSync(home, { recursive: true, force: true }));
const { signal } = new AbortController();

let folders = 0;
function newFolder(): string {
  return join(home, `queue-${++folders}`);
}

interface Opened {
  readonly queue: BatchQueue;
  readonly told: string[];
}

async function open(folder: string | undefined, limitBytes: number = 2 ** 20): Promise<Opened> {
  const told: string[] = [];
  const tell = (_: object, message: string): void => void told.push(message);
  const log = { info: tell, warn: tell };
  return { queue: await openQueue({ folder, limitBytes, log }, signal), told };
}

async function allOf(queue: BatchQueue): Promise<Batch[]> {
  const batches: Batch[] = [];
  for (;;) {
    const batch = await queue.first();
    if (batch === undefined) return batches;
    batches.push(batch);
    await queue.remove(batch);
  }
}

describe('a buffer', () => {
  test('has all batches again after it was closed, in order, and none that was removed', async () => {
    const folder = newFolder();
    const one = await open(folder);
    for (let i = 1; i <= 12; i++) await one.queue.append(Buffer.alloc(i, String(i)), i);
    const first = await one.queue.first();
    assert.equal(first?.samples, 1);
    if (first) await one.queue.remove(first);
    await one.queue.close();
    const other = await open(folder);
    await other.queue.append(Buffer.from('13'), 13);
    const batches = await allOf(other.queue);
    assert.deepEqual(
      batches.map(({ samples }) => samples),
      [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    );
    assert.ok(batches[10]?.body.equals(Buffer.alloc(12, '12')));
    await other.queue.close();
    assert.deepEqual(readdirSync(folder), []);
  });

  for (const isOnDisk of [true, false]) {
    test(`${isOnDisk ? 'on disk' : 'in memory'} drops the oldest beyond its limit, but not what is being sent`, async () => {
      const { queue, told } = await open(isOnDisk ? newFolder() : undefined, 40_000);
      await queue.append(Buffer.alloc(8000), 1);
      const sending = await queue.first();
      for (let i = 2; i <= 10; i++) await queue.append(Buffer.alloc(8000), i);
      assert.ok(queue.figures().bytes <= 40_000);
      assert.equal(sending?.samples, 1);
      const left = (await allOf(queue)).map(({ samples }) => samples);
      assert.equal(left[0], 1);
      assert.deepEqual(left.slice(1), [7, 8, 9, 10].slice(-left.length + 1));
      const kept = left.reduce((sum, samples) => sum + samples, 0);
      assert.equal(queue.figures().droppedSamples, 55 - kept);
      await queue.append(Buffer.alloc(10), 1);
      assert.match(told.join('\n'), /^the buffer is full: .*\nthe buffer has room again/);
      await queue.close();
    });
  }

  test('tells of a damaged batch, and goes on with the next', async () => {
    const folder = newFolder();
    const one = await open(folder);
    for (let i = 1; i <= 4; i++) await one.queue.append(Buffer.alloc(100, String(i)), i);
    await one.queue.close();
    const [first = '', second = '', third = ''] = readdirSync(folder).toSorted();
    writeFileSync(join(folder, first), '');
    writeFileSync(join(folder, second), 'PRB1 is not the batch that was written here');
    rmSync(join(folder, third));
    writeFileSync(join(folder, '000000000009-5.batch.123.1.tmp'), 'half');
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    writeFileSync(join(folder, third), '');
    const other = await open(folder);
    assert.deepEqual(
      (await allOf(other.queue)).map(({ samples }) => samples),
      [4],
    );
    assert.equal(other.told.filter((line) => line.includes('it is damaged')).length, 3);
    assert.equal(other.queue.figures().droppedSamples, 6);
    await other.queue.close();
    assert.deepEqual(readdirSync(folder), ['notes.txt']);
  });

  test('a buffer that cannot be written to is in memory, and told once', async () => {
    const folder = newFolder();
    const { queue, told } = await open(folder);
    rmSync(folder, { recursive: true });
    for (let i = 1; i <= 3; i++) await queue.append(Buffer.from(String(i)), i);
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /cannot write to the buffer, batches are in memory: ENOENT/);
    assert.equal((await allOf(queue)).length, 3);
    await queue.close();
  });
});

/** Files cannot be written while it is full. @returns switches it */
function fillingDisk(t: TestContext): (isFull: boolean) => void {
  let isFull = false;
  const real = DISK.write.bind(DISK);
  t.mock.method(DISK, 'write', async (path: string, bytes: Uint8Array) => {
    if (!isFull) return await real(path, bytes);
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
  return (full) => {
    isFull = full;
  };
}

describe('a buffer on a disk that is full for a while', () => {
  test('writes what stayed in memory once there is room, and has it after a restart', async (t) => {
    const fill = fillingDisk(t);
    const folder = newFolder();
    const { queue, told } = await open(folder);
    await queue.append(Buffer.from('1'), 1);
    fill(true);
    for (let i = 2; i <= 4; i++) await queue.append(Buffer.from(String(i)), i);
    assert.equal(batchesIn(folder).length, 1);
    fill(false);
    await queue.append(Buffer.from('5'), 5);
    assert.equal(batchesIn(folder).length, 5);
    assert.deepEqual(told.map((line) => line.split(',')[0]), ['cannot write to the buffer', 'the buffer takes batches again']);
    await queue.close();
    const other = await open(folder);
    const batches = await allOf(other.queue);
    assert.deepEqual(batches.map(({ body }) => String(body)), ['1', '2', '3', '4', '5']);
    await other.queue.close();
    assert.deepEqual(batchesIn(folder), []);
  });

  test('keeps in memory what it refuses again, and leaves no file of what was sent meanwhile', async (t) => {
    const folder = newFolder();
    const { queue } = await open(folder);
    const real = DISK.write.bind(DISK);
    let writes = 0;
    t.mock.method(DISK, 'write', async (path: string, bytes: Uint8Array) => {
      writes++;
      if (writes <= 2 || writes === 5) throw new Error('ENOSPC');
      // The first is sent while it is written at last.
      if (writes === 4) await allOf(queue).then((all) => assert.equal(all.length, 3));
      await real(path, bytes);
    });
    for (let i = 1; i <= 3; i++) await queue.append(Buffer.from(String(i)), i);
    assert.deepEqual(batchesIn(folder), []);
    await queue.append(Buffer.from('4'), 4);
    await queue.append(Buffer.from('5'), 5);
    assert.deepEqual(batchesIn(folder), [4, 5]);
    await queue.close();
  });
}); // prettier-ignore

/** Numbers of the batches that have a file. */
function batchesIn(folder: string): number[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.batch'));
  return names.map((name) => Number.parseInt(name, 10)).toSorted((a, b) => a - b);
}

describe('a buffer whose process is killed', () => {
  let script = '';
  before(async () => {
    script = await plainScript(WRITER, home);
  });

  test(`P-C13: all that was stored is there after ${KILLS} kills, and nothing that was removed`, async (t) => {
    const folder = newFolder();
    let next = 1;
    /** By what was told last. */
    const held = new Set<number>();
    for (let kill = 0; kill < KILLS; kill++) {
      const { steps, unsure } = await killed(folder, next, 3 + ((kill * 7) % 40));
      for (const [verb, number] of steps) {
        if (verb === 'stored') held.add(number);
        if (verb === 'removed') held.delete(number);
        next = Math.max(next, number + 1);
      }
      const { queue, told } = await open(folder);
      assert.deepEqual(told, []);
      const batches = await allOf(queue);
      const found = batches.map(({ samples }) => samples);
      await queue.close();
      assert.deepEqual(
        found,
        found.toSorted((one, other) => one - other),
      );
      const certain = [...held].filter((number) => number !== unsure);
      assert.deepEqual(
        found.filter((number) => number !== unsure),
        certain,
      );
      for (const { samples, body } of batches) {
        assert.ok(body.equals(Buffer.alloc(1 + ((samples * 7919) % 20_000), String(samples))));
      }
      held.clear();
    }
    measured(t, 'P-C13', `${KILLS} kills, ${next - 1} batches`);
  });

  /** @returns what it told, and the batch that it was storing or removing */
  async function killed(
    folder: string,
    first: number,
    lines: number,
  ): Promise<{ steps: [string, number][]; unsure: number }> {
    const child = spawn(process.execPath, [script, folder, String(first)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const steps: [string, number][] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const [verb = '', number = ''] = line.split(' ');
      steps.push([verb, Number(number)]);
      if (steps.length === lines) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    const [verb, unsure] = steps.at(-1) ?? ['', NaN];
    return { steps, unsure: verb.endsWith('ing') ? unsure : NaN };
  }
});
