/**
 * Reads of a socket into memory that is used again. Node gives every read 64 KiB of its own, and V8
 * collects the whole heap for each 64 MiB that buffers came to, though nothing else has come: that
 * was twice a query of 33 MB.
 */
import type { OnReadOpts, Socket } from 'node:net';

/** Of one read: large enough that a store that sends fast is asked seldom. */
const READ_BYTES = 128 * 1024;

/**
 * The memory of one socket: what a read fills while the one before it is taken. Who reads the
 * socket takes what it gets before the next read, or leaves it in the socket's queue: only then
 * does the next read get memory of its own.
 */
export class SocketReads {
  /** Known once connected, before anything is read. */
  socket: Socket | undefined;
  #next: Uint8Array = new Uint8Array(READ_BYTES);
  #handedOut: Uint8Array | undefined;

  readonly options: OnReadOpts = {
    buffer: () => this.#next,
    callback: (bytes, buffer) => this.#handOut(buffer, bytes),
  };

  /** @returns whether the socket wants more */
  #handOut(buffer: Uint8Array, bytes: number): boolean {
    const isTaken = this.socket?.readableLength === 0;
    this.#next = (isTaken ? this.#handedOut : undefined) ?? new Uint8Array(READ_BYTES);
    this.#handedOut = buffer;
    return this.socket?.push(Buffer.from(buffer.buffer, 0, bytes)) ?? true;
  }
}
