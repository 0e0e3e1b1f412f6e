/**
 * Small answers, kept as bytes: the same question over the same sets gets the same bytes, and those
 * who ask at the same time wait for one computation.
 */
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
    const collecting = this.#collect(chunks());
    const whole = collecting.then((result) => (Buffer.isBuffer(result) ? result : undefined));
    // One that fails or is long tells those who wait only that they must ask themselves.
    const told = whole.catch(() => undefined);
    this.#underWay.set(key, told);
    try {
      const result = await collecting;
      if (Buffer.isBuffer(result) && isKept()) this.#keep(key, result);
      return result;
    } finally {
      if (this.#underWay.get(key) === told) this.#underWay.delete(key);
    }
  }

  async #collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer | AsyncIterable<Uint8Array>> {
    const iterator = chunks[Symbol.asyncIterator]();
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) return Buffer.concat(parts);
      bytes += next.value.length;
      if (bytes > this.#options.answerMaxBytes) return resumed([...parts, next.value], iterator);
      // A chunk is valid only until the next is asked for.
      parts.push(Buffer.from(next.value));
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

/** What was collected, each part let go as it is given, then the rest. */
function resumed(
  parts: Uint8Array[],
  iterator: AsyncIterator<Uint8Array, unknown, unknown>,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: async (told?: unknown) => {
        const value = parts.shift();
        return value === undefined ? await iterator.next(told) : { done: false, value };
      },
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
}
