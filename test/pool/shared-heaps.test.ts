/** Tasks of two workers whose heaps have one budget. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeapFull } from '../../src/columnar/index.ts';
import { createPool, type Pool } from '../../src/pool/index.ts';
import { LET_GO, STARTED, type PoolTasks } from '../support/servers/pool-tasks.ts';

const MIB = 2 ** 20;
/** Fits the budget once, not twice. */
const MOST_MIB = 100;
const { signal } = new AbortController();

const flags = new Int32Array(new SharedArrayBuffer(12));
const errors: string[] = [];
let pool: Pool<PoolTasks>;

before(async () => {
  pool = await createPool<PoolTasks>({
    entry: new URL('../support/servers/pool-entry.js', import.meta.url),
    threads: 2,
    heapBytes: 150 * MIB,
    // Enough for the compiler of TypeScript too.
    ownBytes: 40 * MIB,
    workerData: { flags },
    onError: ({ message }) => void errors.push(message),
  });
});
after(() => pool.close());

async function untilStarted(count: number): Promise<void> {
  while (Atomics.load(flags, STARTED) < count) await sleep(5);
}

function letGo(): void {
  Atomics.store(flags, LET_GO, 1);
  Atomics.notify(flags, LET_GO);
}

const WITHIN = { timeout: 60_000 };

test('heap that one task holds is refused to another until it ends', WITHIN, async () => {
  const first = pool.run('keep', MOST_MIB, signal);
  await untilStarted(1);
  await assert.rejects(pool.run('keep', MOST_MIB, signal), (error: unknown) => {
    assert.ok(error instanceof HeapFull, String(error));
    assert.equal(error.isForOthers, true);
    return true;
  });
  letGo();
  await first;
  for (let i = 0; i < 4; i++) assert.equal(await pool.run('keep', MOST_MIB, signal), null);
});

test('heap of a task is free again when its worker dies', WITHIN, async () => {
  await assert.rejects(pool.run('keep', -MOST_MIB, signal), /a worker stopped/);
  assert.equal(errors.length, 1);
  Atomics.store(flags, LET_GO, 0);
  const started = Atomics.load(flags, STARTED);
  const first = pool.run('keep', MOST_MIB, signal);
  await untilStarted(started + 1);
  letGo();
  assert.equal(await first, null);
});

test('a task that needs more than the whole budget does not wait for others', WITHIN, async () => {
  await assert.rejects(pool.run('keep', 4 * MOST_MIB, signal), (error: unknown) => {
    assert.ok(error instanceof HeapFull, String(error));
    assert.equal(error.isForOthers, false);
    return true;
  });
});
