/**
 * The thread of the receiver: stores requests in groups, whatever came while the last group was stored, and
 * makes batches of reads between them.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Fault, Unavailable } from '../../query/index.ts';
import type { Batch } from '../../metrics/index.ts';
import type { WriteOutcome } from '../receiver.ts';
import type { Answer, OwnBytes, Failure, Request, Spent, ThreadStart } from './messages.ts';
import { ReceiverStore, told } from './receiver-store.ts';

type WriteMessage = Extract<Request, { kind: 'write' }>;
type ReadMessage = Extract<Request, { kind: 'read' }>;

/** Requests of one commit: more wait for the next, so that the first need not wait for all. */
const GROUP_REQUESTS = 64;
const GROUP_BYTES = 8 << 20;

/** Memory of batches that is kept for others: two for each of the reads that are under way. */
const FREE_BATCHES = 8;

/** How often it looks for windows to cut. */
const MAINTENANCE_MS = 60_000;

/** Runs until it is told to close. */
export async function runThread(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('BUG: the receiver runs in no thread of its own');
  const answer = (message: Answer, moved: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, moved);
  const { options, nowMs } = workerData as ThreadStart;
  let store: ReceiverStore;
  try {
    store = await ReceiverStore.open(options, nowMs);
  } catch (error) {
    answer({ kind: 'broken', failure: failureOf(error) });
    port.close();
    return;
  }
  const thread = new Thread(store, answer);
  port.on('message', (message: Request) => {
    if (message.kind !== 'close') return thread.take(message);
    void thread.close().then(() => port.close());
  });
  answer({ kind: 'ready', figures: store.figures, notes: store.damages });
}

class Thread {
  readonly #store: ReceiverStore;
  readonly #answer: (message: Answer, moved?: readonly ArrayBuffer[]) => void;
  readonly #reads = new Map<number, Generator<Batch, void>>();
  readonly #free: ArrayBuffer[] = [];
  #waiting: WriteMessage[] = [];
  #isDue = false;
  #maintainedMs = -Infinity;
  #maintenance: Promise<void> = Promise.resolve();
  #isMaintained = false;

  constructor(
    store: ReceiverStore,
    answer: (message: Answer, moved?: readonly ArrayBuffer[]) => void,
  ) {
    this.#store = store;
    this.#answer = answer;
  }

  take(message: Exclude<Request, { kind: 'close' }>): void {
    switch (message.kind) {
      case 'write':
        this.#waiting.push(message);
        return this.#storeSoon();
      case 'read':
        return this.#begin(message);
      case 'next':
        this.#keep(message.memory);
        return this.#next(message.id);
      case 'end':
        this.#keep(message.memory);
        this.#reads.get(message.id)?.return();
        this.#reads.delete(message.id);
        return;
      case 'tick':
        this.#maintain(message.nowMs);
    }
  }

  async close(): Promise<void> {
    this.#isMaintained = true;
    await this.#maintenance;
    while (this.#waiting.length > 0) this.#storeGroup();
    for (const read of this.#reads.values()) read.return();
    this.#store.close();
  }

  #maintain(nowMs: number): void {
    if (this.#isMaintained || Math.abs(nowMs - this.#maintainedMs) < MAINTENANCE_MS) return;
    this.#maintainedMs = nowMs;
    this.#isMaintained = true;
    this.#maintenance = this.#store
      .maintain(nowMs)
      .catch((error: unknown) => {
        const text = `blocks of received samples could not be cut, merged or dropped, which is tried again: ${told(error)}`;
        this.#answer({ kind: 'note', text });
      })
      .then(() => {
        this.#isMaintained = false;
        this.#answer({ kind: 'outcomes', outcomes: [], figures: this.#store.figures });
      });
  }

  /** Once all messages that are here have been taken. */
  #storeSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#storeGroup();
      if (this.#waiting.length > 0) this.#storeSoon();
    });
  }

  #storeGroup(): void {
    let [count, bytes] = [0, 0];
    while (count < this.#waiting.length && count < GROUP_REQUESTS && bytes < GROUP_BYTES)
      bytes += this.#waiting[count++]?.body.length ?? 0;
    const group = this.#waiting.splice(0, count);
    const nowMs = group.at(-1)?.nowMs;
    if (nowMs === undefined) return;
    const outcomes = this.#store.write(group, nowMs);
    this.#answer({
      kind: 'outcomes',
      outcomes: group.map(({ id }, i): [number, WriteOutcome] => [id, outcomes[i] ?? LOST]),
      figures: this.#store.figures,
    });
    this.#maintain(nowMs);
  }

  #begin({ id, what, range, isChecked }: ReadMessage): void {
    try {
      const read = isChecked
        ? this.#store.readChecked(what, range)
        : this.#store.read(what, range, (bytes) => this.#memory(bytes));
      this.#reads.set(id, read);
    } catch (error) {
      return this.#answer({ kind: 'failed', id, failure: failureOf(error) });
    }
    this.#next(id);
  }

  #next(id: number): void {
    const read = this.#reads.get(id);
    if (read === undefined) return;
    try {
      const { done = false, value } = read.next();
      if (done) this.#reads.delete(id);
      const bytes = value?.bytes as OwnBytes | undefined;
      this.#answer({ kind: 'batch', id, bytes }, bytes === undefined ? [] : [bytes.buffer]);
    } catch (error) {
      this.#reads.delete(id);
      this.#answer({ kind: 'failed', id, failure: failureOf(error) });
    }
  }

  #memory(bytes: number): Uint8Array {
    const free = this.#free.pop();
    return new Uint8Array(
      free !== undefined && free.byteLength >= bytes ? free : new ArrayBuffer(bytes),
    );
  }

  #keep(memory: Spent): void {
    if (memory !== undefined && this.#free.length < FREE_BATCHES) this.#free.push(memory);
  }
}

const LOST: WriteOutcome = { kind: 'unavailable', reason: 'BUG: a request has no outcome' };

function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const isFault = error instanceof Fault;
  const hint = isFault || error instanceof Unavailable ? error.hint : undefined;
  return { isFault, message, ...(hint === undefined ? {} : { hint }) };
}
