/**
 * Writes frames of Prometheus' streamed remote read (prompb ChunkedReadResponse): each
 * `uvarint length, u32be CRC-32C, message`
 * (https://prometheus.io/docs/prometheus/latest/querying/remote_read_api/).
 */
import { encodeXorChunk } from './xor-encoder.ts';
import {
  encodeLabels,
  lengthDelimited,
  uvarint,
  valueBits,
  type TestSeries,
} from './samples-encoding.ts';

const XOR = 1;

/** Bit by bit, as RFC 3720 appendix B.4 defines it. */
export function crc32cByBits(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) {
    c ^= byte;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
  }
  return ~c >>> 0;
}

/** A message with its length and checksum. */
export function encodeFrame(message: Uint8Array): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32cByBits(message));
  return Buffer.concat([uvarint(message.length), checksum, message]);
}

/** A ChunkedReadResponse: one ChunkedSeries each, in chunks of at most `chunkSamples` samples. */
export function encodeMessage(series: readonly TestSeries[], chunkSamples = 120): Buffer {
  const queryIndex = Buffer.from([0x10, 0]);
  return Buffer.concat([
    ...series.map((one) => lengthDelimited(1, encodeSeries(one, chunkSamples))),
    queryIndex,
  ]);
}

/** One frame for all of `series`. */
export function encodeChunked(series: readonly TestSeries[], chunkSamples = 120): Buffer {
  return encodeFrame(encodeMessage(series, chunkSamples));
}

function encodeSeries({ labels, timestampsMs, values }: TestSeries, chunkSamples: number): Buffer {
  const parts = [encodeLabels(labels)];
  for (let from = 0; from < values.length; from += chunkSamples) {
    const times = timestampsMs.slice(from, from + chunkSamples);
    const samples = times.map((ms, i) => ({
      timestampMs: BigInt(ms),
      valueBits: valueBits(values[from + i] ?? 0),
    }));
    parts.push(lengthDelimited(2, encodeChunk(times, encodeXorChunk(samples))));
  }
  return Buffer.concat(parts);
}

/** A prompb.Chunk: min_time 1, max_time 2, type 3, data 4. */
function encodeChunk(timesMs: readonly number[], data: Uint8Array): Buffer {
  const minMs = BigInt.asUintN(64, BigInt(timesMs[0] ?? 0));
  const maxMs = BigInt.asUintN(64, BigInt(timesMs.at(-1) ?? 0));
  return Buffer.concat([
    Buffer.from([0x08]),
    uvarint(minMs),
    Buffer.from([0x10]),
    uvarint(maxMs),
    Buffer.from([0x18, XOR]),
    lengthDelimited(4, data),
  ]);
}
