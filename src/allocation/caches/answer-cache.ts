/**
 * Answers as bytes: the same query over the same sets gets the same bytes. Short answers are made before
 * they are sent, and concurrent requests wait for one computation; longer ones are kept as they are read.
 */
import { Cache, type CacheState } from '../../cache/index.ts';
import { beginning } from '../../http/index.ts';

export interface CacheOptions {
  /** Budget of all answers together. */
  readonly budgetBytes: number;
  /** A longer answer is streamed. */
  readonly answerMaxBytes: number;
}

type Answer = Buffer | AsyncIterable<Uint8Array>;

/** Share of the budget of answers that are not read to their end yet. */
const COLLECTED_SHARE = 0.25;
/** A single answer has no more than this share, so that it does not put out all others. */
const ANSWER_SHARE = 1 / 16;

export class AnswerCache {
  readonly #options: CacheOptions;
  readonly #answers: Cache<Buffer | undefined>;
  /** The copies of answers that are being read. */
  #collectedBytes = 0;
  #hits = 0;
  #misses = 0;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#answers = new Cache({
      budget: (1 - COLLECTED_SHARE) * options.budgetBytes,
      sizeOf: (answer, key) => (answer?.length ?? 0) + key.length,
      isCacheable: (answer) => answer !== undefined,
    });
  }

  /** Budget of all answers together. */
  get budgetBytes(): number {
    return this.#options.budgetBytes;
  }

  get state(): CacheState {
    const { bytes, entries } = this.#answers.state;
    return {
      bytes: bytes + this.#collectedBytes,
      entries,
      hits: this.#hits,
      misses: this.#misses,
    };
  }

  /** Counts an answer that was found before it was looked for here. */
  countHit(): void {
    this.#hits++;
  }

  get(key: string): Buffer | undefined {
    const answer = this.#answers.get(key);
    if (answer !== undefined) this.#hits++;
    return answer;
  }

  /**
   * The answer's bytes, or its chunks where it is long: these are cached once all are read.
   * @param isCacheable false: it may be different the next time, as when a set was found damaged
   */
  async answer(
    key: string,
    chunks: () => AsyncIterable<Uint8Array>,
    isCacheable: () => boolean,
  ): Promise<Answer> {
    this.#misses++;
    let begun: Promise<Answer> | undefined;
    const own = (): Promise<Answer> =>
      (begun ??= beginning(chunks(), this.#options.answerMaxBytes));
    const cacheable = (body: Answer): Buffer | undefined =>
      Buffer.isBuffer(body) && isCacheable() ? body : undefined;
    // Where one fails, is long or lacks a set, those that wait compute their own.
    const shared = await this.#answers
      .open(key, async () => cacheable(await own()))
      .catch(() => undefined);
    if (shared !== undefined) return shared;
    const body = await own();
    if (!Buffer.isBuffer(body)) return this.#kept(key, body, isCacheable);
    const whole = cacheable(body);
    if (whole !== undefined) this.#answers.set(key, whole);
    return body;
  }

  /** The chunks, copied as they pass while there is room for copies. */
  #kept(
    key: string,
    chunks: AsyncIterable<Uint8Array>,
    isCacheable: () => boolean,
  ): AsyncIterable<Uint8Array> {
    const source: AsyncIterator<Uint8Array, unknown, unknown> = chunks[Symbol.asyncIterator]();
    let parts: Buffer[] | undefined = [];
    let bytes = 0;
    const forget = (): void => {
      this.#collectedBytes -= bytes;
      bytes = 0;
      parts = undefined;
    };
    const copy = (chunk: Uint8Array): void => {
      if (parts === undefined) return;
      if (!this.#hasRoom(bytes, chunk.length)) return forget();
      this.#collectedBytes += chunk.length;
      bytes += chunk.length;
      parts.push(Buffer.from(chunk));
    };
    return {
      [Symbol.asyncIterator]: () => ({
        next: async (wasTaken?: unknown) => {
          try {
            const step = await source.next(wasTaken);
            if (step.done !== true) {
              copy(step.value);
              return step;
            }
            if (parts !== undefined && isCacheable()) this.#answers.set(key, Buffer.concat(parts));
            forget();
            return { done: true, value: undefined };
          } catch (error) {
            forget();
            throw error;
          }
        },
        return: async () => {
          forget();
          return (await source.return?.()) ?? { done: true, value: undefined };
        },
      }),
    };
  }

  #hasRoom(ownBytes: number, moreBytes: number): boolean {
    const { budgetBytes } = this.#options;
    const fits = this.#collectedBytes + moreBytes <= COLLECTED_SHARE * budgetBytes;
    return fits && ownBytes + moreBytes <= ANSWER_SHARE * budgetBytes;
  }
}
