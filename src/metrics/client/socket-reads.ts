/**
 * Reads a socket into reused memory. Node allocates 64 KiB for each read, and V8 collects the whole heap
 * for each 64 MiB of new buffers, even if there is no other garbage.
 */
import type { OnReadOpts, Socket } from 'node:net';

/** Size of one read: large, so that there are few reads from a fast store. */
const READ_BYTES = 128 * 1024;

/**
 * The read memory of one socket. A reader takes the bytes before the next read, which then reuses the
 * memory. If it leaves them in the socket's queue, the next read gets new memory.
 */
export class SocketReads {
  /** Set once connected, before anything is read. */
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
