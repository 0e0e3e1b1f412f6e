/** The body of an answer as its socket gives it: chunk by chunk, to who takes them, at once. */

/** Takes a chunk, whose memory is its own only during the call. */
export type Sink = (chunk: Uint8Array) => void;

/** What holds back, goes on with, and breaks off the answer. */
export interface Flow {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

export class AnswerBody {
  readonly #flow: Flow;
  readonly #done: Promise<void>;
  #settle: (error: Error | null) => void = () => undefined;
  #sink: Sink | undefined;
  #isOver = false;

  /** Nothing flows before `pour` is called. */
  constructor(flow: Flow) {
    this.#flow = flow;
    this.#done = new Promise((resolve, reject) => {
      this.#settle = (error) => {
        this.#isOver = true;
        if (error) reject(error);
        else resolve();
      };
    });
    // What breaks while nobody reads must not become an unhandled rejection.
    this.#done.catch(() => undefined);
    flow.pause();
  }

  /**
   * Hands every chunk to `sink`. @throws what broke the connection, or what `sink` threw
   */
  async pour(sink: Sink): Promise<void> {
    this.#sink = sink;
    this.#flow.resume();
    await this.#done;
  }

  pause(): void {
    this.#flow.pause();
  }

  resume(): void {
    this.#flow.resume();
  }

  /** Closes the connection unless the body came to its end. */
  discard(): void {
    if (!this.#isOver) this.#flow.abort(new Error('nobody reads the rest of the answer'));
  }

  /** The client tells that a chunk came. */
  chunk(bytes: Uint8Array): void {
    if (this.#isOver) return;
    try {
      this.#sink?.(bytes);
    } catch (error) {
      this.end(error as Error);
      this.#flow.abort(error as Error);
    }
  }

  /** The client tells that no more comes, and why if the end is missing. */
  end(error: Error | null): void {
    this.#settle(error);
  }
}
