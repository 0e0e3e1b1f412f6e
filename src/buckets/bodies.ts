/**
 * What goes to a bucket and comes from it besides lists: objects, parts of them, and writes that count
 * only where nobody else wrote meanwhile.
 */
import { Unavailable } from '../query/index.ts';
import { AGAIN_SECONDS, reasonOf, type Heads, type Received } from './exchange.ts';

/** What a store says in place of an answer: the status, and its code where it has one. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
}

export type Reply = Received | Refusal;

export function isRefusal(reply: Reply): reply is Refusal {
  return !('body' in reply);
}

/** Bytes a second that the slowest line carries; a body has so much time, and a minute more. */
const BYTES_PER_SECOND_MIN = 1 << 19;
const BODY_MS = 60_000;
/** Tries of a body that is cut off. */
const BODY_TRIES = 3;
/** An object that is read whole. */
const OBJECT_BYTES_MAX = 2 ** 30;

/** Milliseconds that so many bytes may take. */
export function transferMs(bytes: number): number {
  return BODY_MS + (bytes / BYTES_PER_SECOND_MIN) * 1000;
}

interface Whole {
  readonly bytes: Uint8Array;
  readonly headers: Heads;
}

/** The whole object. @returns undefined where the store refuses, as there is none */
export async function readObject(
  what: string,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Reply>,
): Promise<Whole | undefined> {
  const read = await wholeBody(what, OBJECT_BYTES_MAX, signal, ask);
  return 'status' in read ? undefined : read;
}

/** The header of a range, which is not empty. */
export function rangeHeader(at: number, bytes: number): Readonly<Record<string, string>> {
  return { range: `bytes=${at}-${at + bytes - 1}` };
}

const CONTENT_RANGE = /^bytes (\d+)-(\d+)\//;

/**
 * The part that is asked for; less where the object ends before.
 * @param ask answers 206, or refuses: 416 past the end, 404 where there is no such object
 */
export async function readPart(
  what: string,
  { at, bytes }: { readonly at: number; readonly bytes: number },
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Reply>,
): Promise<Uint8Array | undefined> {
  if (bytes === 0) return new Uint8Array(0);
  const read = await wholeBody(what, bytes, signal, async (either) => {
    const reply = await ask(either);
    if (isRefusal(reply) || reply.status === 206) return reply;
    // The whole object, which may be of any length.
    reply.leave();
    throw new Unavailable(`cannot read ${what}: the store has no ranges`);
  });
  if ('status' in read) return read.status === 416 ? new Uint8Array(0) : undefined;
  const [, from] = CONTENT_RANGE.exec(read.headers.get('content-range') ?? '') ?? [];
  if (Number(from) === at) return read.bytes;
  throw new Unavailable(`cannot read ${what}: the store answers another range than is asked for`);
}

/** Asks for a body, again where it is cut off or stands still. */
async function wholeBody(
  what: string,
  bytesMax: number,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Reply>,
): Promise<Whole | Refusal> {
  for (let tried = 1; ; tried++) {
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new Error('its answer stands still')),
      transferMs(bytesMax),
    );
    try {
      const reply = await ask(AbortSignal.any([signal, late.signal]));
      if (isRefusal(reply)) return reply;
      return { headers: reply.headers, bytes: await bodyOf(what, reply, bytesMax) };
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      if (signal.aborted || tried >= BODY_TRIES) {
        const message = `cannot read ${what}: ${reasonOf(error).message}`;
        throw new Unavailable(message, { retryAfterSeconds: AGAIN_SECONDS, cause: error });
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

/** @throws if it is cut off, or longer than it may be */
async function bodyOf(what: string, response: Received, bytesMax: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bytesMax)
      throw new Unavailable(`cannot read ${what}: its answer has more than ${bytesMax} bytes`);
    parts.push(part);
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, bytes);
}

/**
 * Writes on a condition. Where the answer of a try was lost, a refusal may be of what that try wrote, and an
 * answer may end before it tells the version: then what is there is compared with what was to be written.
 * @param ask refuses where the condition does not hold; calls `onDoubt` where a try may have been done
 * although it failed
 * @param versionIn the new version that an answer tells; empty where it tells none
 * @param read what is there now
 */
export async function writtenIf(
  bytes: Uint8Array,
  ask: (onDoubt: () => void) => Promise<Reply>,
  versionIn: (written: Received) => Promise<string>,
  read: () => Promise<{ readonly bytes: Uint8Array; readonly version: string } | undefined>,
): Promise<string | undefined> {
  const state = { isInDoubt: false };
  const reply = await ask(() => (state.isInDoubt = true));
  if (isRefusal(reply)) {
    if (!state.isInDoubt) return undefined;
  } else {
    const version = await versionIn(reply).catch(() => '');
    if (version !== '') return version;
  }
  const there = await read();
  const isOurs = there !== undefined && Buffer.compare(there.bytes, bytes) === 0;
  return isOurs ? there.version : undefined;
}
