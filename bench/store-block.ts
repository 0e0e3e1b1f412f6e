/**
 * Writes a block of a Prometheus data folder: chunks, index, meta.json
 * (https://github.com/prometheus/prometheus/tree/main/tsdb/docs/format). promtool makes the same of
 * text, but a hundred million samples are 17 GB of text; here they take seconds.
 */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ByteWriter, crc32c } from './byte-writer.ts';
import { encodeIndex, type IndexedChunk, type IndexedSeries } from './block-index.ts';
import { XorWriter } from './xor-writer.ts';

/** Sorted by name, the metric's own name `__name__` among them. */
export type SeriesLabels = readonly (readonly [name: string, value: string])[];

export interface BlockSeries {
  readonly labels: SeriesLabels;
  /** Times in whole ms and values, of equal length; may be the same arrays for the next series. */
  samples(): { readonly timesMs: Float64Array; readonly values: Float64Array };
}

export interface BlockStats {
  readonly series: number;
  readonly samples: number;
  readonly chunks: number;
  /** Bytes of the chunks and the index. */
  readonly bytes: number;
}

const CHUNKS_MAGIC = 0x85bd40dd;
const XOR = 1;
/** What Prometheus aims at. */
const CHUNK_SAMPLES = 120;
const FLUSH_BYTES = 4 << 20;
/** Any ULID does. */
const ULID = '01HZZZZZZZZZZZZZZZZZZZZZZZ';

/** Makes the one block of `folder`, which Prometheus takes as `--storage.tsdb.path`. */
export function writeBlock(folder: string, series: readonly BlockSeries[]): BlockStats {
  const block = join(folder, ULID);
  mkdirSync(join(block, 'chunks'), { recursive: true });
  const sorted = series.toSorted((a, b) => compareLabels(a.labels, b.labels));
  const chunks = new ChunkFile(join(block, 'chunks', '000001'));
  const indexed: IndexedSeries[] = [];
  let samples = 0;
  for (const one of sorted) {
    const { timesMs, values } = one.samples();
    samples += values.length;
    indexed.push({ labels: one.labels, chunks: chunks.add(timesMs, values) });
  }
  const chunkBytes = chunks.close();
  const index = encodeIndex(indexed);
  writeFileSync(join(block, 'index'), index);
  const all = indexed.flatMap((one) => one.chunks);
  const stats = { numSamples: samples, numSeries: series.length, numChunks: all.length };
  const meta = {
    ulid: ULID,
    minTime: all.reduce((least, { minMs }) => Math.min(least, minMs), Infinity),
    maxTime: all.reduce((most, { maxMs }) => Math.max(most, maxMs), -Infinity) + 1,
    stats,
    compaction: { level: 1, sources: [ULID] },
    version: 1,
  };
  writeFileSync(join(block, 'meta.json'), JSON.stringify(meta));
  const bytes = chunkBytes + index.length;
  return { series: series.length, samples, chunks: all.length, bytes };
}

/** As Prometheus sorts: label by label, name then value. */
function compareLabels(a: SeriesLabels, b: SeriesLabels): number {
  for (const [i, [name, value]] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    if (name !== other[0]) return name < other[0] ? -1 : 1;
    if (value !== other[1]) return value < other[1] ? -1 : 1;
  }
  return a.length - b.length;
}

class ChunkFile {
  readonly #file: number;
  readonly #out = new ByteWriter();
  readonly #xor = new XorWriter();
  #flushed = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'w');
    this.#out.u32(CHUNKS_MAGIC).u32(1 << 24);
  }

  /** Each chunk: uvarint length, encoding, data, CRC-32C of encoding and data. */
  add(timesMs: Float64Array, values: Float64Array): IndexedChunk[] {
    const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
    const added: IndexedChunk[] = [];
    for (let from = 0; from < values.length; from += CHUNK_SAMPLES) {
      const to = Math.min(values.length, from + CHUNK_SAMPLES);
      const data = this.#xor.chunk(timesMs, words, from, to);
      const ref = this.#flushed + this.#out.length;
      this.#out.uvarint(data.length);
      const start = this.#out.length;
      this.#out.u8(XOR).bytes(data);
      this.#out.u32(crc32c(this.#out.view(start)));
      added.push({ minMs: timesMs[from] ?? 0, maxMs: timesMs[to - 1] ?? 0, ref });
    }
    if (this.#out.length > FLUSH_BYTES) this.#flush();
    return added;
  }

  close(): number {
    this.#flush();
    closeSync(this.#file);
    return this.#flushed;
  }

  #flush(): void {
    writeSync(this.#file, this.#out.view(0));
    this.#flushed += this.#out.length;
    this.#out.clear();
    if (this.#flushed > 0xffffffff) throw new Error('BUG: a chunk file of more than 4 GiB');
  }
}
