/** Parts of indices that are kept, and how much is asked for at once. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderSource } from '../../src/blocks/places/folder-source.ts';
import type { RangeSource } from '../../src/blocks/places/range-source.ts';
import type { TimeRange } from '../../src/metrics/index.ts';
import { DamagedBlock } from '../../src/tsdb/index.ts';
import { quickFolder } from '../support/quick-folder.ts';
import type { PlainSeries } from '../support/stores/block-samples.ts';
import { opened, readAll } from '../support/stores/opened-blocks.ts';
import { storeBlock } from '../support/stores/stored-blocks.ts';

const START_MS = Date.UTC(2024, 2, 10);
const BLOCK: TimeRange = { startMs: START_MS, endMs: START_MS + 7_200_000 };
const UP = { metrics: ['up'] };
const PODS = 3000;
const home = quickFolder('index-windows');

async function storedFolder(pods: number): Promise<string> {
  const folder = mkdtempSync(join(home, 'blocks-'));
  const series = Array.from({ length: pods }, (_, i): PlainSeries => ({
    labels: { __name__: 'up', pod: `pod-${i}` },
    samples: [
      [START_MS, i],
      [START_MS + 60_000, i],
    ],
  }));
  await storeBlock(folder, { ...BLOCK, series });
  return folder;
}

test('reads side by side, and later ones, share what they read of an index', async () => {
  const blocks = opened(folderSource(await storedFolder(20)), { portionSeries: 4096 });
  const found = await Promise.all([1, 2, 3].map(() => readAll(blocks, UP, BLOCK)));
  assert.deepEqual(
    found.map(({ size }) => size),
    [20, 20, 20],
  );
  const ofIndex = (): number => blocks.reads.filter(([key]) => key.endsWith('/index')).length;
  const before = ofIndex();
  const again = await readAll(blocks, UP, { ...BLOCK, endMs: START_MS + 1000 });
  assert.equal(again.size, 20);
  assert.equal(ofIndex(), before);
});

test('short series are fetched many at once', async () => {
  const blocks = opened(folderSource(await storedFolder(PODS)), { portionSeries: 4096 });
  assert.equal((await readAll(blocks, UP, BLOCK)).size, PODS);
  const chunks = blocks.reads.filter(([key]) => key.includes('/chunks/'));
  assert.ok(chunks.length <= 2, `${chunks.length} requests for ${PODS} chunks side by side`);
});

test('a part of an index that came damaged is read again by the next read', async () => {
  const source = folderSource(await storedFolder(20));
  let isBroken = false;
  const broken: RangeSource = {
    ...source,
    async read(file, at, bytes, signal) {
      const read = await source.read(file, at, bytes, signal);
      if (isBroken && read !== undefined && file.key.endsWith('/index'))
        read[30] = (read[30] ?? 0) ^ 255;
      return read;
    },
  };
  const blocks = opened(broken);
  // The header is whole.
  assert.equal((await readAll(blocks, { metrics: ['none'] }, BLOCK)).size, 0);
  isBroken = true;
  await assert.rejects(readAll(blocks, UP, BLOCK), DamagedBlock);
  isBroken = false;
  assert.equal((await readAll(blocks, UP, BLOCK)).size, 20);
});

test('who leaves while a part is read does not take it from others', async () => {
  const source = folderSource(await storedFolder(20));
  let wait: Promise<void> = Promise.resolve();
  const slow: RangeSource = {
    ...source,
    async read(file, at, bytes, signal) {
      await wait;
      signal.throwIfAborted();
      return await source.read(file, at, bytes, signal);
    },
  };
  const { headers, windows } = opened(slow);
  const { signal } = new AbortController();
  const { files } = await source.list('', () => true, signal);
  const ulid = files[0]?.key.split('/')[0] ?? '';
  const header = await headers.open(ulid, signal);
  let go = (): void => undefined;
  wait = new Promise((resolve) => (go = resolve));
  const leaving = new AbortController();
  const part = { from: 0, to: 100 };
  const first = windows.read(header, part, leaving.signal);
  const second = windows.read(header, part, signal);
  leaving.abort();
  go();
  assert.equal((await second).length, 100);
  assert.equal(await first, await second);
});
