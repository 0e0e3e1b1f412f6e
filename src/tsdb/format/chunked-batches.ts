/**
 * Series as batches of the encoding `chunked-read` (src/metrics/source.ts): a frame a series, as
 * Prometheus sends them, and long series as several frames.
 *
 * ```
 *   uvarint length, u32be CRC-32C │ 0a length ┌ labels │ 12 length ┌ 08 min 10 max 18 01 22 length data
 * ```
 */
import type { Batch } from '../../metrics/index.ts';
import { ByteWriter } from './byte-writer.ts';
import { combineCrcs, crc32c } from './crc32c.ts';
import type { BlockSeries, LabelBytes, XorChunk } from './series.ts';

const BATCH_BYTES = 1 << 20;
const SERIES = 0x0a;
const CHUNK = 0x12;
const MIN_TIME = 0x08;
const MAX_TIME = 0x10;
const TYPE = 0x18;
const DATA = 0x22;
const XOR = 1;
/** Shorter chunks are read in less time than their checksums are combined. */
const COMBINED_BYTES = 256;
const ENCODING_CRC = crc32c(Uint8Array.of(XOR));

/** Each batch is of about 1 MiB, or one chunk. @param room memory for each; by default its own */
export function* chunkedBatches(
  series: Iterable<BlockSeries>,
  room: (bytes: number) => Uint8Array = (bytes) => new Uint8Array(bytes),
): Generator<Batch, void> {
  const out = new ByteWriter();
  for (const { labels, chunks } of series) {
    for (let from = 0; from < chunks.length;) {
      if (out.length >= BATCH_BYTES) yield taken(out, room);
      const to = fitting(chunks, from, BATCH_BYTES - out.length);
      writeFrame(out, labels, chunks.slice(from, to));
      from = to;
    }
  }
  if (out.length > 0) yield taken(out, room);
}

function taken(out: ByteWriter, room: (bytes: number) => Uint8Array): Batch {
  const bytes = room(out.length);
  bytes.set(out.view(0));
  out.clear();
  return { encoding: 'chunked-read', bytes };
}

/** @returns the end of the chunks from `from` on that fit into `bytes`; at least one does */
function fitting(chunks: readonly XorChunk[], from: number, bytes: number): number {
  let left = bytes;
  let to = from;
  while (to < chunks.length && (to === from || left > 0)) left -= chunks[to++]?.bytes.length ?? 0;
  return to;
}

function writeFrame(out: ByteWriter, labels: LabelBytes, chunks: readonly XorChunk[]): void {
  let length = labels.length;
  for (const chunk of chunks) length += fieldBytes(chunkBytes(chunk));
  out.uvarint(fieldBytes(length));
  const crcAt = out.length;
  out.u32(0).u8(SERIES).uvarint(length).bytes(labels);
  let crc = 0;
  let from = crcAt + 4;
  for (const chunk of chunks) {
    const { bytes, checksum } = chunk;
    out.u8(CHUNK).uvarint(chunkBytes(chunk));
    writeTime(out.u8(MIN_TIME), chunk.minTimeMs);
    writeTime(out.u8(MAX_TIME), chunk.maxTimeMs);
    out.u8(TYPE).u8(XOR).u8(DATA).uvarint(bytes.length);
    const isKnown = checksum !== undefined && bytes.length >= COMBINED_BYTES;
    if (isKnown) crc = out.crcFrom(crc, from);
    out.bytes(bytes);
    if (!isKnown) continue;
    // A block's checksum is of the encoding's byte too, which does not stand here.
    crc = combineCrcs(crc ^ ENCODING_CRC, checksum, bytes.length);
    from = out.length;
  }
  out.setU32(crcAt, out.crcFrom(crc, from));
}

function chunkBytes({ minTimeMs, maxTimeMs, bytes }: XorChunk): number {
  return 4 + timeBytes(minTimeMs) + timeBytes(maxTimeMs) + fieldBytes(bytes.length);
}

/** An int64 as protobuf has it: a time before 1970 takes all ten bytes. */
function writeTime(out: ByteWriter, timeMs: number): void {
  if (timeMs >= 0) return void out.uvarint(timeMs);
  for (let bits = BigInt.asUintN(64, BigInt(timeMs)); ; bits >>= 7n) {
    if (bits < 128n) return void out.u8(Number(bits));
    out.u8(Number(bits & 127n) | 128);
  }
}

function timeBytes(timeMs: number): number {
  return timeMs < 0 ? 10 : uvarintBytes(timeMs);
}

/** With its tag and length. */
function fieldBytes(size: number): number {
  return 1 + uvarintBytes(size) + size;
}

function uvarintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}
