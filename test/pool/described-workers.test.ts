/**
 * What the pinned Piscina tells its balancer of workers: an object of accessors that it would make anew
 * for each task, were the first not kept (`keepFace`). An upgrade that does it another way fails here.
 */
import assert from 'node:assert/strict';
import { after, before, test, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { createPool, type Pool } from '../../src/pool/index.ts';
import { ENDED, LET_GO, STARTED, type PoolTasks } from '../support/pool-tasks.ts';

interface Face {
  readonly id: number;
  readonly currentUsage: number;
  readonly isRunningAbortableTask: boolean;
}

const THREADS = 2;
const GOES_ON = new AbortController().signal;

const flags = new Int32Array(new SharedArrayBuffer(12));
const told = mock.method(Piscina.prototype, 'emit').mock;
let pool: Pool<PoolTasks>;

before(async () => {
  pool = await createPool<PoolTasks>({
    entry: new URL('../support/pool-entry.js', import.meta.url),
    threads: THREADS,
    heapBytes: 64 * 2 ** 20,
    ownBytes: 16 * 2 ** 20,
    workerData: { flags },
    onError: () => undefined,
  });
  // So that all are there before anything is counted.
  await runAtOnce(THREADS);
});
after(() => pool.close());

/** Described workers, as they were created or destroyed. */
function faces(event: 'workerCreate' | 'workerDestroy'): Face[] {
  return told.calls.flatMap(({ arguments: [what, face] }) =>
    what === event ? [face as Face] : [],
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

/** Counts how often the balancer asks what a described worker has to do. */
function countAsked(face: Face): () => number {
  const own = Object.getOwnPropertyDescriptor(face, 'currentUsage');
  let asked = 0;
  Object.defineProperty(face, 'currentUsage', {
    get() {
      asked++;
      return own?.get?.call(face) as number;
    },
  });
  return () => asked;
}

test('the balancer is told of a worker by one object, however many tasks there are', async () => {
  const counts = faces('workerCreate').map(countAsked);
  assert.equal(counts.length, THREADS);
  const asked = (): number => counts.reduce((sum, count) => sum + count(), 0);
  for (const tasks of [1, 10, 100]) {
    const before = asked();
    for (let i = 0; i < tasks; i++) await pool.run('echo', i, GOES_ON);
    const more = asked() - before;
    assert.ok(more >= tasks, `${tasks} tasks: asked ${more} times`);
  }
});

test('it tells what is now', async () => {
  const usages = (): number[] => faces('workerCreate').map(({ currentUsage }) => currentUsage);
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(usages(), [0, 0]);
    await runAtOnce(THREADS, () => assert.deepEqual(usages(), [1, 1]));
  }
  for (const { isRunningAbortableTask } of faces('workerCreate'))
    assert.equal(isRunningAbortableTask, false);
});

test('tasks are spread over all workers, round after round', async () => {
  const ids = new Set(faces('workerCreate').map(({ id }) => id));
  for (let round = 0; round < 20; round++) {
    const threads = await runAtOnce(2 * THREADS);
    assert.deepEqual(new Set(threads), ids);
  }
});

test('a worker in the place of one that died is told of in the same way', async () => {
  await assert.rejects(pool.run('exit', 1, GOES_ON));
  await runAtOnce(THREADS);
  const [, , replaced] = faces('workerCreate');
  assert.ok(replaced, 'no worker came');
  const asked = countAsked(replaced);
  await runAtOnce(10);
  assert.ok(asked() > 0, 'the balancer was told of another');
  await pool.close();
  assert.equal(faces('workerDestroy').length, THREADS + 1);
  for (const face of faces('workerDestroy'))
    assert.ok(faces('workerCreate').includes(face), 'described anew');
});
