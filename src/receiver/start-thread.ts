/** Starts the thread that holds the samples. */
import { Worker } from 'node:worker_threads';
import { Fault, Unavailable } from '../query/index.ts';
import type { Answer, Failure, ThreadStart } from './ingest/messages.ts';

export interface ReceiverOptions {
  /** Its own: nothing else is in there. It is made. */
  readonly folder: string;
  /** How much older than now a sample may be that is not the newest of its series. */
  readonly outOfOrderMs: number;
  /** How long samples stay. */
  readonly retentionMs: number;
  /** Series at a time; new ones are refused beyond until others end. */
  readonly maxSeries: number;
  readonly maxSamplesPerSecond: number;
  /** Told what could not be done and is tried again, such as cutting a block. */
  readonly note?: (text: string) => void;
  /** Absent: the real clock. */
  readonly nowMs?: () => number;
}

/** At the depth of this file, also within the bundle. */
const ENTRY = new URL('../../workers/receiver-entry.js', import.meta.url);

export interface Thread {
  readonly worker: Worker;
  readonly begun: Extract<Answer, { kind: 'ready' }>;
}

/** @throws {Unavailable} when the thread cannot begin: it has ended then */
export function startThread(options: ReceiverOptions): Promise<Thread> {
  const { nowMs = Date.now, note: _note, ...others } = options;
  const workerData: ThreadStart = { options: others, nowMs: nowMs() };
  const worker = new Worker(ENTRY, { workerData, name: 'receiver' });
  return new Promise((resolve, reject) => {
    let why: Error = new Unavailable('the receiver ended as it began');
    worker.once('message', (answer: Answer) => {
      if (answer.kind === 'ready') resolve({ worker, begun: answer });
      else if (answer.kind === 'broken') why = errorOf(answer.failure);
    });
    worker.once('error', (error) => {
      why = error;
    });
    worker.once('exit', () => reject(why));
  });
}

export function errorOf({ isFault, message, hint }: Failure): Error {
  const options = hint === undefined ? {} : { hint };
  return isFault ? new Fault(message, options) : new Unavailable(message, options);
}
