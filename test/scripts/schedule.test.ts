/** The schedule of the gate's jobs. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Durations, runJobs, type Job, type Limits } from '../../scripts/schedule.ts';

const LIMITS: Limits = { cores: 2.5, processes: 6, freeBytes: 0 };

/** A job that ends only when the test says so. */
interface OpenJob extends Job {
  readonly end: (error?: Error) => void;
}

function openJob(seconds: number, cores: number, name: string, log: string[]): OpenJob {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  const run = (): Promise<void> => {
    log.push(name);
    return ended;
  };
  return { expected: { seconds, cores }, run, end: (error) => end(error) };
}

/** Jobs by name: expected seconds and cores. */
type Rows = Readonly<Record<string, readonly [number, number]>>;

const STARTS: readonly (readonly [string, Rows, Partial<Limits>, number, readonly string[]])[] = [
  ['the longest starts first', { a: [1, 1], b: [9, 1], c: [5, 1] }, {}, Infinity, ['b', 'c']],
  [
    'jobs that wait run beside jobs that compute',
    { a: [9, 1], b: [8, 1], c: [7, 0.3], d: [6, 0.3] },
    {},
    Infinity,
    ['a', 'b', 'c'],
  ],
  [
    'a job that does not fit is passed by a shorter one',
    { a: [9, 2], b: [8, 1], c: [1, 0.5] },
    {},
    Infinity,
    ['a', 'c'],
  ],
  [
    'a job that needs more cores than there are runs on its own',
    { a: [9, 4], b: [1, 1] },
    {},
    Infinity,
    ['a'],
  ],
  [
    'the number of processes is a limit',
    { a: [4, 0.3], b: [3, 0.3], c: [2, 0.3] },
    { processes: 2 },
    Infinity,
    ['a', 'b'],
  ],
  [
    'with too little free memory a single job runs',
    { a: [4, 0.3], b: [3, 0.3] },
    { freeBytes: 2 },
    1,
    ['a'],
  ],
];

for (const [name, rows, limits, freeBytes, expected] of STARTS) {
  test(`${name}, and each job runs once`, async () => {
    const log: string[] = [];
    const jobs = Object.entries(rows).map(([key, [seconds, cores]]) =>
      openJob(seconds, cores, key, log),
    );
    const done = runJobs(jobs, { ...LIMITS, ...limits }, () => freeBytes);
    await setImmediate();
    assert.deepEqual(log, expected);
    for (const job of jobs) job.end();
    await done;
    assert.deepEqual(log.toSorted(), Object.keys(rows).toSorted());
  });
}

test('after an error no further job starts, and jobs that run are waited for', async () => {
  const log: string[] = [];
  const [a, b, c] = [openJob(3, 1, 'a', log), openJob(2, 1, 'b', log), openJob(1, 1, 'c', log)];
  let isOver = false;
  const done = runJobs([a, b, c], LIMITS).finally(() => (isOver = true));
  a.end(new Error('cannot start'));
  await setImmediate();
  assert.equal(isOver, false);
  b.end();
  await assert.rejects(done, /cannot start/);
  assert.deepEqual(log, ['a', 'b']);
});

test('recorded durations are read back, and a file that mostly waited occupies a part of a core', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-durations-'));
  try {
    mkdirSync(join(folder, 'test'));
    const measured = {
      'a.ts': [12.34, 0.9],
      'b.ts': [8, 0.2],
      'c.ts': [7, 1.6],
      'd.ts': [0.1, 1],
    } as const;
    const rows = Object.entries(measured).map(
      ([path, [seconds, cores]]) => [path, { seconds, cores }] as const,
    );
    new Durations(folder).record(new Map(rows));
    const durations = new Durations(folder);
    assert.deepEqual(durations.of('a.ts'), { seconds: 12.3, cores: 1 });
    assert.deepEqual(durations.of('b.ts'), { seconds: 8, cores: 0.3 });
    assert.deepEqual(durations.of('c.ts'), { seconds: 7, cores: 1.6 });
    assert.deepEqual(durations.of('d.ts'), durations.of('unknown.ts'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
