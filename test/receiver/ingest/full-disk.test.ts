/** A disk that refuses a write or a sync at any point of a commit: nothing is acknowledged, nothing changes, and the next attempt succeeds. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { snappy } from '../../../src/metrics/index.ts';
import { ReceiverStore, type StoreOptions } from '../../../src/receiver/ingest/receiver-store.ts';
import { measured } from '../../support/measured.ts';
import { quickFolder } from '../../support/quick-folder.ts';
import { readBatches } from '../../support/references/read-batches.ts';
import { writeBody } from '../../support/stores/write-bodies.ts';
import { bitsOf } from '../../support/stores/xor-encoder.ts';

const home = quickFolder('full-disk');
const HOUR_MS = 3_600_000;
const NOW_MS = 1_790_000_000_000;
const limits = {
  outOfOrderMs: 6 * HOUR_MS,
  retentionMs: 1e12,
  maxSeries: 9,
  maxSamplesPerSecond: 1e9,
};

function optionsOf(name: string): StoreOptions {
  return { folder: join(home, name), ...limits };
}

function bodyAt(timeMs: number): Uint8Array {
  const samples = [{ timeMs, valueBits: bitsOf(timeMs) }];
  const series = ['a', 'b'].map((pod) => ({
    labels: [['__name__', 'up'] as const, ['pod', pod] as const],
    samples,
  }));
  return snappy(writeBody(series));
}

function write(store: ReceiverStore, timeMs: number): string {
  return store.write([{ body: bodyAt(timeMs), version: '1.0' }], NOW_MS)[0]?.kind ?? '';
}

async function times(store: ReceiverStore): Promise<number[][]> {
  const read = store.read({ metrics: ['up'] }, { startMs: 0, endMs: 2 ** 50 });
  return [...(await readBatches(read)).values()].map(({ timestampsMs }) => timestampsMs);
}

/** Calls from the n-th on fail; a write leaves half of its bytes. @returns whether one did */
function failing(t: TestContext, call: 'writeSync' | 'fsyncSync', from: number): () => boolean {
  const calls = { count: 0 };
  const real = fs[call] as (...args: unknown[]) => unknown;
  const refuse = (code: string): never => {
    throw Object.assign(new Error(`${code}: planted`), { code });
  };
  const mocked = t.mock.method(fs, call, (...args: unknown[]) => {
    calls.count++;
    if (calls.count < from) return real(...args);
    if (call === 'fsyncSync') return refuse('EIO');
    const [file, bytes, offset, length, position] = args as [
      number,
      Uint8Array,
      number,
      number,
      number,
    ];
    real(file, bytes, offset, length >> 1, position);
    return refuse('ENOSPC');
  });
  return () => {
    mocked.mock.restore();
    return calls.count >= from;
  };
}

const CASES: readonly (readonly [
  call: 'writeSync' | 'fsyncSync',
  where: string,
  stepMs: number,
])[] = [
  ['writeSync', 'a window that is there', 1000],
  ['fsyncSync', 'a window that is there', 1000],
  ['writeSync', 'a window that begins', -2 * HOUR_MS],
  ['fsyncSync', 'a window that begins', -2 * HOUR_MS],
];

for (const [call, where, stepMs] of CASES)
  test(`P-C3: ${call} that fails at any point, in ${where}, changes nothing`, async (t) => {
    let failures = 0;
    for (let from = 1; ; from++) {
      const options = optionsOf(`${call}-${stepMs}-${from}`);
      const store = await ReceiverStore.open(options, NOW_MS);
      assert.equal(write(store, NOW_MS), 'stored');
      const restore = failing(t, call, from);
      const kind = write(store, NOW_MS + stepMs);
      const hasFailed = restore();
      if (!hasFailed) {
        assert.equal(kind, 'stored');
        store.close();
        break;
      }
      failures++;
      assert.equal(kind, 'unavailable');
      assert.match(store.figures.failing ?? '', /cannot store|full/);
      assert.deepEqual(await times(store), [[NOW_MS], [NOW_MS]]);
      const all = [NOW_MS, NOW_MS + stepMs].toSorted((a, b) => a - b);
      assert.equal(write(store, NOW_MS + stepMs), 'stored');
      assert.deepEqual(await times(store), [all, all]);
      store.close();
      const again = await ReceiverStore.open(options, NOW_MS);
      assert.deepEqual(await times(again), [all, all]);
      again.close();
    }
    assert.ok(failures > 0);
    measured(t, 'P-C3', `${failures} places where ${call} of a commit to ${where} fails`);
  });

test('a block that cannot be written leaves its window in the log, and is cut later', async () => {
  const store = await ReceiverStore.open(optionsOf('cut'), NOW_MS);
  write(store, NOW_MS);
  const laterMs = NOW_MS + 24 * HOUR_MS;
  const blocks = join(home, 'cut', 'blocks');
  fs.renameSync(blocks, `${blocks}-away`);
  fs.writeFileSync(blocks, 'no folder');
  await assert.rejects(store.maintain(laterMs), /cannot write block/);
  assert.deepEqual(await times(store), [[NOW_MS], [NOW_MS]]);
  assert.equal(store.figures.blocks, 0);
  fs.rmSync(blocks);
  fs.renameSync(`${blocks}-away`, blocks);
  await store.maintain(laterMs);
  assert.deepEqual([store.figures.blocks, store.figures.logBytes], [1, 0]);
  assert.deepEqual(await times(store), [[NOW_MS], [NOW_MS]]);
  store.close();
});
