/** Tasks for the pool's tests. Their worker data has an Int32Array of flags they share. */
import { workerData, threadId } from 'node:worker_threads';
import { ArenaFull, checkHeap, DamagedBatch } from '../../../src/columnar/index.ts';
import { task } from '../../../src/pool/task.ts';
import { Fault, Unavailable } from '../../../src/query/index.ts';

/** Places in the flags. */
export const STARTED = 0;
export const LET_GO = 1;
export const ENDED = 2;

type Failure = 'fault' | 'unavailable' | 'arenaFull' | 'damaged' | 'plain' | 'text';

export type PoolTasks = {
  echo: { input: unknown; output: unknown };
  fail: { input: Failure; output: never };
  /** Waits to be let go; counts in the flags. */
  hold: { input: null; output: number };
  exit: { input: number; output: never };
  exhaust: { input: null; output: never };
  /** Keeps names without end, and looks at the heap as tasks do; the table of names doubles at once. */
  name: { input: null; output: never };
  /** Makes without end nearly, looks as well, and keeps less than it may; gives how much it kept. */
  waste: { input: null; output: number };
  /** Keeps so many MiB, looking at the heap, and waits to be let go; ends its worker at a negative amount. */
  keep: { input: number; output: null };
  /** Leaves a timer behind that throws after the task has answered. */
  leave: { input: null; output: null };
};

const ERRORS: Readonly<Record<Failure, () => unknown>> = {
  fault: () => new Fault('no', { status: 422, parameter: 'window', hint: 'for example' }),
  unavailable: () => new Unavailable('gone', { status: 504, hint: 'later', retryAfterSeconds: 7 }),
  arenaFull: () => new ArenaFull(4096, 1024),
  damaged: () => new DamagedBatch(-2),
  plain: () => new RangeError('BUG: out of range'),
  text: () => 'only a text',
};

/** Empty where a test imports names from here. */
const { flags } = (workerData ?? { flags: new Int32Array() }) as { readonly flags: Int32Array };

/** Steps between two looks at the heap. */
const CHECKED = 64;
/** 800 KB each, of what is old from the start. */
const ARRAY_LENGTH = 1e5;
const WASTED_ARRAYS = 600;
const KEPT_ARRAYS = 45;

export const ready: ReturnType<typeof task> = task(() => null);
export const echo: ReturnType<typeof task> = task((input) => input);
export const fail: ReturnType<typeof task> = task((kind: Failure): never => {
  throw ERRORS[kind]();
});
export const hold: ReturnType<typeof task> = task(() => {
  Atomics.add(flags, STARTED, 1);
  Atomics.wait(flags, LET_GO, 0);
  Atomics.add(flags, ENDED, 1);
  return threadId;
});
export const exit: ReturnType<typeof task> = task((code: number): never => process.exit(code));
export const exhaust: ReturnType<typeof task> = task(() => {
  const kept: object[][] = [];
  for (;;) kept.push(Array.from({ length: 1e5 }, (_, i) => ({ i })));
});
export const name: ReturnType<typeof task> = task(() => {
  const names = new Map<string, number>();
  for (let i = 0; ; i++) {
    if (i % CHECKED === 0) checkHeap();
    names.set(`pod-${i}`, i);
  }
});
export const waste: ReturnType<typeof task> = task(() => {
  const kept: number[][] = [];
  for (let i = 0; i < WASTED_ARRAYS; i++) {
    checkHeap();
    const array = Array.from({ length: ARRAY_LENGTH }, () => i);
    if (kept.length < KEPT_ARRAYS) kept.push(array);
  }
  return kept.length;
});
export const keep: ReturnType<typeof task> = task((mib: number) => {
  const kept: number[][] = [];
  for (let i = 0; i < Math.abs(mib); i++) {
    checkHeap();
    kept.push(Array.from({ length: 2 ** 17 }, () => i));
  }
  if (mib < 0) process.exit(kept.length);
  Atomics.add(flags, STARTED, 1);
  Atomics.wait(flags, LET_GO, 0);
  return null;
});
export const leave: ReturnType<typeof task> = task(() => {
  setTimeout(() => {
    throw new Error('left behind');
  }, 5);
  return null;
});
