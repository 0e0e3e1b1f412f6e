/**
 * The worker pool: the only file that knows Piscina. Tasks are small and bounded; they wait in our
 * own queue, because Piscina's is unbounded and an aborted running task there costs its thread.
 */
import type { ResourceLimits } from 'node:worker_threads';
import { setMaxListeners } from 'node:events';
import { Piscina } from 'piscina';
import { freeHeapAt, heapLimitMib, shareHeaps } from '../columnar/index.ts';
import { Unavailable } from '../query/index.ts';
import { packInput, unpackOutput, type TaskTable } from './task.ts';

export interface Pool<Tasks extends TaskTable> {
  readonly threads: number;
  /**
   * Runs a task. When `signal` is aborted before it has started, it never starts; once started it
   * always runs to its end, so that nobody frees memory under it.
   */
  run<Name extends keyof Tasks & string>(
    name: Name,
    input: Tasks[Name]['input'],
    signal: AbortSignal,
  ): Promise<Tasks[Name]['output']>;
  close(): Promise<void>;
}

export interface PoolOptions {
  /** The module whose default export runs a task: `({ name, input }) => output`. */
  readonly entry: URL;
  readonly threads: number;
  /** What objects of tasks may take, of all workers together and beyond `ownBytes` of each. */
  readonly heapBytes: number;
  /** What a worker's heap has without any task. */
  readonly ownBytes: number;
  /** Of it, what objects take before they prove to last; absent: as V8 has it. */
  readonly youngBytes?: number;
  /** What every worker gets: the shared memory and the compiled kernels. */
  readonly workerData: object;
  /** Told about workers that died, and errors that belong to no task. */
  readonly onError: (error: Error) => void;
}

/** Tasks handed to Piscina at once, a thread: one runs, one is at hand. */
const AHEAD = 2;

/** The task that says that a worker has loaded. */
const READY = 'ready';

interface Waiting {
  readonly start: () => void;
}

/** @throws what a worker that cannot load throws; a pool without workers would wait for ever */
export async function createPool<Tasks extends TaskTable>(
  options: PoolOptions,
): Promise<Pool<Tasks>> {
  const places = Array.from({ length: options.threads * AHEAD }, (_, i) => i + 1);
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
  piscina.on('workerCreate', keepFace);
  const failed = new Promise<never>((_, reject) => piscina.once('error', reject));
  await Promise.race([piscina.run({ name: READY, input: packInput(null), place: 1 }), failed]);
  piscina.on('error', options.onError);
  const waiting = new Set<Waiting>();
  let running = 0;

  const startNext = (): void => {
    for (const next of waiting) {
      if (running >= options.threads * AHEAD) return;
      waiting.delete(next);
      running++;
      next.start();
    }
  };

  // What a task throws comes packed; the call itself fails only with its worker.
  const call = (name: string, input: unknown, place: number): Promise<unknown> =>
    piscina.run({ name, input: packInput(input), place }).catch((error: Error) => {
      freeHeapAt(heaps, place);
      options.onError(error);
      throw lostWorker(error);
    });

  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const giveUp = (): void => {
        if (waiting.delete(entry)) reject(signal.reason as Error);
      };
      const entry: Waiting = {
        start: () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      // Many tasks of one answer may wait at once, which Node takes for a leak.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.add(entry);
      startNext();
    });

  return {
    threads: options.threads,
    async run(name, input, signal) {
      await turn(signal);
      const place = places.pop() ?? 1;
      try {
        return unpackOutput((await call(name, input, place)) as Uint8Array);
      } finally {
        running--;
        places.push(place);
        startNext();
      }
    },
    close: () => piscina.destroy(),
  };
}

function limitsOf(options: PoolOptions): ResourceLimits {
  const { youngBytes } = options;
  const young = youngBytes && { maxYoungGenerationSizeMb: youngBytes / 2 ** 20 };
  return { maxOldGenerationSizeMb: heapLimitMib(options), ...young };
}

/**
 * Piscina describes each worker to its balancer anew for each task, by an object of accessors: a
 * hidden class every time, of which V8 gets rid by a collection of the whole heap alone. What it
 * describes by them is always what is now, so that one does.
 */
function keepFace(face: object): void {
  for (const worker of Object.getOwnPropertySymbols(face)) {
    const described: unknown = Reflect.get(face, worker);
    if (described instanceof Object) Object.defineProperty(described, 'interface', { value: face });
  }
}

/** A worker that died fails its request only: its thread is replaced. */
function lostWorker(error: Error): Unavailable {
  const ranOut = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const what = ranOut ? 'a worker ran out of memory' : 'a worker stopped';
  const hint = ranOut ? 'ask for less at once, or give the server more memory' : 'ask again';
  return new Unavailable(`cannot compute this: ${what}`, { hint, cause: error });
}
