import type { ReplyHead } from './reply-head.ts';

/** The part of an engine's answer object that an exchange needs. Calls after `cut` do nothing. */
export interface Wire {
  /**
   * Sends a whole answer; `body` undefined for HEAD, which reports `lengthBytes` if it is known.
   * @returns settles when the socket took all of it or is gone; undefined if it did so at once
   */
  whole(head: ReplyHead, body: Uint8Array | undefined, lengthBytes?: number): Taken;
  /**
   * Sends status and headers of an answer in chunks.
   * @returns settles when chunks may be written; undefined if they may at once
   */
  begin(head: ReplyHead): Taken;
  /**
   * @param chunk not empty; the caller may reuse its memory when the result settles
   * @returns settles when the socket wants more or is gone; undefined if it does so at once
   */
  write(chunk: Uint8Array): Taken;
  /** Completes an answer in chunks. */
  end(): void;
  /** Called about each second while a slow reader is waited for, so that the engine does not give up. */
  keepWaiting(): void;
  /** Closes the connection at once: the client sees a broken transfer. */
  cut(): void;
  /** The client's address; '' once it has gone. */
  peer(): string;
}

export type Taken = Promise<void> | undefined;

/** Events of a wire. */
export interface WireEvents {
  /** The client took some of what it was sent. */
  progressed(): void;
  /** The client went away, or the connection was cut. */
  gone(): void;
}
