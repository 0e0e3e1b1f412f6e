/**
 * Series as batches of the encoding `stored-chunks` (src/metrics/source.ts): labels, and chunks as they stand in
 * files. So a read of a block copies bytes, and whoever decodes them checks them.
 */
import { storedPlaces, STORED_SERIES } from '../../columnar/index.ts';
import type { Batch } from '../../metrics/index.ts';
import { crc32c, crcOfMore } from './crc32c.ts';
import { ByteWriter } from './byte-writer.ts';
import {
  SPAN_BYTES_MAX,
  type BlockSeries,
  type StoredSeries,
  type StoredSpan,
  type XorChunk,
} from './series.ts';

const BATCH_BYTES = 1 << 20;
const XOR = 1;
const XOR_CRC = crc32c(Uint8Array.of(XOR));

type Memory = (bytes: number) => Uint8Array;

/**
 * Each batch is of at most 1 MiB, or one long span. Short spans of a series come as one, with its labels once.
 * @param memory for the next batch, which it is the beginning of: at least so many bytes
 */
export function* storedBatches(
  series: Iterable<StoredSeries>,
  memory: Memory = (bytes) => new Uint8Array(bytes),
): Generator<Batch, void> {
  let batch: Uint8Array = new Uint8Array(0);
  let view = new DataView(batch.buffer);
  let used = 0;
  for (const { labels, spans } of series)
    for (const piece of piecesOf(spans)) {
      let places = storedPlaces(used, labels.length, piece.length);
      if (places.end > batch.length) {
        if (used > 0) yield { encoding: 'stored-chunks', bytes: batch.subarray(0, used) };
        places = storedPlaces(0, labels.length, piece.length);
        batch = memory(Math.max(places.end, BATCH_BYTES));
        view = new DataView(batch.buffer, batch.byteOffset);
        used = 0;
      }
      view.setUint32(used + STORED_SERIES.u32.labelBytes, labels.length, true);
      view.setUint32(used + STORED_SERIES.u32.chunkBytes, piece.length, true);
      view.setFloat64(used + STORED_SERIES.f64.firstMs, piece.minTimeMs, true);
      view.setFloat64(used + STORED_SERIES.f64.lastMs, piece.maxTimeMs, true);
      batch.set(labels, places.labels);
      let at = places.chunks;
      for (const { bytes } of piece.spans) {
        batch.set(bytes, at);
        at += bytes.length;
      }
      used = places.end;
    }
  if (used > 0) yield { encoding: 'stored-chunks', bytes: batch.subarray(0, used) };
}

/** What is told of a series at once. */
interface Piece {
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
  readonly length: number;
  readonly spans: readonly StoredSpan[];
}

function* piecesOf(spans: readonly StoredSpan[]): Generator<Piece, void> {
  for (let from = 0; from < spans.length;) {
    let [length, to, maxTimeMs] = [0, from, 0];
    for (let next = spans[to]; next !== undefined; next = spans[++to]) {
      if (to > from && length + next.bytes.length > SPAN_BYTES_MAX) break;
      length += next.bytes.length;
      ({ maxTimeMs } = next);
    }
    const own = spans.slice(from, to);
    yield { minTimeMs: own[0]?.minTimeMs ?? 0, maxTimeMs, length, spans: own };
    from = to;
  }
}

/** The same of series whose chunks were read one by one. @param room memory for each batch; by default its own */
export function* chunkedBatches(
  series: Iterable<BlockSeries>,
  room: Memory = (bytes) => new Uint8Array(bytes),
): Generator<Batch, void> {
  let own = new Uint8Array(0);
  const memory = (bytes: number): Uint8Array => {
    if (own.length < bytes) own = new Uint8Array(bytes);
    return own;
  };
  for (const { encoding, bytes } of storedBatches(allAsStored(series), memory)) {
    const copy = room(bytes.length);
    copy.set(bytes);
    yield { encoding, bytes: copy };
  }
}

export function* allAsStored(series: Iterable<BlockSeries>): Generator<StoredSeries, void> {
  for (const { labels, chunks } of series) yield { labels, spans: spansOf(chunks) };
}

/** Chunks as they stand in files. */
export function spansOf(chunks: readonly XorChunk[]): StoredSpan[] {
  const spans: StoredSpan[] = [];
  const out = new ByteWriter();
  let minTimeMs = 0;
  for (const [i, chunk] of chunks.entries()) {
    if (out.length === 0) ({ minTimeMs } = chunk);
    writeChunk(out, chunk);
    if (i + 1 < chunks.length && out.length < SPAN_BYTES_MAX) continue;
    spans.push({ minTimeMs, maxTimeMs: chunk.maxTimeMs, bytes: Uint8Array.from(out.view(0)) });
    out.clear();
  }
  return spans;
}

/** As in a file of chunks. */
function writeChunk(out: ByteWriter, { bytes, checksum }: XorChunk): void {
  out.uvarint(bytes.length).u8(XOR).bytes(bytes);
  out.u32(checksum ?? crcOfMore(XOR_CRC, bytes, 0, bytes.length));
}
