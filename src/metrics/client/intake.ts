/**
 * Processes a body as it comes, and yields the results on request. A short queue lies between the two,
 * as waking the reader for each chunk would cost more than the chunks.
 */
import type { AnswerBody } from './answer-body.ts';
import type { IdleLimit } from './deadline.ts';

/** The number of waiting items at which the store has to wait. */
const WAITING_MAX = 2;

export class Intake<Item> {
  readonly #body: AnswerBody;
  readonly #idle: IdleLimit;
  readonly #take: (chunk: Uint8Array) => Iterable<Item>;
  readonly #waiting: Item[] = [];
  #wake: () => void = () => undefined;
  /** The error that `take` threw. */
  refusal: unknown;

  constructor(body: AnswerBody, idle: IdleLimit, take: (chunk: Uint8Array) => Iterable<Item>) {
    this.#body = body;
    this.#idle = idle;
    this.#take = take;
  }

  /** @throws the error of the connection, or of `take` */
  async *items(): AsyncGenerator<Item, void> {
    let isOver = false;
    this.#idle.restart();
    const poured = this.#body.pour(this.#sink).finally(() => {
      isOver = true;
      this.#idle.stop();
      this.#wake();
    });
    // Thrown below, after the items before it.
    poured.catch(() => undefined);
    for (;;) {
      const item = this.#waiting.shift();
      if (item !== undefined) yield item;
      else if (isOver) return await poured;
      else await this.#more();
    }
  }

  /** Closes the connection unless the body was read to its end. */
  close(): void {
    this.#idle.stop();
    this.#body.discard();
  }

  readonly #sink = (chunk: Uint8Array): void => {
    this.#idle.restart();
    try {
      for (const item of this.#take(chunk)) this.#waiting.push(item);
    } catch (error) {
      this.refusal = error;
      throw error;
    }
    if (this.#waiting.length === 0) return;
    this.#wake();
    if (this.#waiting.length < WAITING_MAX) return;
    this.#idle.stop();
    this.#body.pause();
  };

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#idle.restart();
      this.#body.resume();
    });
  }
}
