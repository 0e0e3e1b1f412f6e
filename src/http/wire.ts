import type { ReplyHead } from './reply-head.ts';

/** What an exchange needs of an engine's answer object. Every call after `cut` does nothing. */
export interface Wire {
  /**
   * A whole answer; `body` undefined for HEAD, which reports `lengthBytes` if it is known.
   * @returns settles when the socket took all of it or is gone; undefined when it did so at once
   */
  whole(head: ReplyHead, body: Uint8Array | undefined, lengthBytes?: number): Taken;
  /**
   * Status and headers of an answer in chunks.
   * @returns settles when chunks may be written; undefined when they may at once
   */
  begin(head: ReplyHead): Taken;
  /**
   * @param chunk not empty; its memory is the caller's again when the result settles
   * @returns settles when the socket wants more or is gone; undefined when it does so at once
   */
  write(chunk: Uint8Array): Taken;
  /** Ends an answer in chunks as whole. */
  end(): void;
  /** Called every second or so while a reader is waited for: it is ours to say how long. */
  keepWaiting(): void;
  /** Closes the connection at once: the client sees a broken transfer. */
  cut(): void;
}

export type Taken = Promise<void> | undefined;

/** What a wire tells back. */
export interface WireEvents {
  /** The client took some of what it was sent. */
  progressed(): void;
  /** The client went away, or the connection was cut. */
  gone(): void;
}
