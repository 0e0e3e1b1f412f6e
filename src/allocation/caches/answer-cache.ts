/**
 * Small answers as bytes: the same query over the same sets gets the same bytes, and concurrent
 * requests wait for one computation.
 */
import { Cache } from '../../cache/index.ts';
import { beginning } from '../../http/index.ts';

export interface CacheOptions {
  /** Budget of all answers together. */
  readonly budgetBytes: number;
  /** A longer answer is streamed, and not cached. */
  readonly answerMaxBytes: number;
}

export class AnswerCache {
  readonly #options: CacheOptions;
  readonly #answers: Cache<Buffer | undefined>;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#answers = new Cache({
      budget: options.budgetBytes,
      sizeOf: (answer, key) => (answer?.length ?? 0) + key.length,
      isCacheable: (answer) => answer !== undefined,
    });
  }

  /** Budget of all answers together. */
  get budgetBytes(): number {
    return this.#options.budgetBytes;
  }

  get(key: string): Buffer | undefined {
    return this.#answers.get(key);
  }

  /**
   * The answer's bytes, or its chunks where it is too long to be cached.
   * @param isCacheable false: it may be different the next time, as when a set was found damaged
   */
  async answer(
    key: string,
    chunks: () => AsyncIterable<Uint8Array>,
    isCacheable: () => boolean,
  ): Promise<Buffer | AsyncIterable<Uint8Array>> {
    let begun: Promise<Buffer | AsyncIterable<Uint8Array>> | undefined;
    const own = (): Promise<Buffer | AsyncIterable<Uint8Array>> =>
      (begun ??= beginning(chunks(), this.#options.answerMaxBytes));
    const cacheable = (body: Buffer | AsyncIterable<Uint8Array>): Buffer | undefined =>
      Buffer.isBuffer(body) && isCacheable() ? body : undefined;
    // Where one fails, is long or lacks a set, those that wait compute their own.
    const shared = await this.#answers
      .open(key, async () => cacheable(await own()))
      .catch(() => undefined);
    if (shared !== undefined) return shared;
    const body = await own();
    const whole = cacheable(body);
    if (whole !== undefined) this.#answers.set(key, whole);
    return body;
  }
}
