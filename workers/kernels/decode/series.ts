// Walks a batch of series (see src/metrics/source.ts for the encodings) piece by piece. A piece
// is one series' labels and some of its samples, in order of time; a long series comes as several.

import { crc32c } from "./crc32c";
import { valueOf, bytesOf, varint } from "./wire";
import { decodeXorChunk } from "./xor-chunk";

export const DAMAGED: i32 = -1;
export const WRONG_CHECKSUM: i32 = -2;
export const NO_ROOM: i32 = -3;

/** A piece is handed over once it holds this many samples: 64 KiB of scratch, so it stays in L2. */
export const ENOUGH: u32 = 4096;
/** Samples that a cursor must have room for: one less than ENOUGH, and then a whole chunk. */
export const CURSOR_ROOM: u32 = ENOUGH + 65536;
/** Prometheus' chunk encodings (tsdb/chunkenc): only floats are read. */
const XOR: u64 = 1;
const HISTOGRAM: u64 = 2;
const FLOAT_HISTOGRAM: u64 = 3;

/** Prometheus' marker for "this series ends here" (model/value: StaleNaN). */
export const STALE: u64 = 0x7ff0000000000002;

/** Encodings of a batch. */
export const CHUNKED_READ: u32 = 0;
export const SAMPLES: u32 = 1;
export const STORED_CHUNKS: u32 = 2;

/** What a block of SAMPLES begins with. Labels follow, padded to 8 bytes, then times and values, f64 each. */
@unmanaged
export class SamplesBlock {
  labelBytes: u32;
  samples: u32;
}
const BLOCK_HEAD: u32 = <u32>offsetof<SamplesBlock>();

/** What a series of STORED_CHUNKS begins with. Labels follow, then its chunks, padded to 8 bytes. */
@unmanaged
export class StoredSeries {
  labelBytes: u32;
  chunkBytes: u32;
  /** the times of its first sample and of its last */
  firstMs: f64;
  lastMs: f64;
}
const SERIES_HEAD: u32 = <u32>offsetof<StoredSeries>();

/** The position in a batch, and the piece that was read last. */
@unmanaged
export class SeriesCursor {
  at: u32;
  end: u32;
  /** CHUNKED_READ, SAMPLES or STORED_CHUNKS */
  encoding: u32;
  crcTable: u32;
  /** scratch: `room` f64 each, CURSOR_ROOM or more */
  scratchTimestamps: u32;
  scratchValues: u32;
  room: u32;
  /** the end of the open message, 0 between messages; of the open series, 0 between series */
  messageEnd: u32;
  seriesEnd: u32;
  // the piece
  labels: u32;
  labelsEnd: u32;
  timestamps: u32;
  values: u32;
  samples: u32;
  /** the last chunk found */
  data: u32;
  dataBytes: u32;
  /** the latest sample of the batch so far; -Infinity before any */
  latestMs: f64;
  /** samples of the batch so far */
  samplesRead: f64;
}

/** Moves to the next piece: 1 there is one, 0 the batch is at its end, negative: an error. */
export function nextPiece(c: SeriesCursor): i32 {
  c.samples = 0;
  const found = c.encoding == SAMPLES ? nextBlock(c) : nextChunked(c);
  if (found <= 0) return found;
  const lastMs = load<f64>(c.timestamps + ((c.samples - 1) << 3)); // a piece is in order of time
  if (lastMs > c.latestMs) c.latestMs = lastMs;
  c.samplesRead += <f64>c.samples;
  return found;
}

function nextChunked(c: SeriesCursor): i32 {
  c.timestamps = c.scratchTimestamps;
  c.values = c.scratchValues;
  while (true) {
    if (c.seriesEnd == 0) {
      const found = openSeries(c);
      if (found <= 0) return found;
    }
    const status = readSeries(c);
    if (status < 0) return status;
    if (c.samples > 0) return 1;
  }
}

