/** Workers whose heap is too small for a task, each test in its own process, which must survive. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROCESS = fileURLToPath(new URL('../support/servers/heap-process.ts', import.meta.url));
const WITHIN_MS = 60_000;

interface Outcome {
  readonly first: unknown;
  /** Workers that died. */
  readonly errors: number;
  readonly next: string;
}

function run(task: string): Outcome {
  const args = ['--import', 'tsx', PROCESS, task];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: WITHIN_MS,
  });
  assert.deepEqual({ status, signal }, { status: 0, signal: null }, stderr.slice(-2000));
  return JSON.parse(stdout) as Outcome;
}

test('P-M6: a worker that runs out of memory fails its request, and is replaced', () => {
  assert.deepEqual(run('exhaust'), {
    first: { name: 'Unavailable', message: 'cannot compute this: a worker ran out of memory' },
    errors: 1,
    next: 'still here',
  });
});

test('a task that checks the heap is refused before its worker runs out of memory', () => {
  const { first, ...rest } = run('name');
  assert.deepEqual(rest, { errors: 0, next: 'still here' });
  const { name, message } = first as { readonly name: string; readonly message: string };
  assert.equal(name, 'HeapFull');
  assert.match(message, /^the memory budget is spent: objects take more than \d+ bytes$/);
});

test('garbage does not count: a task that holds little passes, however much garbage it makes', () => {
  const { first, ...rest } = run('waste');
  assert.deepEqual(rest, { errors: 0, next: 'still here' });
  assert.equal(first, 45);
});
