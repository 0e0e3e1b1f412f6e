/**
 * Finds the messages in a body of Prometheus' streamed remote read and yields batches of complete ones:
 *
 *   uvarint length | u32be CRC-32C of the message | message (length bytes)
 *
 * Decoding and checksums are a worker's task. Chunks of the socket are gathered in local memory, and full
 * batches copied to their target: into shared memory V8 copies byte by byte unless both sides have the
 * same alignment, which is much slower.
 */
import type { Room } from '../source.ts';

const BATCH_BYTES = 1024 * 1024;
const LONGEST_FRAME_BYTES = 64 * 1024 * 1024;
const LONGEST_VARINT_BYTES = 5;
const CRC_BYTES = 4;

/** The body does not consist of complete messages. */
export class BrokenMessages extends Error {
  readonly kind: 'damaged' | 'cut off';
  constructor(kind: 'damaged' | 'cut off', detail: string) {
    super(detail);
    this.name = 'BrokenFrames';
    this.kind = kind;
  }
}

/** Memory for gathering batches, reused from one body to the next. */
export class BatchMemory {
  readonly #free: Uint8Array[] = [];

  take(bytes: number): Uint8Array {
    const free = bytes <= BATCH_BYTES ? this.#free.pop() : undefined;
    return free ?? new Uint8Array(Math.max(BATCH_BYTES, bytes));
  }

  give(memory: Uint8Array): void {
    if (memory.length === BATCH_BYTES) this.#free.push(memory);
  }
}

/** Gathers batches of complete messages, each at most 1 MiB or a single message. */
export class MessageScan {
  readonly #memory: BatchMemory;
  readonly #room: Room;
  /** Complete messages, then a part of the open one. */
  #batch: Uint8Array = new Uint8Array(0);
  #used = 0;
  /** The part of the used bytes with complete messages. */
  #whole = 0;
  /** Missing bytes of the open message; 0 while its length is read. */
  #missing = 0;
  #length = 0;
  /** The encoded length of the open message. */
  readonly #varint: Uint8Array = new Uint8Array(LONGEST_VARINT_BYTES);
  #varintBytes = 0;

  constructor(memory: BatchMemory, room: Room) {
    this.#memory = memory;
    this.#room = room;
  }

  /**
   * @returns full batches
   * @throws {BrokenMessages} for a length above 64 MiB or without end
   */
  push(chunk: Uint8Array): Uint8Array[] {
    const batches: Uint8Array[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#missing === 0) {
        if (!this.#readLength(chunk[at++] ?? 0)) continue;
        const full = this.#openMessage();
        if (full) batches.push(full);
      } else {
        const part = chunk.subarray(at, at + this.#missing);
        this.#write(part);
        at += part.length;
        this.#missing -= part.length;
        if (this.#missing === 0) this.#whole = this.#used;
      }
    }
    return batches;
  }

  /** The last batch, perhaps empty. @throws {BrokenMessages} when the body ended within a message */
  finish(): Uint8Array {
    const open = this.#used - this.#whole + this.#varintBytes;
    if (open > 0) throw new BrokenMessages('cut off', `${open} bytes of a frame came`);
    return this.#take();
  }

  /** Gives the memory back at the end of the scan. */
  close(): void {
    this.#memory.give(this.#batch);
    this.#batch = new Uint8Array(0);
  }

  /** @returns whether the length is complete */
  #readLength(byte: number): boolean {
    this.#length += (byte & 127) * 2 ** (7 * this.#varintBytes);
    this.#varint[this.#varintBytes++] = byte;
    if (byte > 127) {
      if (this.#varintBytes < LONGEST_VARINT_BYTES) return false;
      throw new BrokenMessages('damaged', "a frame's length does not end");
    }
    if (this.#length > LONGEST_FRAME_BYTES)
      throw new BrokenMessages('damaged', `a frame claims ${this.#length} bytes`);
    return true;
  }

  /** Makes room for the message after reading its length. @returns the full batch, if it does not fit */
  #openMessage(): Uint8Array | undefined {
    const bytes = this.#varintBytes + CRC_BYTES + this.#length;
    const isFull = this.#used > 0 && this.#used + bytes > BATCH_BYTES;
    const full = isFull ? this.#take() : undefined;
    if (this.#batch.length < this.#used + bytes) {
      this.#memory.give(this.#batch);
      this.#batch = this.#memory.take(bytes);
    }
    this.#missing = CRC_BYTES + this.#length;
    this.#write(this.#varint.subarray(0, this.#varintBytes));
    this.#varintBytes = 0;
    this.#length = 0;
    return full;
  }

  #write(bytes: Uint8Array): void {
    this.#batch.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  #take(): Uint8Array {
    const frames = this.#batch.subarray(0, this.#whole);
    this.#used = 0;
    this.#whole = 0;
    if (frames.length === 0) return frames;
    const batch = this.#room(frames.length);
    batch.set(frames);
    return batch;
  }
}