/** Moves to the first field, or chunk, of the next series of the batch. */
export function openSeries(c: SeriesCursor): i32 {
  if (c.encoding == STORED_CHUNKS) return openStored(c);
  while (true) {
    if (c.messageEnd == 0) {
      if (c.at == c.end) return 0;
      const status = openFrame(c);
      if (status < 0) return status;
    }
    while (c.at < c.messageEnd) {
      const tag = varint(c.at, c.messageEnd);
      const payload = varint(c.at + bytesOf(tag), c.messageEnd);
      if (tag == 0 || payload == 0) return DAMAGED;
      c.at += <u32>(bytesOf(tag) + bytesOf(payload));
      if (valueOf(tag) == 10) {
        if (valueOf(payload) > <u64>(c.messageEnd - c.at)) return DAMAGED;
        c.seriesEnd = c.at + <u32>valueOf(payload);
        c.labels = 0;
        c.labelsEnd = 0;
        return 1;
      }
      if (valueOf(tag) != 16) return DAMAGED; // 16: query_index
    }
    c.messageEnd = 0;
  }
}

/** Reads a frame's length and checks its CRC. */
function openFrame(c: SeriesCursor): i32 {
  const length = varint(c.at, c.end);
  if (length == 0) return DAMAGED;
  const crcAt = c.at + <u32>bytesOf(length);
  if (valueOf(length) > 0x7fffffff || <u64>crcAt + 4 + valueOf(length) > <u64>c.end) return DAMAGED;
  const message = crcAt + 4;
  const expected = bswap(load<u32>(crcAt));
  if (crc32c(c.crcTable, message, <usize>valueOf(length)) != expected) return WRONG_CHECKSUM;
  c.at = message;
  c.messageEnd = message + <u32>valueOf(length);
  return 1;
}

/** Decodes fields of the open series until it ends or the piece is large enough. */
function readSeries(c: SeriesCursor): i32 {
  while (c.at < c.seriesEnd) {
    if (c.samples >= ENOUGH) return 1;
    const found = nextField(c);
    if (found < 0) return found;
    if (found == 0) continue;
    const offset = c.samples << 3;
    const decoded = decodeXorChunk(c.data, c.dataBytes, c.timestamps + offset, c.values + offset, c.room - c.samples);
    if (decoded < 0) return decoded == -2 ? NO_ROOM : DAMAGED;
    c.samples += decoded;
  }
  c.seriesEnd = 0;
  return 1;
}

/** Moves past a field of the open series: 1 for a chunk of floats, with `data` set, 0 for another, negative: an error. */
export function nextField(c: SeriesCursor): i32 {
  if (c.encoding == STORED_CHUNKS) return nextStored(c);
  const tag = varint(c.at, c.seriesEnd);
  const length = varint(c.at + bytesOf(tag), c.seriesEnd);
  if (tag == 0 || length == 0) return DAMAGED;
  const field = c.at + <u32>(bytesOf(tag) + bytesOf(length));
  if (valueOf(length) > <u64>(c.seriesEnd - field)) return DAMAGED;
  const fieldEnd = field + <u32>valueOf(length);
  if (valueOf(tag) == 10) {
    if (c.labels == 0) c.labels = c.at;
    else if (c.labelsEnd != c.at) return DAMAGED; // labels come first and together
    c.labelsEnd = fieldEnd;
  }
  c.at = fieldEnd;
  return valueOf(tag) == 18 ? readChunk(c, field, fieldEnd) : 0;
}

/** One prompb.Chunk: min_time 1, max_time 2, type 3, data 4. Results are those of `nextField`. */
function readChunk(c: SeriesCursor, at: u32, end: u32): i32 {
  let kind: u64 = 0;
  c.dataBytes = 0;
  while (at < end) {
    const tag = varint(at, end);
    // 34 is a length, the others are numbers, of which only the type is used
    const value = valueOf(tag) == 34 ? varint(at + bytesOf(tag), end) : varint64(at + bytesOf(tag), end);
    if (tag == 0 || value == 0) return DAMAGED;
    at += <u32>(bytesOf(tag) + bytesOf(value));
    if (valueOf(tag) == 24) kind = valueOf(value);
    else if (valueOf(tag) == 34) {
      if (valueOf(value) > <u64>(end - at)) return DAMAGED;
      c.data = at;
      c.dataBytes = <u32>valueOf(value);
      at += c.dataBytes;
    }
  }
  return kind == XOR && c.dataBytes != 0 ? 1 : 0;
}

