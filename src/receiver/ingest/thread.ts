/**
 * The thread of the receiver: stores requests in groups, whatever came while the last group was stored, and
 * makes batches of reads between them.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Fault, Unavailable } from '../../query/index.ts';
import type { WriteOutcome } from '../receiver.ts';
import type { Answer, Failure, Request, ThreadStart } from './messages.ts';
import { ReceiverStore } from './receiver-store.ts';

type WriteMessage = Extract<Request, { kind: 'write' }>;
type ReadMessage = Extract<Request, { kind: 'read' }>;

/** Requests of one commit: more wait for the next, so that the first need not wait for all. */
const GROUP_REQUESTS = 64;
const GROUP_BYTES = 8 << 20;

/** Runs until it is told to close. */
export function runThread(): void {
  const port = parentPort;
  if (port === null) throw new Error('BUG: the receiver runs in no thread of its own');
  const answer = (message: Answer, moved: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, moved);
  const { options, nowMs } = workerData as ThreadStart;
  let store: ReceiverStore;
  try {
    store = new ReceiverStore(options, nowMs);
  } catch (error) {
    answer({ kind: 'broken', failure: failureOf(error) });
    port.close();
    return;
  }
  const thread = new Thread(store, answer);
  port.on('message', (message: Request) => {
    if (message.kind !== 'close') return thread.take(message);
    thread.close();
    answer({ kind: 'closed' });
    port.close();
  });
  answer({ kind: 'ready', figures: store.figures });
}

class Thread {
  readonly #store: ReceiverStore;
  readonly #answer: (message: Answer, moved?: readonly ArrayBuffer[]) => void;
  readonly #reads = new Map<number, Iterator<Uint8Array<ArrayBuffer>>>();
  #waiting: WriteMessage[] = [];
  #isDue = false;

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
        return this.#next(message.id);
      case 'end':
        this.#reads.delete(message.id);
    }
  }

  close(): void {
    while (this.#waiting.length > 0) this.#storeGroup();
    this.#store.close();
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
  }

  #begin({ id, what, range }: ReadMessage): void {
    try {
      this.#reads.set(id, this.#store.read(what, range));
    } catch (error) {
      return this.#answer({ kind: 'failed', id, failure: failureOf(error) });
    }
    this.#next(id);
  }

  #next(id: number): void {
    const read = this.#reads.get(id);
    if (read === undefined) return;
    try {
      const { done = false, value } = read.next() as IteratorResult<
        Uint8Array<ArrayBuffer>,
        undefined
      >;
      if (done) this.#reads.delete(id);
      this.#answer({ kind: 'batch', id, bytes: value }, value === undefined ? [] : [value.buffer]);
    } catch (error) {
      this.#reads.delete(id);
      this.#answer({ kind: 'failed', id, failure: failureOf(error) });
    }
  }
}

const LOST: WriteOutcome = { kind: 'unavailable', reason: 'BUG: a request has no outcome' };

function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const isFault = error instanceof Fault;
  const hint = isFault || error instanceof Unavailable ? error.hint : undefined;
  return { isFault, message, ...(hint === undefined ? {} : { hint }) };
}
