/** Writes series with their chunks as they stand in a file of Prometheus (src/metrics/source.ts). */
import type { Batch } from '../../../src/metrics/index.ts';
import { crc32cByBits, encodeChunked } from './chunked-frames.ts';
import {
  encodeLabels,
  encodeSamples,
  uvarint,
  valueBits,
  type TestSeries,
} from './samples-encoding.ts';
import { encodeXorChunk } from './xor-encoder.ts';

const XOR = 1;

/** Batches of one series after the other, by encoding. */
export const ENCODERS: Readonly<
  Record<Batch['encoding'], (series: readonly TestSeries[], chunkSamples?: number) => Buffer>
> = {
  samples: (series) => encodeSamples(series),
  'chunked-read': encodeChunked,
  'stored-chunks': encodeStored,
};
export const ENCODINGS = Object.keys(ENCODERS) as Batch['encoding'][];

export function encodeStored(series: readonly TestSeries[], chunkSamples: number = 120): Buffer {
  return Buffer.concat(series.map((one) => encodeOne(one, chunkSamples)));
}

/** A chunk with its length, its encoding and its checksum. */
export function encodeStoredChunk(data: Uint8Array, encoding: number = XOR): Buffer {
  const summed = Buffer.concat([Buffer.from([encoding]), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32cByBits(summed));
  return Buffer.concat([uvarint(data.length), summed, checksum]);
}

/** A series of chunks that are given. */
export function storedSeries(
  labels: TestSeries['labels'],
  chunks: Uint8Array,
  [firstMs = 0, lastMs = 0]: readonly number[],
): Buffer {
  const encoded = encodeLabels(labels);
  const head = Buffer.alloc(24);
  head.writeUInt32LE(encoded.length);
  head.writeUInt32LE(chunks.length, 4);
  head.writeDoubleLE(firstMs, 8);
  head.writeDoubleLE(lastMs, 16);
  const parts = Buffer.concat([head, encoded, chunks]);
  return Buffer.concat([parts, Buffer.alloc(-parts.length & 7)]);
}

function encodeOne({ labels, timestampsMs, values }: TestSeries, chunkSamples: number): Buffer {
  const chunks: Buffer[] = [];
  for (let from = 0; from < values.length; from += chunkSamples) {
    const samples = timestampsMs.slice(from, from + chunkSamples).map((ms, i) => ({
      timestampMs: BigInt(ms),
      valueBits: valueBits(values[from + i] ?? 0),
    }));
    chunks.push(encodeStoredChunk(encodeXorChunk(samples)));
  }
  const bounds = [timestampsMs[0] ?? 0, timestampsMs.at(-1) ?? 0];
  return storedSeries(labels, Buffer.concat(chunks), bounds);
}
