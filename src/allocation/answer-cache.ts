/**
 * Small answers, kept as bytes: the same question over the same sets gets the same bytes, and those
 * who ask at the same time wait for one computation.
 */
import { beginning } from '../http/index.ts';

export interface CacheOptions {
  /** Of all answers together. */
  readonly budgetBytes: number;
  /** A longer answer is streamed, and not kept. */
  readonly answerMaxBytes: number;
}

export class AnswerCache {
  readonly #options: CacheOptions;
  /** The one used last at the end. */
  readonly #answers: Map<string, Buffer> = new Map();
  readonly #underWay: Map<string, Promise<Buffer | undefined>> = new Map();
  #bytes = 0;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /** Of all answers together. */
  get budgetBytes(): number {
    return this.#options.budgetBytes;
  }

  get(key: string): Buffer | undefined {
    const known = this.#answers.get(key);
    if (known === undefined) return undefined;
    this.#answers.delete(key);
    this.#answers.set(key, known);
    return known;
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
    const known = this.get(key) ?? (await this.#underWay.get(key));
    if (known !== undefined) return known;
    const collecting = beginning(chunks(), this.#options.answerMaxBytes);
    const kept = collecting.then((result) =>
      Buffer.isBuffer(result) && isKept() ? result : undefined,
    );
    // One that fails, is long or lacks a set tells those who wait only that they must ask themselves.
    const told = kept.catch(() => undefined);
    this.#underWay.set(key, told);
    try {
      const whole = await kept;
      if (whole !== undefined) this.#keep(key, whole);
      return await collecting;
    } finally {
      if (this.#underWay.get(key) === told) this.#underWay.delete(key);
    }
  }

  #keep(key: string, answer: Buffer): void {
    this.#bytes += answer.length + key.length;
    this.#answers.set(key, answer);
    for (const [oldest, { length }] of this.#answers) {
      if (this.#bytes <= this.#options.budgetBytes) return;
      this.#answers.delete(oldest);
      this.#bytes -= length + oldest.length;
    }
  }
}
