import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type Pool } from '../../src/pool/index.ts';
import { ENDED, LET_GO, STARTED, type PoolTasks } from '../support/servers/pool-tasks.ts';

const ENTRY = new URL('../support/servers/pool-entry.js', import.meta.url);
const GOES_ON = new AbortController().signal;

let pools: Pool<PoolTasks>[] = [];
let late: Error[] = [];
const POOL = {
  entry: ENTRY,
  heapBytes: 64 * 2 ** 20,
  ownBytes: 16 * 2 ** 20,
  onError: (error: Error): void => void late.push(error),
};

async function start(threads: number): Promise<{ pool: Pool<PoolTasks>; flags: Int32Array }> {
  const flags = new Int32Array(new SharedArrayBuffer(12));
  const pool = await createPool<PoolTasks>({ ...POOL, threads, workerData: { flags } });
  pools.push(pool);
  return { pool, flags };
}

function letGo(flags: Int32Array): void {
  Atomics.store(flags, LET_GO, 1);
  Atomics.notify(flags, LET_GO);
}

async function until(flags: Int32Array, place: number, count: number): Promise<void> {
  while (Atomics.load(flags, place) < count) await sleep(2);
}

afterEach(async () => {
  for (const pool of pools) await pool.close();
  pools = [];
  late = [];
});

const INPUTS: readonly (readonly [what: string, input: unknown])[] = [
  ['null', null],
  ['numbers', [0, 1.5, -1e-300, 2 ** 53, NaN, Infinity]],
  ['texts', ['', 'ä', '\u0000', '😀', '__proto__']],
  ['bytes', Uint8Array.of(0, 255)],
  ['nested objects', { a: [{ b: { c: [1, 2, 3] } }], d: null }],
];

const FAILURES: readonly (readonly [kind: PoolTasks['fail']['input'], expected: object])[] = [
  [
    'fault',
    { name: 'Fault', message: 'no', status: 422, parameter: 'window', hint: 'for example' },
  ],
  [
    'unavailable',
    { name: 'Unavailable', message: 'gone', status: 504, hint: 'later', retryAfterSeconds: 7 },
  ],
  ['arenaFull', { name: 'ArenaFull', wantedBytes: 4096, freeBytes: 1024 }],
  ['damaged', { name: 'DamagedBatch', status: -2, message: 'a frame has a wrong checksum' }],
  ['plain', { name: 'RangeError', message: 'BUG: out of range' }],
  ['text', { name: 'Error', message: 'only a text' }],
];

describe('a task', () => {
  let pool: Pool<PoolTasks>;
  before(async () => {
    pool = await createPool<PoolTasks>({ ...POOL, threads: 1, workerData: {} });
  });
  after(() => pool.close());

  for (const [what, input] of INPUTS)
    test(`receives and returns ${what} unchanged`, async () => {
      assert.deepEqual(await pool.run('echo', input, GOES_ON), input);
    });

  for (const [kind, expected] of FAILURES)
    test(`throws an error with its class and fields: ${kind}`, async () => {
      await assert.rejects(pool.run('fail', kind, GOES_ON), expected);
    });
});

test('tasks run in parallel, one for each thread; the others wait in order', async () => {
  const { pool, flags } = await start(2);
  const held = Array.from({ length: 9 }, () => pool.run('hold', null, GOES_ON));
  await until(flags, STARTED, 2);
  letGo(flags);
  const threads = await Promise.all(held);
  assert.equal(new Set(threads).size, 2);
  assert.equal(Atomics.load(flags, ENDED), 9);
});

test('a task whose signal is aborted before it starts never starts', async () => {
  const { pool, flags } = await start(1);
  const running = [pool.run('hold', null, GOES_ON), pool.run('hold', null, GOES_ON)];
  const client = new AbortController();
  const waiting = pool.run('hold', null, client.signal);
  const reason = new Error('the client went away');
  client.abort(reason);
  await assert.rejects(waiting, (error) => error === reason);
  await assert.rejects(pool.run('hold', null, client.signal), (error) => error === reason);
  letGo(flags);
  await Promise.all(running);
  assert.equal(await pool.run('echo', 'next', GOES_ON), 'next');
  assert.equal(Atomics.load(flags, STARTED), 2);
});

test('a pool that is closed refuses the tasks that wait, and lets those under way end', async () => {
  const { pool, flags } = await start(1);
  const running = [pool.run('hold', null, GOES_ON), pool.run('hold', null, GOES_ON)];
  const waiting = pool.run('echo', 'later', GOES_ON);
  await until(flags, STARTED, 1);
  const closed = pool.close();
  const stopping = { name: 'Unavailable', message: 'prorata is stopping', status: 503 };
  await assert.rejects(waiting, stopping);
  await assert.rejects(pool.run('echo', 'never', GOES_ON), stopping);
  letGo(flags);
  await Promise.all(running);
  await closed;
  assert.equal(Atomics.load(flags, ENDED), 2);
});

test('P-L6: a task in flight runs to its end when its signal is aborted, and is waited for', async () => {
  const { pool, flags } = await start(1);
  const client = new AbortController();
  let isSettled = false;
  const running = pool.run('hold', null, client.signal).finally(() => (isSettled = true));
  await until(flags, STARTED, 1);
  client.abort();
  await sleep(20);
  assert.equal(isSettled, false);
  letGo(flags);
  assert.ok((await running) > 0, 'nothing ran');
  assert.equal(Atomics.load(flags, ENDED), 1);
});

const CRASHES: readonly (readonly [how: string, run: (pool: Pool<PoolTasks>) => Promise<never>])[] =
  [
    ['exits with an error', (pool) => pool.run('exit', 3, GOES_ON)],
    ['exits without one', (pool) => pool.run('exit', 0, GOES_ON)],
  ];

for (const [how, crash] of CRASHES)
  test(`a worker that ${how} fails its request with 503 and is replaced`, async () => {
    const { pool } = await start(1);
    await assert.rejects(crash(pool), {
      name: 'Unavailable',
      status: 503,
      message: 'cannot compute this: a worker stopped',
    });
    assert.equal(late.length, 1);
    assert.equal(await pool.run('echo', 'still here', GOES_ON), 'still here');
  });

test('a late error of one task does not fail another', async () => {
  const { pool } = await start(1);
  await pool.run('leave', null, GOES_ON);
  await sleep(50);
  assert.equal(await pool.run('echo', 'unharmed', GOES_ON), 'unharmed');
  assert.deepEqual(
    late.map(({ message }) => message),
    ['left behind'],
  );
});

test('a pool is not created when its workers cannot load', async () => {
  const entry = new URL('../support/no-such-entry.js', import.meta.url);
  const making = createPool({ ...POOL, entry, threads: 1, workerData: {} });
  await assert.rejects(making, /no-such-entry/);
});
