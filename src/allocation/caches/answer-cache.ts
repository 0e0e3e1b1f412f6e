/**
 * Small answers, kept as bytes: the same question over the same sets gets the same bytes, and those
 * who ask at the same time wait for one computation.
 */
import { Cache } from '../../cache/index.ts';
import { beginning } from '../../http/index.ts';

export interface CacheOptions {
  /** Of all answers together. */
  readonly budgetBytes: number;
  /** A longer answer is streamed, and not kept. */
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

  /** Of all answers together. */
  get budgetBytes(): number {
    return this.#options.budgetBytes;
  }

  get(key: string): Buffer | undefined {
    return this.#answers.get(key);
  }

  /**
   * The answer's bytes, or its chunks where it is too long to be kept.
   * @param isKept false: it may be different the next time, as when a set was found damaged
   */
  async answer(
    key: string,
    chunks: () => AsyncIterable<Uint8Array>,
    isKept: () => boolean,
  ): Promise<Buffer | AsyncIterable<Uint8Array>> {
    let begun: Promise<Buffer | AsyncIterable<Uint8Array>> | undefined;
    const own = (): Promise<Buffer | AsyncIterable<Uint8Array>> =>
      (begun ??= beginning(chunks(), this.#options.answerMaxBytes));
    const kept = (body: Buffer | AsyncIterable<Uint8Array>): Buffer | undefined =>
      Buffer.isBuffer(body) && isKept() ? body : undefined;
    // One that fails, is long or lacks a set tells those who wait only that they must ask themselves.
    const shared = await this.#answers
      .open(key, async () => kept(await own()))
      .catch(() => undefined);
    if (shared !== undefined) return shared;
    const body = await own();
    const whole = kept(body);
    if (whole !== undefined) this.#answers.set(key, whole);
    return body;
  }
}
