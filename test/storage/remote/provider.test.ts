/** Wishes of workers for sets elsewhere, and the cache of what comes. */
import assert from 'node:assert/strict';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Unavailable } from '../../../src/query/index.ts';
import { DamagedSet, SetReader, type StoredSet } from '../../../src/storage/index.ts';
import { openCacheFolder } from '../../../src/storage/remote/cache-folder.ts';
import { provide, type RemoteSets } from '../../../src/storage/remote/provider.ts';
import { readerThreads } from '../../support/stores/reader-threads.ts';
import { dayKey, encoded, newArena } from '../../support/stores/stored-sets.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-wishes-'));
const threads = readerThreads();
after(async () => {
  await threads.stop();
  rmSync(home, { recursive: true, force: true });
});
const arena = newArena(4 << 20);
const set = await encoded(dayKey(0), { cpuCost: [1, 2, 3] });
const path = join(home, 'set.arrow');
const stored: StoredSet = {
  key: dayKey(0),
  place: { remote: 'a', name: 'set' },
  directory: set.directory,
};
const local = { path, directory: set.directory };

test('a wish is granted once for all who wish the same at one time, with what they wish for', async () => {
  writeFileSync(path, set.bytes);
  const asked: unknown[] = [];
  const remote: RemoteSets = {
    async bring(wished, columns) {
      asked.push([wished, columns]);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return local;
    },
  };
  const provider = provide('a', remote, threads.fromWorkers);
  await Promise.all([
    threads.read(arena, stored, 1, ['cpuCost']),
    provider.bring(stored, ['cpuCost']),
    provider.bring(stored, ['cpuCost']),
  ]);
  assert.ok(asked.length <= 2, `${asked.length} wishes`);
  assert.deepEqual(asked[0], [stored, ['cpuCost']]);
  provider.close();
});

const FAILURES: readonly (readonly [name: string, error: Error, message: RegExp])[] = [
  ['Unavailable', new Unavailable('the store is away'), /^the store is away$/],
  ['DamagedSet', new DamagedSet(dayKey(0), 'half of it'), /^the stored allocations of .* are damaged: half of it$/],
  ['Unavailable', new RangeError('a fault'), /^a fault$/],
  ['Unavailable', new Unavailable('x'.repeat(20_000)), /its answer is too long$/],
]; // prettier-ignore
for (const [name, error, message] of FAILURES)
  test(`a wish that fails by ${error.name} fails on the thread: ${String(message)}`, async () => {
    const provider = provide('a', { bring: () => Promise.reject(error) }, threads.fromWorkers);
    await assert.rejects(threads.read(arena, stored, 1), (failed: Error) => {
      assert.match(failed.message, message);
      assert.match(failed.name, name === 'DamagedSet' ? /^DamagedSet$/ : /Unavailable|Error/);
      return true;
    });
    provider.close();
  });

test('a file that is gone before it is opened is asked for again, on every thread', async () => {
  let asked = 0;
  const bring = (): Promise<typeof local> => {
    if (++asked === 3) writeFileSync(path, set.bytes);
    return Promise.resolve(local);
  };
  rmSync(path, { force: true });
  const provider = provide('a', { bring }, threads.fromWorkers);
  const own = (): Promise<unknown> =>
    provider.read(new SetReader(arena), stored, 2, ['cpuCost']).finally(() => arena.release(2));
  for (const read of [() => threads.read(arena, stored, 1), own]) {
    asked = 0;
    await read();
    assert.equal(asked, 3);
    rmSync(path);
    asked = 10;
    await assert.rejects(read(), { message: /the cache is too small$/ });
  }
  provider.close();
});

test('what is under way when the store closes is refused', async () => {
  const remote: RemoteSets = {
    bring: (_, __, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('aborted'))),
      ),
  };
  const provider = provide('a', remote, threads.fromWorkers);
  const read = threads.read(arena, stored, 1);
  const wished = provider.bring(stored, undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
  provider.close();
  await assert.rejects(wished, { message: /the server stops$/ });
  await assert.rejects(read, { message: /the server stops$/ });
});

test('a set elsewhere is not read by the main thread, which would wait for itself', () => {
  assert.throws(() => new SetReader(arena).read(stored, 1), /^Error: BUG: .* on the main thread$/);
});

test('a cache stays within its budget, keeps what is filled, and leaves nothing', async () => {
  const folder = join(home, 'cache');
  const cache = await openCacheFolder(folder, 100);
  const gone: string[] = [];
  cache.onGone((name) => gone.push(name));
  const fill = (name: string, bytes: number): Promise<void> =>
    cache.fill(name, () => {
      writeFileSync(cache.path(name), Buffer.alloc(bytes));
      return Promise.resolve(bytes);
    });
  await fill('a', 40);
  await fill('b', 40);
  await cache.fill('a', async () => {
    // It is not taken while it is filled, though nothing else is older.
    await fill('c', 90);
    return 45;
  });
  assert.deepEqual(gone, ['b', 'c']);
  assert.deepEqual(cache.state, { files: 1, bytes: 45 });
  // Another process, or another store of this one, has a folder of its own.
  const other = await openCacheFolder(folder, 100);
  assert.notEqual(other.folder, folder);
  await other.close();
  assert.equal(existsSync(other.folder), false);
  await fill('d', 500);
  assert.deepEqual(cache.state, { files: 1, bytes: 500 }, 'the newest stays, however large it is');
  await cache.close();
  assert.deepEqual(readdirSync(folder), []);
  writeFileSync(join(folder, 'left'), 'by a process that was killed');
  await (await openCacheFolder(folder, 100)).close();
  assert.deepEqual(readdirSync(folder), []);
});

test('a file that is filled anew as it goes is another: readers of the old one read on, the new one stays', async () => {
  const cache = await openCacheFolder(join(home, 'refilled'), 100);
  const fill = (text: string): Promise<void> =>
    cache.fill('a', () => {
      writeFileSync(cache.path('a'), text);
      return Promise.resolve(text.length);
    });
  await fill('old');
  const reader = openSync(cache.path('a'), 'r');
  // One call has it go, as when another file takes its place, and another fills it meanwhile.
  await Promise.all([cache.drop('a'), fill('newer')]);
  assert.equal(readFileSync(reader, 'utf8'), 'old');
  assert.equal(readFileSync(cache.path('a'), 'utf8'), 'newer');
  assert.deepEqual(cache.state, { files: 1, bytes: 5 });
  closeSync(reader);
  await cache.close();
});
