/** Workers whose heap is too small for a task, each in a process of its own: none may end it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROCESS = fileURLToPath(new URL('../support/heap-process.ts', import.meta.url));
const WITHIN_MS = 60_000;

interface Told {
  readonly told: unknown;
  /** Workers that died. */
  readonly errors: number;
  readonly next: string;
}

function run(task: string): Told {
  const args = ['--import', 'tsx', PROCESS, task];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: WITHIN_MS,
  });
  assert.deepEqual({ status, signal }, { status: 0, signal: null }, stderr.slice(-2000));
  return JSON.parse(stdout) as Told;
}

test('a worker that runs out of memory fails its request, and is replaced', () => {
  assert.deepEqual(run('exhaust'), {
    told: { name: 'Unavailable', message: 'cannot compute this: a worker ran out of memory' },
    errors: 1,
    next: 'still here',
  });
});

test('a task that looks at the heap is refused before its worker runs out of it', () => {
  const { told, ...rest } = run('name');
  assert.deepEqual(rest, { errors: 0, next: 'still here' });
  const { name, message } = told as { readonly name: string; readonly message: string };
  assert.equal(name, 'HeapFull');
  assert.match(message, /^the memory budget is spent: objects take more than \d+ bytes$/);
});

test('garbage does not count: however much of it there is, a task that keeps little passes', () => {
  const { told, ...rest } = run('waste');
  assert.deepEqual(rest, { errors: 0, next: 'still here' });
  assert.equal(told, 45);
});
