/** Fetches the chunks of a portion, in parallel. They are as they stand in files: whoever decodes or merges them checks them. */
import {
  chunkExtent,
  CHUNKS_HEAD_BYTES,
  DamagedBlock,
  FILE_UNIT,
  readChunkData,
  SPAN_BYTES_MAX,
  spansOf,
  withoutSpans,
  XOR_ENCODING,
  type IndexedChunk,
  type LabelBytes,
  type StoredSeries,
  type StoredSpan,
  type XorChunk,
} from '../../tsdb/index.ts';
import type { RangeSource, StoredFile } from '../places/range-source.ts';
import { BlockGone } from './block-gone.ts';
import type { BlockHeader } from './block-header.ts';
import { CHUNK_BYTES } from './block-walk.ts';
import type { FetchGate } from '../places/fetch-gate.ts';
import type { FileRange, Portion, SeriesPlan } from './portion.ts';

export interface ReadSeries extends StoredSeries {
  /** The end of the chunk before its chunks and the beginning of the one after them, in its block. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Its chunks one by one, each checked. @throws {DamagedBlock} naming the file */
  chunks(): readonly XorChunk[];
}

export interface PortionOptions {
  readonly source: RangeSource;
  readonly gate: FetchGate;
  readonly header: BlockHeader;
  /** Whether each chunk is checked now, so that damage is named. */
  readonly isChecked: boolean;
  readonly signal: AbortSignal;
}

interface FetchedRange {
  readonly path: string;
  readonly from: number;
  readonly bytes: Uint8Array;
}

/** Chunks that follow each other in fetched bytes; none where the first one is a histogram. */
interface Run {
  readonly chunks: readonly IndexedChunk[];
  readonly range: FetchedRange;
  /** Where they stand in its bytes. */
  readonly at: number;
  readonly end: number;
}

/** Series of which nothing is left, or which have histograms alone, are left out. @throws {BlockGone} @throws {Unavailable} naming the file */
export async function readPortion(
  options: PortionOptions,
  portion: Portion,
): Promise<ReadSeries[]> {
  const fetched = await Promise.all(portion.ranges.map((range) => fetchRange(options, range)));
  const byFile = new Map<number, FetchedRange[]>();
  for (const [i, { file }] of portion.ranges.entries()) {
    const known = byFile.get(file);
    const range = fetched[i];
    if (range === undefined) continue;
    if (known === undefined) byFile.set(file, [range]);
    else known.push(range);
  }
  const read: ReadSeries[] = [];
  for (const series of portion.series) {
    const { chunks } = series;
    const runs: Run[] = [];
    for (let place = 0; place < chunks.length;) {
      // No wait but for a long chunk: there are more series than ticks should be.
      const run = runIn(byFile, chunks, place) ?? (await longRun(options, chunks, place));
      if (run.chunks.length > 0) runs.push(run);
      place += Math.max(1, run.chunks.length);
    }
    const kept = seriesOf(options, series, runs);
    if (options.isChecked) kept.chunks();
    if (kept.spans.length > 0) read.push(kept);
  }
  return read;
}

function seriesOf(
  { header }: PortionOptions,
  series: SeriesPlan,
  runs: readonly Run[],
): ReadSeries {
  const labels = header.symbols.encode(series.labels);
  const deleted = header.deleted?.get(series.number);
  if (deleted === undefined) return new SeriesInRuns(labels, series, runs);
  const chunks = runs.flatMap((run) =>
    checked(run).flatMap((chunk) => withoutSpans(chunk, deleted) ?? []),
  );
  const { beforeMs, afterMs } = series;
  return { labels, beforeMs, afterMs, spans: spansOf(chunks), chunks: () => chunks };
}

/** One of which nothing is deleted: a class, as there are many. */
class SeriesInRuns implements ReadSeries {
  readonly labels: LabelBytes;
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly spans: readonly StoredSpan[];
  readonly #runs: readonly Run[];

  constructor(labels: LabelBytes, { beforeMs, afterMs }: SeriesPlan, runs: readonly Run[]) {
    this.labels = labels;
    this.beforeMs = beforeMs;
    this.afterMs = afterMs;
    this.spans = runs.map(spanOf);
    this.#runs = runs;
  }

  chunks(): readonly XorChunk[] {
    return this.#runs.flatMap(checked);
  }
}

function spanOf({ chunks, range, at, end }: Run): StoredSpan {
  const [minTimeMs = 0, maxTimeMs = 0] = [chunks[0]?.minTimeMs, chunks.at(-1)?.maxTimeMs];
  return { minTimeMs, maxTimeMs, bytes: range.bytes.subarray(at, end) };
}