/** Opens the next series of stored chunks, all of which are checked here. */
function openStored(c: SeriesCursor): i32 {
  const at = (c.at + 7) & ~7;
  if (at == c.end) return 0;
  if (at > c.end || c.end - at < SERIES_HEAD) return DAMAGED;
  const head = changetype<StoredSeries>(<usize>at);
  const labels = at + SERIES_HEAD;
  const end = <u64>labels + <u64>head.labelBytes + <u64>head.chunkBytes;
  if (end > <u64>c.end) return DAMAGED;
  const chunks = labels + head.labelBytes;
  const status = checkStored(c.crcTable, chunks, <u32>end);
  if (status < 0) return status;
  c.labels = labels;
  c.labelsEnd = chunks;
  c.at = chunks;
  c.seriesEnd = <u32>end;
  return 1;
}

/** Each chunk as in a file of chunks: uvarint length, u8 encoding, data, u32be CRC-32C of encoding and data. */
function checkStored(crcTable: u32, at: u32, end: u32): i32 {
  while (at < end) {
    const length = varint(at, end);
    if (length == 0) return DAMAGED;
    const from = at + <u32>bytesOf(length);
    const to = <u64>from + 1 + valueOf(length);
    if (to + 4 > <u64>end) return DAMAGED;
    if (crc32c(crcTable, from, <usize>to - from) != bswap(load<u32>(<u32>to))) return WRONG_CHECKSUM;
    const kind = <u64>load<u8>(from);
    if (kind != XOR && kind != HISTOGRAM && kind != FLOAT_HISTOGRAM) return DAMAGED;
    at = <u32>to + 4;
  }
  return 1;
}

/** Like `nextField`, of chunks that were checked. */
function nextStored(c: SeriesCursor): i32 {
  const length = varint(c.at, c.seriesEnd);
  const kindAt = c.at + <u32>bytesOf(length);
  c.data = kindAt + 1;
  c.dataBytes = <u32>valueOf(length);
  c.at = c.data + c.dataBytes + 4;
  return load<u8>(kindAt) == XOR && c.dataBytes != 0 ? 1 : 0;
}

/**
 * Like `varint`, but a number of 61 bits and more (a negative int64, such as a time before 1970) is read
 * as 0.
 */
function varint64(at: usize, end: usize): u64 {
  const read = varint(at, end);
  if (read != 0) return read;
  for (let bytes: usize = 9; bytes <= 10 && at + bytes <= end; bytes++) {
    if (load<u8>(at + bytes - 1) < 128) return bytes;
  }
  return 0;
}

/** Moves to the next block of the `samples` encoding; its samples are read in place. */
function nextBlock(c: SeriesCursor): i32 {
  while (c.samples == 0) {
    if (c.at == c.end) return 0;
    const status = openBlock(c);
    if (status < 0) return status;
  }
  return 1;
}

function openBlock(c: SeriesCursor): i32 {
  if (c.end - c.at < BLOCK_HEAD) return DAMAGED;
  const block = changetype<SamplesBlock>(<usize>c.at);
  const labelBytes = block.labelBytes, samples = block.samples;
  const total = BLOCK_HEAD + ((<u64>labelBytes + 7) & ~7) + (<u64>samples << 4);
  if (total > <u64>(c.end - c.at)) return DAMAGED;
  c.labels = c.at + BLOCK_HEAD;
  c.labelsEnd = c.labels + labelBytes;
  c.timestamps = c.labels + ((labelBytes + 7) & ~7);
  c.values = c.timestamps + (samples << 3);
  c.samples = samples;
  c.at += <u32>total;
  return 1;
}
