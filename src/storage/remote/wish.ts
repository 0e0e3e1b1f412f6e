/**
 * What a worker does to read a set that is in another place: it says which columns it wants, and waits
 * until they are in a file of this machine. A wish goes to the thread that made the worker:
 *
 *   { wish: { stored, columns, reply } }     reply, shared: i32 state | i32 length | the answer as JSON
 *
 * A worker has no loop to wait in: it stands still at the state, for a limited time.
 */
import { parentPort } from 'node:worker_threads';
import { Unavailable } from '../../query/index.ts';
import type { Region } from '../arrow/directory.ts';
import { DamagedSet, nameOf, type SetKey } from '../set-key.ts';
import type { StoredSet } from '../sets.ts';

/** A set's columns in a file here. Other columns of the file may be missing, though its directory names them. */
export interface LocalSet {
  readonly path: string;
  readonly directory: Region;
}

export interface Wish {
  readonly stored: StoredSet;
  /** Absent: all. */
  readonly columns?: readonly string[];
  readonly reply: SharedArrayBuffer;
}

type Answer =
  | LocalSet
  | { readonly damage: string }
  | {
      readonly message: string;
      readonly hint?: string | undefined;
      readonly retryAfterSeconds?: number | undefined;
    };

const REPLY_BYTES = 8192;
const HEAD_BYTES = 8;
const WAITING = 0;
const ANSWERED = 1;
/** Parts of a set are fetched by requests that give up long before. */
const WITHIN_MS = 300_000;

/** A store that could not be read is asked again after so long. */
export const AGAIN_SECONDS = 5;
/** A file that was brought here may be gone before it is opened, where many are brought: so often it is brought. */
export const BROUGHT_TIMES = 5;

/** It was gone each time. */
export function tooSmall(key: SetKey): Unavailable {
  const hint = 'raise --store-cache';
  const message = `cannot read the stored ${nameOf(key)}: the cache is too small`;
  return new Unavailable(message, { hint, retryAfterSeconds: AGAIN_SECONDS });
}

/**
 * On a worker: brings the columns of a set here.
 * @throws {DamagedSet} when it is not there as it was written
 * @throws {Unavailable} when it cannot be brought, or not in time
 */
export function broughtHere(stored: StoredSet, columns: readonly string[] | undefined): LocalSet {
  if (parentPort === null)
    throw new Error(`BUG: ${nameOf(stored.key)} are elsewhere and read on the main thread`);
  const reply = new SharedArrayBuffer(REPLY_BYTES);
  const wish: Wish = { stored, reply, ...(columns === undefined ? {} : { columns }) };
  parentPort.postMessage({ wish });
  const head = new Int32Array(reply, 0, 2);
  Atomics.wait(head, 0, WAITING, WITHIN_MS);
  if (Atomics.load(head, 0) !== ANSWERED)
    throw new Unavailable(
      `cannot read the stored ${nameOf(stored.key)}: they were not brought within ${WITHIN_MS / 1000} s`,
      { retryAfterSeconds: AGAIN_SECONDS },
    );
  const text = Buffer.from(reply, HEAD_BYTES, head[1]).toString();
  const answer = JSON.parse(text) as Answer;
  if ('path' in answer) return answer;
  if ('damage' in answer) throw new DamagedSet(stored.key, answer.damage);
  const { message, ...fields } = answer;
  throw new Unavailable(message, fields);
}

/** The wish in a message of a worker; undefined for another message. */
export function wishIn(message: unknown): Wish | undefined {
  if (typeof message !== 'object' || message === null || !('wish' in message)) return undefined;
  return message.wish as Wish;
}

/** Answers a wish, and wakes the worker. */
export function answerWish({ reply }: Wish, result: LocalSet | Error): void {
  let text = Buffer.from(JSON.stringify(answerOf(result)));
  if (text.length > REPLY_BYTES - HEAD_BYTES)
    text = Buffer.from('{"message":"cannot read a stored set: its answer is too long"}');
  new Uint8Array(reply, HEAD_BYTES).set(text);
  const head = new Int32Array(reply, 0, 2);
  head[1] = text.length;
  Atomics.store(head, 0, ANSWERED);
  Atomics.notify(head, 0);
}

function answerOf(result: LocalSet | Error): Answer {
  if (!(result instanceof Error)) return result;
  if (result instanceof DamagedSet) return { damage: result.reason };
  if (!(result instanceof Unavailable)) return { message: result.message };
  const { message, hint, retryAfterSeconds } = result;
  return { message, hint, retryAfterSeconds };
}
