/** Reads batches back in full: the mirror of chunked-frames.ts and samples-encoding.ts. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { Batch } from '../../../src/metrics/index.ts';
import { crc32cByBits } from '../stores/chunked-frames.ts';
import { decodeXorChunkByBits } from '../stores/xor-encoder.ts';

/** Samples of one series as they came; `valueBits` are those of a double. */
export interface ReadSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly timestampsMs: number[];
  readonly valueBits: bigint[];
}

const READERS: Readonly<Record<Batch['encoding'], (bytes: Uint8Array) => Iterable<ReadSeries>>> = {
  samples: readSamples,
  'chunked-read': readFrames,
  'stored-chunks': readStored,
};

/** All series by their labels, pieces of one series joined in the order they came. */
export async function readBatches(
  batches: AsyncIterable<Batch> | Iterable<Batch>,
): Promise<Map<string, ReadSeries>> {
  const series = new Map<string, ReadSeries>();
  for await (const { encoding, bytes } of batches)
    for (const piece of READERS[encoding](bytes)) {
      const key = seriesKey(piece.labels);
      const known = series.get(key);
      if (known === undefined) series.set(key, piece);
      else {
        known.timestampsMs.push(...piece.timestampsMs);
        known.valueBits.push(...piece.valueBits);
      }
    }
  return series;
}

export function seriesKey(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const view = new DataView(new ArrayBuffer(8));

export function numberOf(bits: bigint): number {
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

/** The blocks of a `samples` batch, in order. */
export function* readSamples(bytes: Uint8Array): Generator<ReadSeries> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length;) {
    const [labelBytes, samples] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const labels = readLabels(bytes.subarray(at + 8, at + 8 + labelBytes));
    at += 8 + Math.ceil(labelBytes / 8) * 8;
    const values = at + 8 * samples;
    const timestampsMs = [...new Float64Array(bytes.slice(at, values).buffer)];
    const valueBits = [...new BigUint64Array(bytes.slice(values, values + 8 * samples).buffer)];
    at = values + 8 * samples;
    if (at > bytes.length) throw new Error('a block is cut off');
    yield { labels, timestampsMs, valueBits };
  }
}

/** Series whose chunks stand as in files, each checked. */
function* readStored(bytes: Uint8Array): Generator<ReadSeries> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length;) {
    const [labelBytes, chunkBytes] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const bounds = [view.getFloat64(at + 8, true), view.getFloat64(at + 16, true)];
    const chunks = bytes.subarray(at + 24 + labelBytes, at + 24 + labelBytes + chunkBytes);
    if (chunks.length !== chunkBytes) throw new Error('a batch holds part of a series');
    const labels = readLabels(bytes.subarray(at + 24, at + 24 + labelBytes));
    const samples = [...storedChunks(chunks)].flatMap(decodeXorChunkByBits);
    const timestampsMs = samples.map(({ timestampMs }) => Number(timestampMs));
    if (timestampsMs[0] !== bounds[0] || timestampsMs.at(-1) !== bounds[1])
      throw new Error('a series has samples at other times than it says');
    yield { labels, timestampsMs, valueBits: samples.map(({ valueBits }) => valueBits) };
    at = 8 * Math.ceil((at + 24 + labelBytes + chunkBytes) / 8);
  }
}

function* storedChunks(bytes: Uint8Array): Generator<Uint8Array> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const length = reader.uint32();
    const from = reader.pos;
    const end = from + 1 + length;
    const crc = new DataView(bytes.buffer, bytes.byteOffset + end, 4).getUint32(0);
    if (crc32cByBits(bytes.subarray(from, end)) !== crc)
      throw new Error('a chunk has a wrong checksum');
    if (bytes[from] === 1) yield bytes.subarray(from + 1, end);
    reader.pos = end + 4;
  }
}

function* readFrames(bytes: Uint8Array): Generator<ReadSeries> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const length = reader.uint32();
    const crc = new DataView(bytes.buffer, bytes.byteOffset + reader.pos, 4).getUint32(0);
    const start = reader.pos + 4;
    const message = bytes.subarray(start, start + length);
    if (message.length !== length) throw new Error('a batch holds part of a frame');
    if (crc32cByBits(message) !== crc) throw new Error('a frame has a wrong checksum');
    yield* readMessage(message);
    reader.pos = start + length;
  }
}

function* readMessage(message: Uint8Array): Generator<ReadSeries> {
  for (const [field, part] of fields(message)) if (field === 1) yield readSeries(part);
}

function readSeries(message: Uint8Array): ReadSeries {
  const labels = readLabels(message);
  const series: ReadSeries = { labels, timestampsMs: [], valueBits: [] };
  for (const [field, chunk] of fields(message)) {
    const data = field === 2 ? fields(chunk).find(([inner]) => inner === 4)?.[1] : undefined;
    if (data === undefined) continue;
    for (const sample of decodeXorChunkByBits(data)) {
      series.timestampsMs.push(Number(sample.timestampMs));
      series.valueBits.push(sample.valueBits);
    }
  }
  return series;
}

/** Repeated prompb.Label as field 1; other fields are passed over. */
function readLabels(message: Uint8Array): Record<string, string> {
  const labels: [string, string][] = [];
  for (const [field, label] of fields(message)) {
    if (field !== 1) continue;
    const parts = new Map(fields(label));
    const text = (part: number): string => Buffer.from(parts.get(part) ?? []).toString();
    labels.push([text(1), text(2)]);
  }
  return Object.fromEntries(labels);
}

/** Length-delimited fields, in order. */
function fields(message: Uint8Array): [field: number, bytes: Uint8Array][] {
  const reader = new BinaryReader(message);
  const found: [number, Uint8Array][] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === 2) found.push([field, reader.bytes()]);
    else reader.skip(type);
  }
  return found;
}
