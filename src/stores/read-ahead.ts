/** A read that begins before its batches are wanted: a few of them wait, then the store does. */
import type { Batch } from '../metrics/index.ts';

/** Batches that wait for their turn. */
const WAITING_MAX = 2;

export class ReadAhead {
  readonly #begin: () => AsyncIterable<Batch>;
  readonly #patienceMs: number;
  readonly #waiting: Batch[] = [];
  readonly #pumping: Promise<void>;
  /** Since when the store has been kept waiting. */
  #pausedMs: number | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isOver = false;
  #isStopped = false;
  #wake: () => void = () => undefined;
  #wakePump: () => void = () => undefined;

  /**
   * @param begin begins the read, a second time where the store was kept waiting for too long
   * @param patienceMs how long a store may be kept waiting: a read has a deadline, and so have stores
   */
  constructor(begin: () => AsyncIterable<Batch>, patienceMs: number) {
    this.#begin = begin;
    this.#patienceMs = patienceMs;
    this.#pumping = this.#pump();
  }

  /** Why it failed, if it did. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Its batches, once. @throws what the read throws */
  async *batches(): AsyncGenerator<Batch, void> {
    if (this.#pausedMs !== undefined && performance.now() - this.#pausedMs > this.#patienceMs) {
      await this.stop();
      yield* this.#begin();
      return;
    }
    for (;;) {
      const batch = this.#waiting.shift();
      if (batch !== undefined) {
        this.#wakePump();
        yield batch;
      } else if (this.#failure !== undefined) throw this.#failure.error;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Ends the read. Resolves when nothing of it is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wakePump();
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    try {
      for await (const batch of this.#begin()) {
        this.#waiting.push(batch);
        this.#wake();
        await this.#untilWanted();
        if (this.#isStopped) break;
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#isOver = true;
    this.#wake();
  }

  async #untilWanted(): Promise<void> {
    this.#pausedMs = performance.now();
    while (this.#waiting.length >= WAITING_MAX && !this.#isStopped)
      await new Promise<void>((resolve) => (this.#wakePump = resolve));
    this.#pausedMs = undefined;
  }
}
