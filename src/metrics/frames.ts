/**
 * Finds the frames in a body of Prometheus' streamed remote read and hands out whole ones:
 *
 *   uvarint length | u32be CRC-32C of the message | message (length bytes)
 *
 * Nothing is decoded here and no checksum is looked at: that is a worker's work. Chunks of the
 * socket are kept as they came until their frames are whole, then copied once into a batch.
 */
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

/**
 * Batches of whole frames in order, each at most 1 MiB or a single frame.
 * @throws {BrokenFrames} for a length above 64 MiB or without end, or a partial frame at the end
 */
export async function* wholeFrames(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const scan = new FrameScan();
  for await (const chunk of body) {
    for (const frames of scan.push(chunk)) yield frames;
  }
  const rest = scan.finish();
  if (rest.length > 0) yield rest;
}

class FrameScan {
  #chunks: Uint8Array[] = [];
  /** Bytes in `#chunks`. */
  #held = 0;
  /** Of these, bytes of whole frames. */
  #whole = 0;
  /** Bytes missing of the frame that is open; 0 while its length is read. */
  #missing = 0;
  #length = 0;
  #lengthBytes = 0;

  *push(chunk: Uint8Array): Generator<Uint8Array, void> {
    let rest = chunk;
    let at = 0;
    while (at < rest.length) {
      if (this.#missing === 0) {
        if (!this.#readLength(rest[at++] ?? 0)) continue;
        if (this.#whole === 0) continue;
        if (this.#whole + this.#lengthBytes + this.#missing <= BATCH_BYTES) continue;
        this.#hold(rest.subarray(0, at));
        rest = rest.subarray(at);
        at = 0;
        yield this.#takeWhole();
      } else {
        const step = Math.min(this.#missing, rest.length - at);
        at += step;
        this.#missing -= step;
        if (this.#missing === 0) this.#closeFrame(at);
      }
    }
    this.#hold(rest);
    if (this.#whole >= BATCH_BYTES) yield this.#takeWhole();
  }

  finish(): Uint8Array {
    if (this.#held > this.#whole)
      throw new BrokenFrames('cut off', `${this.#held - this.#whole} bytes of a frame came`);
    return this.#takeWhole();
  }

  /** @returns whether the length is complete */
  #readLength(byte: number): boolean {
    this.#length += (byte & 127) * 2 ** (7 * this.#lengthBytes++);
    if (byte > 127) {
      if (this.#lengthBytes < LONGEST_VARINT_BYTES) return false;
      throw new BrokenFrames('damaged', "a frame's length does not end");
    }
    if (this.#length > LONGEST_FRAME_BYTES)
      throw new BrokenFrames('damaged', `a frame claims ${this.#length} bytes`);
    this.#missing = this.#length + CRC_BYTES;
    return true;
  }

  /** @param at where the frame ends in the chunk being read, which is not held yet */
  #closeFrame(at: number): void {
    this.#whole = this.#held + at;
    this.#length = 0;
    this.#lengthBytes = 0;
  }

  #hold(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#held += chunk.length;
  }

  #takeWhole(): Uint8Array {
    const batch = new Uint8Array(this.#whole);
    const kept: Uint8Array[] = [];
    let at = 0;
    for (const chunk of this.#chunks) {
      const taken = Math.min(chunk.length, this.#whole - at);
      batch.set(chunk.subarray(0, taken), at);
      at += taken;
      if (taken < chunk.length) kept.push(chunk.subarray(taken));
    }
    this.#chunks = kept;
    this.#held -= this.#whole;
    this.#whole = 0;
    return batch;
  }
}
