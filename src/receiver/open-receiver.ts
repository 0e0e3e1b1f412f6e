/**
 * Opens a receiver: its thread holds the samples; here requests are handed over, and batches of reads
 * come back. Nothing waits for a thread that has ended; another one begins with what is on the disk.
 */
import { mkdir } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';
import {
  firstFailure,
  type Batch,
  type MetricsSource,
  type ReadTogether,
  type Room,
} from '../metrics/index.ts';
import { Unavailable } from '../query/index.ts';
import { lockFolder, type Lock } from '../storage/index.ts';
import type { Answer, OwnBytes, Request, Spent } from './ingest/messages.ts';
import type { Receiver, ReceiverFigures, WriteOutcome, WriteVersion } from './receiver.ts';
import { errorOf, startThread, type ReceiverOptions, type Thread } from './start-thread.ts';

export interface OpenReceiver extends Receiver {
  /** Stores what is under way, and gives the folder back. May be called again. */
  close(): Promise<void>;
}

const CONCURRENT_READS = 4;
const TICK_MS = 30_000;
/** A thread that ended is started again after a pause, which doubles as long as none lives longer than the longest. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Reads what was stored before.
 * @throws {Unavailable} when another process has the folder, or it cannot be read
 */
export async function openReceiver(options: ReceiverOptions): Promise<OpenReceiver> {
  await mkdir(options.folder, { recursive: true });
  const lock = await lockFolder(options.folder);
  try {
    return new ThreadReceiver(options, lock, await startThread(options));
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** What waits for an answer of the thread. */
interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

class ThreadReceiver implements OpenReceiver {
  readonly source: MetricsSource;
  readonly #options: ReceiverOptions;
  readonly #lock: Lock;
  #worker: Worker;
  readonly #nowMs: () => number;
  readonly #note: (text: string) => void;
  readonly #ticks: NodeJS.Timeout;
  readonly #writes = new Map<number, (outcome: WriteOutcome) => void>();
  readonly #reads = new Map<number, Waiting<OwnBytes | undefined>>();
  #nextId = 1;
  #figures: ReceiverFigures;
  /** Why there is no thread now. */
  #ended: string | undefined;
  #begunMs = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #pause: NodeJS.Timeout | undefined;
  #restart: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(options: ReceiverOptions, lock: Lock, thread: Thread) {
    this.#options = options;
    this.#worker = thread.worker;
    this.#figures = thread.begun.figures;
    this.#lock = lock;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#note = options.note ?? (() => undefined);
    const tick = (): void => this.#send({ kind: 'tick', nowMs: this.#nowMs() });
    this.#ticks = setInterval(tick, TICK_MS).unref();
    this.source = this.#sourceOf(options.folder);
    this.#follow(thread);
  }

  async write(body: Uint8Array, version: WriteVersion): Promise<WriteOutcome> {
    try {
      // A process that stood still for long may find its folder taken over.
      await this.#lock.check();
      return await this.#store(ownBuffer(body), version);
    } catch (error) {
      return {
        kind: 'unavailable',
        reason: error instanceof Error ? error.message : String(error),
      };
    }
  }

  #store(own: Uint8Array<ArrayBuffer>, version: WriteVersion): Promise<WriteOutcome> {
    if (this.#ended !== undefined || this.#closing !== undefined)
      return Promise.resolve({ kind: 'unavailable', reason: this.#endedText() });
    return new Promise((resolve) => {
      const id = this.#nextId++;
      this.#writes.set(id, resolve);
      this.#send({ kind: 'write', id, body: own, version, nowMs: this.#nowMs() });
    });
  }

  figures(): ReceiverFigures {
    if (this.#ended === undefined) return this.#figures;
    return { ...this.#figures, failing: this.#endedText() };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#ticks);
    clearTimeout(this.#pause);
    await this.#restart;
    if (this.#ended === undefined) {
      const closed = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()));
      this.#send({ kind: 'close' });
      await closed;
    }
    await this.#lock.release();
  }

  #sourceOf(folder: string): MetricsSource {
    const together: ReadTogether = (metrics, range, signal, _onWarning, room) =>
      this.#read({ what: { metrics }, range, isChecked: false }, signal, room);
    return {
      name: `the receiver in ${folder}`,
      readerName: 'receiver',
      concurrentReads: CONCURRENT_READS,
      read: (what, range, signal, _onWarning, room) =>
        this.#read({ what, range, isChecked: false }, signal, room),
      together: () => Promise.resolve(together),
      findDamage: (metrics, range, signal) =>
        firstFailure(this.#read({ what: { metrics }, range, isChecked: true }, signal)),
      earliestSampleMs: () => Promise.resolve(this.#figures.oldestMs),
    };
  }

  async *#read(
    read: Pick<Extract<Request, { kind: 'read' }>, 'what' | 'range' | 'isChecked'>,
    signal: AbortSignal,
    room?: Room,
  ): AsyncGenerator<Batch, void> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    let asked = this.#ask(id, { kind: 'read', id, ...read });
    let spent: Spent;
    try {
      for (;;) {
        const bytes = await asked;
        signal.throwIfAborted();
        if (bytes === undefined) return;
        // The thread makes the next one while this one is worked on.
        asked = this.#ask(id, { kind: 'next', id, memory: spent });
        asked.catch(() => undefined); // it fails at its turn, if it comes to that
        spent = room === undefined ? undefined : bytes.buffer;
        yield {
          encoding: 'stored-chunks',
          bytes: room === undefined ? bytes : copied(bytes, room),
        };
      }
    } finally {
      if (this.#ended === undefined) this.#send({ kind: 'end', id, memory: spent });
    }
  }

  #ask(id: number, message: Request): Promise<OwnBytes | undefined> {
    if (this.#ended !== undefined) return Promise.reject(new Unavailable(this.#endedText()));
    return new Promise((resolve, reject) => {
      this.#reads.set(id, { resolve, reject });
      this.#send(message);
    });
  }

  #take(answer: Answer): void {
    switch (answer.kind) {
      case 'outcomes':
        this.#figures = answer.figures;
        for (const [id, outcome] of answer.outcomes) this.#resolveWrite(id, outcome);
        return;
      case 'batch':
        this.#takeRead(answer.id)?.resolve(answer.bytes);
        return;
      case 'failed':
        this.#takeRead(answer.id)?.reject(errorOf(answer.failure));
        return;
      case 'note':
        this.#note(answer.text);
        return;
      case 'ready':
      case 'broken':
    }
  }

  #resolveWrite(id: number, outcome: WriteOutcome): void {
    const resolve = this.#writes.get(id);
    this.#writes.delete(id);
    resolve?.(outcome);
  }

  #takeRead(id: number): Waiting<OwnBytes | undefined> | undefined {
    const read = this.#reads.get(id);
    this.#reads.delete(id);
    return read;
  }

  #follow({ worker, begun }: Thread): void {
    this.#worker = worker;
    this.#figures = begun.figures;
    this.#ended = undefined;
    this.#begunMs = performance.now();
    for (const text of begun.notes) this.#note(text);
    worker.on('message', (answer: Answer) => this.#take(answer));
    worker.on('error', (error) => this.#end(error.message));
    worker.on('exit', () => {
      this.#end('it was ended');
      if (performance.now() - this.#begunMs > LONGEST_PAUSE_MS) this.#pauseMs = FIRST_PAUSE_MS;
      this.#startLater();
    });
  }

  #startLater(): void {
    if (this.#closing !== undefined) return;
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    this.#note(`${this.#endedText()}; it is started again in ${pauseMs / 1000} s`);
    this.#pause = setTimeout(() => {
      this.#restart = this.#startAgain();
    }, pauseMs).unref();
  }

  async #startAgain(): Promise<void> {
    try {
      await this.#lock.check();
      this.#follow(await startThread(this.#options));
      this.#note('the receiver was started again');
    } catch (error) {
      this.#ended = error instanceof Error ? error.message : String(error);
      this.#startLater();
    }
  }

  #end(reason: string): void {
    this.#ended ??= reason;
    const unavailable = this.#endedText();
    for (const id of this.#writes.keys())
      this.#resolveWrite(id, { kind: 'unavailable', reason: unavailable });
    for (const id of this.#reads.keys()) this.#takeRead(id)?.reject(new Unavailable(unavailable));
  }

  #endedText(): string {
    return `the receiver has ended: ${this.#ended ?? 'it is being closed'}`;
  }

  #send(message: Request): void {
    this.#worker.postMessage(message, movedIn(message));
  }
}

/** What is given away with a message, and not copied. */
function movedIn(message: Request): ArrayBuffer[] {
  if (message.kind === 'write') return [message.body.buffer];
  const memory = 'memory' in message ? message.memory : undefined;
  return memory === undefined ? [] : [memory];
}

/** The buffer of a view on a part of it is somebody else's. */
function ownBuffer(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === body.length;
  return isWhole ? new Uint8Array(buffer) : Uint8Array.from(body);
}

function copied(bytes: Uint8Array, room: Room): Uint8Array {
  const copy = room(bytes.length);
  copy.set(bytes);
  return copy;
}
