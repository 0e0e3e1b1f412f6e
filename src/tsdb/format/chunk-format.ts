/**
 * The chunks of a block, in files
 * (https://github.com/prometheus/prometheus/blob/main/tsdb/docs/format/chunks.md):
 *
 * ```
 *   85bd40dd 01 000000 │ uvarint length, encoding, data, CRC-32C of encoding and data │ …
 * ```
 */
import type { ByteReader } from './byte-reader.ts';
import { crc32c } from './crc32c.ts';
import { DamagedBlock } from './damaged-block.ts';

export const CHUNKS_MAGIC = 0x85bd40dd;
export const CHUNKS_VERSION = 1;
export const XOR_ENCODING = 1;
/** A chunk's number is its file's, from 0, times this, plus its offset. */
export const FILE_UNIT: number = 2 ** 32;
export const CHUNKS_HEAD_BYTES = 8;
/** More than 65,535 samples can take. */
const CHUNK_BYTES_MAX = 2 << 20;
/** Native histograms, which nobody here reads. */
const HISTOGRAM_ENCODINGS = [2, 3];

export function chunkFileName(index: number): string {
  return String(index + 1).padStart(6, '0');
}

/** @throws {DamagedBlock} for a file that does not begin as one of chunks does */
export function checkChunksHead(head: ByteReader): void {
  if (head.u32() !== CHUNKS_MAGIC) head.fail('it has no chunks', 0);
  if (head.u8() !== CHUNKS_VERSION) head.fail(`it is not of version ${CHUNKS_VERSION}`, 4);
  head.skip(3);
}

/** Where a chunk stands in its file, for messages. */
export interface ChunkPlace {
  readonly path: string;
  readonly offset: number;
}

/** How long a chunk is. */
export interface ChunkExtent {
  /** Bytes before its encoding. */
  readonly lengthBytes: number;
  /** With its length, encoding and checksum. */
  readonly totalBytes: number;
}

/** @returns undefined where the bytes end before its length does @throws {DamagedBlock} for a length that none has */
export function chunkExtent(
  bytes: Uint8Array,
  at: number,
  { path, offset }: ChunkPlace,
): ChunkExtent | undefined {
  let [length, lengthBytes] = [0, 0];
  for (let byte = 128, scale = 1; byte > 127; scale *= 128) {
    const next = bytes[at + lengthBytes++];
    if (next === undefined) return undefined;
    byte = next;
    length += (byte & 127) * scale;
    if (scale > CHUNK_BYTES_MAX) break;
  }
  if (length > CHUNK_BYTES_MAX || length < 2)
    throw new DamagedBlock(path, offset, 'a chunk cannot be of this length');
  return { lengthBytes, totalBytes: lengthBytes + 1 + length + 4 };
}

export interface ChunkData {
  /** A view, without the encoding. */
  readonly bytes: Uint8Array;
  readonly checksum: number;
}

/**
 * @param bytes which have it whole
 * @returns undefined for a histogram
 * @throws {DamagedBlock} for a wrong checksum or an unknown encoding
 */
export function readChunkData(
  bytes: Uint8Array,
  at: number,
  { lengthBytes, totalBytes }: ChunkExtent,
  { path, offset }: ChunkPlace,
): ChunkData | undefined {
  const from = at + lengthBytes;
  const end = at + totalBytes - 4;
  const [a = 0, b = 0, c = 0, d = 0] = [bytes[end], bytes[end + 1], bytes[end + 2], bytes[end + 3]];
  const checksum = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  if (checksum !== crc32c(bytes, from, end))
    throw new DamagedBlock(path, offset, 'a chunk has a wrong checksum');
  const encoding = bytes[from] ?? 0;
  if (HISTOGRAM_ENCODINGS.includes(encoding)) return undefined;
  if (encoding !== XOR_ENCODING)
    throw new DamagedBlock(path, offset, `a chunk has the encoding ${encoding}`);
  const data = new Uint8Array(bytes.buffer, bytes.byteOffset + from + 1, end - from - 1);
  return { bytes: data, checksum };
}