/** Chunk by chunk. @throws {DamagedBlock} */
function checked({ chunks, range: { path, from, bytes }, at }: Run): XorChunk[] {
  const read: XorChunk[] = [];
  let next = at;
  for (const { minTimeMs, maxTimeMs } of chunks) {
    const place = { path, offset: from + next };
    const extent = chunkExtent(bytes, next, place);
    const data = extent === undefined ? undefined : readChunkData(bytes, next, extent, place);
    if (extent === undefined || data === undefined)
      throw new Error('BUG: a run has no whole chunk of floats where it was found');
    read.push({ minTimeMs, maxTimeMs, ...data });
    next += extent.totalBytes;
  }
  return read;
}

/** The chunks from one on. @returns undefined where the fetched bytes do not have that whole */
function runIn(
  byFile: ReadonlyMap<number, readonly FetchedRange[]>,
  chunks: readonly IndexedChunk[],
  first: number,
): Run | undefined {
  const number = chunks[first]?.number ?? 0;
  const offset = number % FILE_UNIT;
  const ranges = byFile.get(Math.floor(number / FILE_UNIT)) ?? [];
  const range = ranges.find(({ from, bytes }) => offset >= from && offset < from + bytes.length);
  return range === undefined ? undefined : runOf(range, chunks, first);
}

/** As far as the next chunk stands behind the one before it, and a span is not too long. */
function runOf(
  range: FetchedRange,
  chunks: readonly IndexedChunk[],
  first: number,
): Run | undefined {
  const { path, from, bytes } = range;
  const number = chunks[first]?.number ?? 0;
  const at = (number % FILE_UNIT) - from;
  let [to, end] = [first, at];
  while (
    to < chunks.length &&
    end - at < SPAN_BYTES_MAX &&
    chunks[to]?.number === number + end - at
  ) {
    const place = { path, offset: from + end };
    const extent = chunkExtent(bytes, end, place);
    if (extent === undefined || end + extent.totalBytes > bytes.length) break;
    if (bytes[end + extent.lengthBytes] !== XOR_ENCODING) {
      if (to > first) break;
      // It is checked, as one damaged bit makes a histogram of floats.
      if (readChunkData(bytes, end, extent, place) === undefined)
        return { chunks: [], range, at, end };
    }
    end += extent.totalBytes;
    to++;
  }
  if (to === first) return undefined;
  const isWhole = to - first === chunks.length;
  return { chunks: isWhole ? chunks : chunks.slice(first, to), range, at, end };
}

/** From a chunk on that is longer than expected, read by itself. */
async function longRun(
  options: PortionOptions,
  chunks: readonly IndexedChunk[],
  first: number,
): Promise<Run> {
  const number = chunks[first]?.number ?? 0;
  const file = Math.floor(number / FILE_UNIT);
  const from = number % FILE_UNIT;
  const { path } = fileOf(options, file);
  let range = await fetchRange(options, { file, span: { from, to: from + CHUNK_BYTES } });
  const extent = chunkExtent(range.bytes, 0, { path, offset: from });
  const total = extent?.totalBytes ?? 0;
  if (total > range.bytes.length)
    range = await fetchRange(options, { file, span: { from, to: from + total } });
  const run = runOf(range, chunks, first);
  if (run === undefined) throw new DamagedBlock(path, from, 'it is cut off');
  return run;
}

/** Bytes of a chunk file, fewer where it ends before. */
async function fetchRange(
  options: PortionOptions,
  { file, span: { from, to } }: FileRange,
): Promise<FetchedRange> {
  const { source, gate, header, signal } = options;
  const { stored, path } = fileOf(options, file);
  if (from < CHUNKS_HEAD_BYTES || from >= stored.bytes)
    throw new DamagedBlock(path, from, 'no chunk stands here');
  const length = Math.min(to, stored.bytes) - from;
  const read = await gate.run(() => source.read(stored, from, length, signal));
  if (read === undefined) throw new BlockGone(header.ulid, path);
  if (read.length < length) throw new DamagedBlock(path, from + read.length, 'it is cut off');
  return { path, from, bytes: read };
}

function fileOf(
  { source, header }: PortionOptions,
  file: number,
): { readonly stored: StoredFile; readonly path: string } {
  const stored = header.chunks[file];
  if (stored === undefined) {
    const folder = header.index.key.replace(/index$/, '');
    throw new DamagedBlock(`${source.name}/${folder}`, 0, `it has no chunk file ${file + 1}`);
  }
  return { stored, path: `${source.name}/${stored.key}` };
}
