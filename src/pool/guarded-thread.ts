/**
 * A thread that decodes files of strangers. It shares no memory with others, so that it can be ended at any time:
 * when a call exceeds its deadline, when its heap is full, or when nobody has called it for a while.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, Worker, type Transferable } from 'node:worker_threads';

/** Entries of such threads, at the depth of this file, also within the bundle. */
export const GUARDED: Readonly<Record<'parquet', URL>> = {
  parquet: new URL('../../workers/parquet-entry.js', import.meta.url),
};

export interface GuardedThreadOptions {
  readonly entry: URL;
  readonly heapMib: number;
  /** The thread ends after so long without a call. */
  readonly idleMs: number;
}

/** What the thread answers: the value, or why there is none. */
type Reply<Answer> = { readonly answer: Answer } | { readonly failure: string };

/** A value, and its buffers that are moved instead of copied. */
export interface Moved<Answer> {
  readonly answer: Answer;
  readonly buffers: readonly Transferable[];
}

export class GuardedThread<Request, Answer> {
  readonly #options: GuardedThreadOptions;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** The last call: one follows the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: GuardedThreadOptions) {
    this.#options = options;
  }

  /** @throws {Error} what the thread throws, or that the call took too long or too much memory */
  async ask(request: Request, deadlineMs: number): Promise<Answer> {
    const asked = this.#last.then(() => this.#ask(request, deadlineMs));
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  async #ask(request: Request, deadlineMs: number): Promise<Answer> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    const ended = new AbortController();
    const { signal } = ended;
    worker.ref();
    try {
      const late = sleep(deadlineMs, undefined, { signal }).then(() => {
        throw new Error(`reading it takes longer than ${deadlineMs / 1000} s`);
      });
      const exits = once(worker, 'exit', { signal }).then(() => {
        throw new Error('its thread ended');
      });
      const replies = once(worker, 'message', { signal }) as Promise<[Reply<Answer>]>;
      worker.postMessage(request);
      const [reply] = await Promise.race([replies, exits, late]);
      if ('failure' in reply) throw new Error(reply.failure);
      return reply.answer;
    } catch (error) {
      this.#end();
      throw error instanceof Error ? this.#why(error) : error;
    } finally {
      ended.abort();
      worker.unref();
      this.#idle = setTimeout(() => this.#end(), this.#options.idleMs).unref();
    }
  }

  #start(): Worker {
    const { entry, heapMib } = this.#options;
    const resourceLimits = { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: 16 };
    const worker = new Worker(entry, { resourceLimits });
    worker.on('error', () => undefined);
    // One that ends between two calls is replaced by the next.
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #why(error: Error): Error {
    const ranOut = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    return ranOut ? new Error(`reading it takes more than ${this.#options.heapMib} MiB`) : error;
  }
}

/** Answers calls, in the thread. */
export function answerCalls<Request, Answer>(
  answer: (request: Request) => Promise<Moved<Answer>>,
): void {
  parentPort?.on('message', (request: Request) => {
    answer(request).then(
      ({ answer: value, buffers }) => parentPort?.postMessage({ answer: value }, buffers),
      (error: unknown) =>
        parentPort?.postMessage({
          failure: error instanceof Error ? error.message : String(error),
        }),
    );
  });
}
