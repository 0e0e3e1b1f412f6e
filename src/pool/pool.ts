/**
 * The worker pool: the only file that knows Piscina. Tasks are small and bounded; they wait in our
 * own queue, because Piscina's is unbounded and an aborted running task there costs its thread.
 */
import type { ResourceLimits } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { freeHeapAt, heapLimitMib, shareHeaps } from '../columnar/index.ts';
import { Unavailable } from '../query/index.ts';
import { packInput, unpackOutput, type TaskTable } from './task.ts';
import { Turns } from './turns.ts';

/** How it is with a pool now, and has been so far. */
export interface PoolState {
  readonly running: number;
  readonly waiting: number;
  /** By name: how many tasks have ended, and how long they took in all, in their workers' queues too. */
  readonly tasks: ReadonlyMap<string, TaskTimes>;
}

interface TaskTimes {
  count: number;
  failed: number;
  seconds: number;
}

export interface Pool<Tasks extends TaskTable> {
  readonly state: PoolState;
  readonly threads: number;
  /**
   * Runs a task. When `signal` is aborted before it has started, it never starts; once started it
   * always runs to its end, so that its memory is not freed while it runs.
   */
  run<Name extends keyof Tasks & string>(
    name: Name,
    input: Tasks[Name]['input'],
    signal: AbortSignal,
  ): Promise<Tasks[Name]['output']>;
  /**
   * Calls the listener for each message that a worker sends beside its tasks.
   * @returns a function that ends it
   */
  onMessage(listener: (message: unknown) => void): () => void;
  /** Refuses the tasks that wait, and ends the workers once those under way have ended, or after seconds. */
  close(): Promise<void>;
}

export interface PoolOptions {
  /** The module whose default export runs a task: `({ name, input }) => output`. */
  readonly entry: URL;
  readonly threads: number;
  /** Heap for objects of tasks, of all workers together, on top of `ownBytes` of each. */
  readonly heapBytes: number;
  /** Heap of a worker that has run no task. */
  readonly ownBytes: number;
  /** V8's young generation, a part of the heap; absent: V8's default. */
  readonly youngBytes?: number;
  /** Given to every worker: the shared memory and the compiled kernels. */
  readonly workerData: object;
  /** Called for workers that died, and for errors that belong to no task. */
  readonly onError: (error: Error) => void;
}

/** Tasks handed to Piscina at once for each thread: one runs, one may be next. */
const AT_ONCE = 2;

/** Where so many tasks wait, no request begins: more than those admitted at once have on their way. */
const WAITING_MAX = 4096;

/** A worker that is ended within a task leaves what it shares half changed. */
const ENDED_WITHIN_MS = 3000;

/** A task that succeeds once a worker has loaded. */
const READY = 'ready';

/** @throws what a worker that cannot load throws; a pool without workers would wait for ever */
export async function createPool<Tasks extends TaskTable>(
  options: PoolOptions,
): Promise<Pool<Tasks>> {
  const places = Array.from({ length: options.threads * AT_ONCE }, (_, i) => i + 1);
  const heaps = shareHeaps(options, places.length);
  const piscina = new Piscina({
    filename: options.entry.href,
    minThreads: options.threads,
    maxThreads: options.threads,
    concurrentTasksPerWorker: 1,
    // 'sync' would freeze a worker's event loop between tasks, and surface one task's late errors
    // in the next.
    atomics: 'async',
    workerData: { ...options.workerData, heaps },
    resourceLimits: limitsOf(options),
  });
  piscina.on('workerCreate', pinWorkerInterface);
  const failed = new Promise<never>((_, reject) => piscina.once('error', reject));
  await Promise.race([piscina.run({ name: READY, input: packInput(null), place: 1 }), failed]);
  piscina.on('error', options.onError);
  const turns = new Turns({
    most: options.threads,
    ahead: options.threads * (AT_ONCE - 1),
    waitingMax: WAITING_MAX,
  });

  // Errors of a task come packed; the call itself fails only if its worker dies.
  const call = (name: string, input: unknown, place: number): Promise<unknown> =>
    piscina.run({ name, input: packInput(input), place }).catch((error: Error) => {
      freeHeapAt(heaps, place);
      options.onError(error);
      throw lostWorker(error);
    });

  const tasks = new Map<string, TaskTimes>();
  return {
    threads: options.threads,
    get state() {
      return { ...turns.state, tasks };
    },
    async run(name, input, signal) {
      const end = await turns.take(signal);
      const place = places.pop() ?? 1;
      let workMs: number | undefined;
      try {
        const output = (await timed(tasks, name, call(name, input, place))) as Uint8Array;
        return unpackOutput(output, (tookMs) => (workMs = tookMs));
      } finally {
        places.push(place);
        end(workMs);
      }
    },
    onMessage(listener) {
      piscina.on('message', listener);
      return () => piscina.off('message', listener);
    },
    async close() {
      await turns.close(ENDED_WITHIN_MS);
      await piscina.destroy();
    },
  };
}

/** Waits for the work, and adds to the times of its name how long it took. */
async function timed(
  tasks: Map<string, TaskTimes>,
  name: string,
  work: Promise<unknown>,
): Promise<unknown> {
  const times = tasks.get(name) ?? { count: 0, failed: 0, seconds: 0 };
  tasks.set(name, times);
  const beganMs = performance.now();
  try {
    return await work;
  } catch (error) {
    times.failed++;
    throw error;
  } finally {
    times.count++;
    times.seconds += (performance.now() - beganMs) / 1000;
  }
}

function limitsOf(options: PoolOptions): ResourceLimits {
  const { youngBytes } = options;
  const young = youngBytes && { maxYoungGenerationSizeMb: youngBytes / 2 ** 20 };
  return { maxOldGenerationSizeMb: heapLimitMib(options), ...young };
}

/**
 * Piscina makes a new object of accessors of each worker for each task, for its balancer. Each has a
 * hidden class of its own, which only a collection of the whole heap frees. The accessors always read
 * the current state, so one object for each worker is enough.
 */
function pinWorkerInterface(workerInterface: object): void {
  for (const worker of Object.getOwnPropertySymbols(workerInterface)) {
    const described: unknown = Reflect.get(workerInterface, worker);
    if (described instanceof Object)
      Object.defineProperty(described, 'interface', { value: workerInterface });
  }
}

/** A worker that died fails its request only: its thread is replaced. */
function lostWorker(error: Error): Unavailable {
  const ranOut = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const what = ranOut ? 'a worker ran out of memory' : 'a worker stopped';
  const hint = ranOut ? 'ask for less at once, or give the server more memory' : 'ask again';
  return new Unavailable(`cannot compute this: ${what}`, {
    hint,
    retryAfterSeconds: 1,
    cause: error,
  });
}
