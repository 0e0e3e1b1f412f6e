/**
 * Blocks as a metrics store. A thread of its own does the work; here questions are handed over, and batches come back.
 * A thread that ended is started again by the next read.
 */
import { Worker } from 'node:worker_threads';
import {
  firstFailure,
  type Batch,
  type MetricsSource,
  type ReadTogether,
} from '../metrics/index.ts';
import { Fault, Unavailable } from '../query/index.ts';
import type { Answer, Failure, Request, ThreadStart, Times } from './thread/messages.ts';

export interface BlocksOptions extends ThreadStart {
  /** As it is told: its URL. */
  readonly url: string;
  /** The young generation of the thread. */
  readonly youngBytes: number;
}

export interface BlocksStore extends MetricsSource {
  readonly readerName: 'blocks';
  /** Lists the blocks. @throws {Unavailable} when they cannot be listed */
  chosen(signal: AbortSignal): Promise<'blocks'>;
  earliestSampleMs(signal: AbortSignal): Promise<number | undefined>;
  reachMs(signal: AbortSignal): Promise<number | undefined>;
  close(): Promise<void>;
}

/** At the depth of this file, also within the bundle. */
const ENTRY = new URL('../../workers/blocks-entry.js', import.meta.url);
const CONCURRENT_READS = 4;

/** Nothing is read before it is asked for. */
export function openBlocks(options: BlocksOptions): BlocksStore {
  const thread = new BlocksThread(options);
  const together: ReadTogether = (metrics, range, ...rest) =>
    thread.read({ query: { metrics }, range, isChecked: false }, ...rest);
  return {
    name: `blocks in ${options.url}`,
    readerName: 'blocks',
    concurrentReads: CONCURRENT_READS,
    read: (query, range, ...rest) => thread.read({ query, range, isChecked: false }, ...rest),
    together: () => Promise.resolve(together),
    findDamage: (metrics, range, signal) =>
      firstFailure(thread.read({ query: { metrics }, range, isChecked: true }, signal)),
    chosen: async (signal) => {
      await thread.times(signal);
      return 'blocks';
    },
    earliestSampleMs: async (signal) => (await thread.times(signal)).startMs,
    reachMs: async (signal) => (await thread.times(signal)).reachMs,
    close: () => thread.close(),
  };
}

/** What waits for an answer of the thread. */
interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

type Asked = Pick<Extract<Request, { kind: 'read' }>, 'query' | 'range' | 'isChecked'>;
type ReadRest = Parameters<ReadTogether> extends [unknown, unknown, ...infer Rest] ? Rest : never;

class BlocksThread {
  readonly #options: BlocksOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(options: BlocksOptions) {
    this.#options = options;
  }

  async *read(asking: Asked, ...[signal, onWarning, room]: ReadRest): AsyncGenerator<Batch, void> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    const { left, forget } = abortOf(signal);
    let asked = this.#ask({ kind: 'read', id, ...asking });
    try {
      for (;;) {
        asked.catch(() => undefined); // it fails at its turn, if it comes to that
        const answer = await Promise.race([asked, left]);
        if (answer.kind !== 'batch') throw new Error('BUG: a batch was asked for');
        for (const warning of answer.warnings) onWarning?.(warning);
        const { bytes } = answer;
        if (bytes === undefined) return;
        // The thread makes the next one while this one is worked on.
        asked = this.#ask({ kind: 'next', id });
        yield {
          encoding: 'stored-chunks',
          bytes: copied(bytes, room),
        };
      }
    } finally {
      forget();
      this.#waiting.delete(id);
      this.#worker?.postMessage({ kind: 'end', id } satisfies Request);
    }
  }

  async times(signal: AbortSignal): Promise<Times> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    const { left, forget } = abortOf(signal);
    try {
      const answer = await Promise.race([this.#ask({ kind: 'times', id }), left]);
      if (answer.kind !== 'times') throw new Error('BUG: times were asked for');
      return answer.times;
    } finally {
      forget();
      this.#waiting.delete(id);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #ask(request: Request): Promise<Answer> {
    if (this.#isClosed)
      return Promise.reject(new Unavailable('blocks are read no more: the server ends'));
    const worker = (this.#worker ??= this.#start());
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      worker.ref();
      worker.postMessage(request);
    });
  }

  #start(): Worker {
    const { url: _url, youngBytes, ...workerData } = this.#options;
    const worker = new Worker(ENTRY, {
      workerData,
      name: 'blocks',
      resourceLimits: { maxYoungGenerationSizeMb: youngBytes / 2 ** 20 },
    });
    let why = 'it ended';
    worker.on('message', (answer: Answer) => this.#take(answer));
    worker.on('error', (error) => {
      why = error instanceof Error ? error.message : String(error);
    });
    worker.once('exit', () => {
      this.#worker = undefined;
      const error = new Unavailable(`the thread that reads blocks: ${why}`);
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    return worker;
  }

  #take(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    // A command that is done does not wait for the thread.
    if (this.#waiting.size === 0) this.#worker?.unref();
    if (answer.kind === 'failed') waiting?.reject(errorOf(answer.failure));
    else waiting?.resolve(answer);
  }
}

/** Whoever waits for the thread may leave. */
function abortOf(signal: AbortSignal): {
  readonly left: Promise<never>;
  readonly forget: () => void;
} {
  let onAbort = (): void => undefined;
  const left = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  left.catch(() => undefined); // it fails at its turn
  return { left, forget: () => signal.removeEventListener('abort', onAbort) };
}

/** The thread's memory is another batch's soon. */
function copied(
  bytes: Uint8Array,
  room = (length: number): Uint8Array => new Uint8Array(length),
): Uint8Array {
  const own = room(bytes.length);
  own.set(bytes);
  return own;
}

function errorOf({ isFault, message, status, hint }: Failure): Error {
  const told = hint === undefined ? {} : { hint };
  return isFault ? new Fault(message, told) : new Unavailable(message, { status, ...told });
}
