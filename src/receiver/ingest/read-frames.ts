/**
 * Writes batches of Prometheus' streamed remote read (src/metrics/source.ts), in which chunks stand as they
 * are stored:
 *
 *   uvarint length | u32be CRC-32C | ChunkedReadResponse { 1: ChunkedSeries { 1: Label …, 2: Chunk … } }
 *   Chunk { 1: first ms, 2: last ms, 3: encoding, 4: data }
 */
import { crc32c } from '../blocks/crc32c.ts';
import type { XorChunk } from '../blocks/series.ts';
import { fieldBytes, writeHead } from './label-bytes.ts';

const BATCH_BYTES = 1 << 20;
/** Chunks of one frame: a series with more goes on in the next one. */
const FRAME_BYTES = BATCH_BYTES / 2;
const SERIES = 0x0a;
const CHUNK = 0x12;
const FIRST_MS = 0x08;
const LAST_MS = 0x10;
const ENCODING = 0x18;
const XOR = 1;
const DATA = 0x22;
/** Length, checksum, and the head of the series. */
const FRAME_HEAD_BYTES = 5 + 4 + 6;
/** Heads and numbers of a chunk. */
const CHUNK_HEAD_BYTES = 48;

export class FrameWriter {
  #batch: Uint8Array<ArrayBuffer> = new Uint8Array(BATCH_BYTES);
  #used = 0;

  /** @returns the batches that are full */
  *add(labels: Uint8Array, chunks: readonly XorChunk[]): Generator<Uint8Array<ArrayBuffer>> {
    for (let from = 0; from < chunks.length;) {
      let [to, bytes] = [from, labels.length];
      while (to < chunks.length && (to === from || bytes < FRAME_BYTES))
        bytes += CHUNK_HEAD_BYTES + (chunks[to++]?.bytes.length ?? 0);
      const most = FRAME_HEAD_BYTES + bytes;
      if (this.#used > 0 && this.#used + most > this.#batch.length) yield this.take();
      if (most > this.#batch.length) this.#batch = new Uint8Array(most);
      this.#frame(labels, chunks.slice(from, to));
      from = to;
    }
  }

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  /** The batch is the caller's from here on. */
  take(): Uint8Array<ArrayBuffer> {
    const batch = this.#batch.subarray(0, this.#used);
    this.#batch = new Uint8Array(BATCH_BYTES);
    this.#used = 0;
    return batch;
  }

  #frame(labels: Uint8Array, chunks: readonly XorChunk[]): void {
    const sizes = chunks.map(chunkBytes);
    const seriesBytes = sizes.reduce((sum, size) => sum + fieldBytes(size), labels.length);
    const out = this.#batch;
    const head = writeVarint(out, this.#used, fieldBytes(seriesBytes));
    let at = writeHead(out, head + 4, SERIES, seriesBytes);
    out.set(labels, at);
    at += labels.length;
    for (const [index, chunk] of chunks.entries()) {
      at = writeHead(out, at, CHUNK, sizes[index] ?? 0);
      at = writeChunk(out, at, chunk);
    }
    new DataView(out.buffer).setUint32(head, crc32c(out, head + 4, at));
    this.#used = at;
  }
}

function chunkBytes({ minTimeMs, maxTimeMs, bytes }: XorChunk): number {
  return 4 + varintBytes(minTimeMs) + varintBytes(maxTimeMs) + fieldBytes(bytes.length);
}

function writeChunk(out: Uint8Array, start: number, chunk: XorChunk): number {
  let at = start;
  out[at++] = FIRST_MS;
  at = writeVarint(out, at, chunk.minTimeMs);
  out[at++] = LAST_MS;
  at = writeVarint(out, at, chunk.maxTimeMs);
  out[at++] = ENCODING;
  out[at++] = XOR;
  at = writeHead(out, at, DATA, chunk.bytes.length);
  out.set(chunk.bytes, at);
  return at + chunk.bytes.length;
}

/** Times before 1970 have the ten bytes of a negative number. */
function varintBytes(value: number): number {
  if (value < 0) return 10;
  let bytes = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

function writeVarint(out: Uint8Array, start: number, value: number): number {
  let at = start;
  if (value < 0) {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) out[at++] = Number(rest & 127n) | 128;
    out[at++] = Number(rest);
    return at;
  }
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) out[at++] = (rest % 128) | 128;
  out[at++] = rest;
  return at;
}
