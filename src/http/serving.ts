/** Ways to serve chunks that are made on demand, by the time of their turn. */
import { beginning } from './beginning.ts';
import { endingWith } from './ending-with.ts';
import type { HttpReply } from './server.ts';

/** Turns for a limited number of answers at once, such as an admission. */
export interface Turns {
  /** @returns a function that gives the turn back @throws {Unavailable} when too many wait */
  enter(signal: AbortSignal): Promise<() => void>;
}

/** An answer that is made as its chunks are requested. */
export interface Made<Found> {
  /** Each chunk is valid until the next. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The data that the answer has been made from so far, with warnings. */
  readonly found: () => Found;
  /** Called when the head is sent and can no longer change. */
  readonly headSent?: () => void;
}

interface Begun<Found> {
  readonly made: Made<Found>;
  readonly body: HttpReply['body'];
}

export interface Serving<Found> {
  /** The bytes of a cached answer; absent: answers are not cached. */
  readonly cached?: (id: string) => Uint8Array | undefined;
  /** Calls `make` at most once. */
  begin(make: Make<Found>, asked: Asked): Promise<Begun<Found>>;
}

/** An answer that is to be made. */
export interface Asked {
  /** The same for the same bytes. */
  readonly id: string;
  readonly signal: AbortSignal;
  readonly isCheap: boolean;
}

/** @param signal ends the work */
export type Make<Found> = (signal: AbortSignal) => Promise<Made<Found>> | Made<Found>;

/** The turn lasts from the request of the first chunk to the last one; without such a request there is none. */
export function inTurnWhileRead<Found>(turns: Turns): Serving<Found> {
  return {
    async begin(make, { signal }) {
      const made = await make(signal);
      return { made, body: chunksInTurn(turns, made.chunks, signal) };
    },
  };
}

async function* chunksInTurn(
  turns: Turns,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const leave = await turns.enter(signal);
  try {
    yield* chunks;
  } finally {
    leave();
  }
}

/** The beginning is made before the head is sent; the chunks take the turns that they need. */
export function begun<Found>(maxBytes: number): Serving<Found> {
  return {
    async begin(make, { signal }) {
      const made = await make(signal);
      return { made, body: await beginning(made.chunks, maxBytes) };
    },
  };
}

/** The cache of answers, and limits of how many are under way at once: short ones, and long ones. */
export interface AnswerCaching {
  /** Turns of computing: a short answer as a whole, the beginning of a long one. */
  readonly admission: Turns;
  /** The same for answers that take little; absent: those wait for the same turns. */
  readonly cheap?: Turns;
  /** Turns of streaming a long answer, as long as it is read. */
  readonly streams: Turns;
  readonly cache: CachedAnswers;
}

interface CachedAnswers {
  get(id: string): Buffer | undefined;
  /** The answer's bytes, or its chunks if it is long: those are cached once they are read. */
  answer(
    id: string,
    chunks: () => AsyncIterable<Uint8Array>,
    isCacheable: () => boolean,
  ): Promise<Buffer | AsyncIterable<Uint8Array>>;
}

/**
 * Answers are cached as bytes: short ones before they are sent, long ones once they are read.
 * @param isCacheable false: the same request may get another answer later
 */
export function cachedOnceRead<Found>(
  { admission, cheap = admission, streams, cache }: AnswerCaching,
  isCacheable: (found: Found) => boolean,
): Serving<Found> {
  return {
    cached: (id) => cache.get(id),
    async begin(make, { id, signal, isCheap }) {
      const { made, answer } = await inTurn(isCheap ? cheap : admission, signal, async () => {
        const made = await make(signal);
        const answer = await cache.answer(
          id,
          () => made.chunks,
          () => isCacheable(made.found()),
        );
        return { made, answer };
      });
      const body = Buffer.isBuffer(answer) ? answer : await streamed(streams, answer, signal);
      return { made, body };
    },
  };
}

/** Streams chunks in a turn that lasts until their reader has all of them, or leaves. */
async function streamed(
  streams: Turns,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  try {
    return endingWith(chunks, await streams.enter(signal));
  } catch (error) {
    await chunks[Symbol.asyncIterator]().return?.();
    throw error;
  }
}

/** Waits for a turn, and gives it back when the work ends. */
export async function inTurn<Result>(
  turns: Turns,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const leave = await turns.enter(signal);
  try {
    return await work();
  } finally {
    leave();
  }
}
