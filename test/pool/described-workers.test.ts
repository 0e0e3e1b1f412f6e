/**
 * `pinWorkerInterface` on the pinned version of Piscina, which would make a new object of accessors of
 * a worker for each task. These tests fail when an upgrade changes how it does that.
 */
import assert from 'node:assert/strict';
import { after, before, test, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { createPool, type Pool } from '../../src/pool/index.ts';
import { ENDED, LET_GO, STARTED, type PoolTasks } from '../support/servers/pool-tasks.ts';

// In a process of its own: it counts the workers of all pools.
interface Described {
  readonly id: number;
  readonly currentUsage: number;
  readonly isRunningAbortableTask: boolean;
}

const THREADS = 2;
const GOES_ON = new AbortController().signal;

const flags = new Int32Array(new SharedArrayBuffer(12));
const emitted = mock.method(Piscina.prototype, 'emit').mock;
let pool: Pool<PoolTasks>;

before(async () => {
  pool = await createPool<PoolTasks>({
    entry: new URL('../support/servers/pool-entry.js', import.meta.url),
    threads: THREADS,
    heapBytes: 64 * 2 ** 20,
    ownBytes: 16 * 2 ** 20,
    workerData: { flags },
    onError: () => undefined,
  });
  // All workers are there before anything is counted.
  await runAtOnce(THREADS);
});
after(() => pool.close());

/** Described workers, in the order of their events. */
function descriptions(event: 'workerCreate' | 'workerDestroy'): Described[] {
  return emitted.calls.flatMap(({ arguments: [what, described] }) =>
    what === event ? [described as Described] : [],
  );
}

/** Tasks that wait for each other. @returns the threads that ran them */
async function runAtOnce(
  tasks: number,
  whileHeld: () => void = () => undefined,
): Promise<number[]> {
  flags.fill(0);
  const held = Array.from({ length: tasks }, () => pool.run('hold', null, GOES_ON));
  while (Atomics.load(flags, STARTED) < Math.min(tasks, THREADS)) await sleep(2);
  whileHeld();
  Atomics.store(flags, LET_GO, 1);
  Atomics.notify(flags, LET_GO);
  const threads = await Promise.all(held);
  assert.equal(Atomics.load(flags, ENDED), tasks);
  return threads;
}

/** Counts how often the balancer reads how busy a worker is. */
function countReads(described: Described): () => number {
  const own = Object.getOwnPropertyDescriptor(described, 'currentUsage');
  let reads = 0;
  Object.defineProperty(described, 'currentUsage', {
    get() {
      reads++;
      return own?.get?.call(described) as number;
    },
  });
  return () => reads;
}

test('the balancer reads one object for each worker, however many tasks there are', async () => {
  const counts = descriptions('workerCreate').map(countReads);
  assert.equal(counts.length, THREADS);
  const reads = (): number => counts.reduce((sum, count) => sum + count(), 0);
  for (const tasks of [1, 10, 100]) {
    const before = reads();
    for (let i = 0; i < tasks; i++) await pool.run('echo', i, GOES_ON);
    const more = reads() - before;
    assert.ok(more >= tasks, `${tasks} tasks: read ${more} times`);
  }
});

test('the object shows the current state of its worker', async () => {
  const usages = (): number[] =>
    descriptions('workerCreate').map(({ currentUsage }) => currentUsage);
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(usages(), [0, 0]);
    await runAtOnce(THREADS, () => assert.deepEqual(usages(), [1, 1]));
  }
  for (const { isRunningAbortableTask } of descriptions('workerCreate'))
    assert.equal(isRunningAbortableTask, false);
});

test('tasks are spread over all workers, round after round', async () => {
  const ids = new Set(descriptions('workerCreate').map(({ id }) => id));
  for (let round = 0; round < 20; round++) {
    const threads = await runAtOnce(2 * THREADS);
    assert.deepEqual(new Set(threads), ids);
  }
});

test('the worker that replaces a dead one is described in the same way', async () => {
  await assert.rejects(pool.run('exit', 1, GOES_ON));
  await runAtOnce(THREADS);
  const [, , replaced] = descriptions('workerCreate');
  assert.ok(replaced, 'no worker came');
  const reads = countReads(replaced);
  await runAtOnce(10);
  assert.ok(reads() > 0, 'the balancer reads another object');
  await pool.close();
  assert.equal(descriptions('workerDestroy').length, THREADS + 1);
  for (const described of descriptions('workerDestroy'))
    assert.ok(descriptions('workerCreate').includes(described), 'described anew');
});
