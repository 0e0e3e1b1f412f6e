/** The body of an answer: passes chunks from the socket directly to a function. */

/** Takes a chunk; its memory is valid only during the call. */
export type Sink = (chunk: Uint8Array) => void;

/** Pauses, resumes and aborts the answer. */
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
    // An error before the body is read must not become an unhandled rejection.
    this.#done.catch(() => undefined);
    flow.pause();
  }

  /**
   * Passes all chunks to `sink`. @throws the error of the connection, or of `sink`
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

  /** Closes the connection unless the body was read to its end. */
  discard(): void {
    if (!this.#isOver) this.#flow.abort(new Error('nobody reads the rest of the answer'));
  }

  /** Called by the client for each chunk. */
  chunk(bytes: Uint8Array): void {
    if (this.#isOver) return;
    try {
      this.#sink?.(bytes);
    } catch (error) {
      this.end(error as Error);
      this.#flow.abort(error as Error);
    }
  }

  /** Called by the client at the end. @param error why the end is missing */
  end(error: Error | null): void {
    this.#settle(error);
  }
}
