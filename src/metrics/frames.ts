/**
 * Finds the frames in a body of Prometheus' streamed remote read and hands out whole ones:
 *
 *   uvarint length | u32be CRC-32C of the message | message (length bytes)
 *
 * Nothing is decoded here and no checksum is looked at: that is a worker's work. Chunks of the
 * socket are gathered in memory of our own, and full batches copied to where they are wanted: into
 * shared memory V8 copies byte by byte unless both sides are aligned alike, 7 times as slow.
 */
import type { Room } from './source.ts';

const BATCH_BYTES = 1024 * 1024;
const LONGEST_FRAME_BYTES = 64 * 1024 * 1024;
const LONGEST_VARINT_BYTES = 5;
const CRC_BYTES = 4;

/** The body is not whole frames. */
export class BrokenFrames extends Error {
  readonly kind: 'damaged' | 'cut off';
  constructor(kind: 'damaged' | 'cut off', detail: string) {
    super(detail);
    this.name = 'BrokenFrames';
    this.kind = kind;
  }
}

/** What batches are gathered in, kept from one body to the next. */
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

/** Gathers batches of whole frames, each at most 1 MiB or a single frame. */
export class FrameScan {
  readonly #memory: BatchMemory;
  readonly #room: Room;
  /** Whole frames, then a part of the one that is open. */
  #batch: Uint8Array = new Uint8Array(0);
  #used = 0;
  /** Of the used bytes, those of whole frames. */
  #whole = 0;
  /** Bytes missing of the frame that is open; 0 while its length is read. */
  #missing = 0;
  #length = 0;
  /** The open frame's length as it came. */
  readonly #varint: Uint8Array = new Uint8Array(LONGEST_VARINT_BYTES);
  #varintBytes = 0;

  constructor(memory: BatchMemory, room: Room) {
    this.#memory = memory;
    this.#room = room;
  }

  /**
   * @returns batches that are full
   * @throws {BrokenFrames} for a length above 64 MiB or without end
   */
  push(chunk: Uint8Array): Uint8Array[] {
    const batches: Uint8Array[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#missing === 0) {
        if (!this.#readLength(chunk[at++] ?? 0)) continue;
        const full = this.#openFrame();
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

  /** The last batch, maybe empty. @throws {BrokenFrames} when the body ended within a frame */
  finish(): Uint8Array {
    const open = this.#used - this.#whole + this.#varintBytes;
    if (open > 0) throw new BrokenFrames('cut off', `${open} bytes of a frame came`);
    return this.#take();
  }

  /** Gives the memory back: the scan is over. */
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
      throw new BrokenFrames('damaged', "a frame's length does not end");
    }
    if (this.#length > LONGEST_FRAME_BYTES)
      throw new BrokenFrames('damaged', `a frame claims ${this.#length} bytes`);
    return true;
  }

  /** Makes room for the frame whose length was read. @returns the batch that it no longer fits */
  #openFrame(): Uint8Array | undefined {
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
