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
  type ChunkExtent,
  type IndexedChunk,
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
  readonly from: number;
  readonly bytes: Uint8Array;
}

/** A chunk that is whole in fetched bytes. */
interface FoundChunk {
  readonly indexed: IndexedChunk;
  readonly bytes: Uint8Array;
  /** Where it begins in them. */
  readonly at: number;
  readonly extent: ChunkExtent;
  readonly path: string;
}

/** Series of which nothing is left, or which have histograms alone, are left out. @throws {BlockGone} @throws {Unavailable} naming the file */
export async function readPortion(
  options: PortionOptions,
  portion: Portion,
): Promise<ReadSeries[]> {
  const fetched = await Promise.all(portion.ranges.map((range) => fetchRange(options, range)));
  const byFile = new Map<number, FetchedRange[]>();
  for (const [i, { file, span }] of portion.ranges.entries()) {
    const known = byFile.get(file) ?? [];
    known.push({ from: span.from, bytes: fetched[i] ?? new Uint8Array(0) });
    byFile.set(file, known);
  }
  const read: ReadSeries[] = [];
  for (const series of portion.series) {
    const found: FoundChunk[] = [];
    for (const indexed of series.chunks) {
      const chunk = chunkIn(options, byFile, indexed) ?? (await longChunk(options, indexed));
      if (!isHistogram(chunk)) found.push(chunk);
    }
    const kept = seriesOf(options, series, found);
    if (options.isChecked) kept.chunks();
    if (kept.spans.length > 0) read.push(kept);
  }
  return read;
}

function seriesOf(
  { header }: PortionOptions,
  { labels, number, beforeMs, afterMs }: SeriesPlan,
  found: readonly FoundChunk[],
): ReadSeries {
  const own = { labels: header.symbols.encode(labels), beforeMs, afterMs };
  const deleted = header.deleted?.get(number);
  if (deleted === undefined)
    return { ...own, spans: spansIn(found), chunks: () => found.flatMap(checked) };
  const chunks = found.flatMap((each) =>
    checked(each).flatMap((chunk) => withoutSpans(chunk, deleted) ?? []),
  );
  return { ...own, spans: spansOf(chunks), chunks: () => chunks };
}

/** Chunks that follow each other, as one. */
function spansIn(found: readonly FoundChunk[]): StoredSpan[] {
  const spans: StoredSpan[] = [];
  for (let from = 0; from < found.length;) {
    const first = chunkOf(found, from);
    let [to, end] = [from, first.at];
    let last = first;
    do {
      last = chunkOf(found, to++);
      end = last.at + last.extent.totalBytes;
    } while (
      end - first.at < SPAN_BYTES_MAX &&
      found[to]?.bytes === first.bytes &&
      found[to]?.at === end
    );
    spans.push({
      minTimeMs: first.indexed.minTimeMs,
      maxTimeMs: last.indexed.maxTimeMs,
      bytes: first.bytes.subarray(first.at, end),
    });
    from = to;
  }
  return spans;
}

function chunkOf(found: readonly FoundChunk[], place: number): FoundChunk {
  const chunk = found[place];
  if (chunk === undefined) throw new Error('BUG: a span begins after the last chunk');
  return chunk;
}

/** What is not a float by its encoding is checked, as one damaged bit makes a histogram of it. @throws {DamagedBlock} */
function isHistogram(chunk: FoundChunk): boolean {
  const { bytes, at, extent } = chunk;
  return bytes[at + extent.lengthBytes] !== XOR_ENCODING && checked(chunk).length === 0;
}

/** None for a histogram. @throws {DamagedBlock} */
function checked({ indexed, bytes, at, extent, path }: FoundChunk): XorChunk[] {
  const { minTimeMs, maxTimeMs, number } = indexed;
  const data = readChunkData(bytes, at, extent, { path, offset: number % FILE_UNIT });
  return data === undefined ? [] : [{ minTimeMs, maxTimeMs, ...data }];
}

/** @returns undefined where the fetched bytes do not have it whole */
function chunkIn(
  options: PortionOptions,
  byFile: ReadonlyMap<number, readonly FetchedRange[]>,
  indexed: IndexedChunk,
): FoundChunk | undefined {
  const offset = indexed.number % FILE_UNIT;
  const ranges = byFile.get(Math.floor(indexed.number / FILE_UNIT)) ?? [];
  const range = ranges.find(({ from, bytes }) => offset >= from && offset < from + bytes.length);
  return range === undefined ? undefined : chunkAt(options, indexed, range);
}

function chunkAt(
  { source, header }: PortionOptions,
  indexed: IndexedChunk,
  { from, bytes }: FetchedRange,
): FoundChunk | undefined {
  const offset = indexed.number % FILE_UNIT;
  const key = header.chunks[Math.floor(indexed.number / FILE_UNIT)]?.key ?? '';
  const path = `${source.name}/${key}`;
  const at = offset - from;
  const extent = chunkExtent(bytes, at, { path, offset });
  if (extent === undefined || at + extent.totalBytes > bytes.length) return undefined;
  return { indexed, bytes, at, extent, path };
}

/** One that is longer than expected, read by itself. */
async function longChunk(options: PortionOptions, indexed: IndexedChunk): Promise<FoundChunk> {
  const file = Math.floor(indexed.number / FILE_UNIT);
  const from = indexed.number % FILE_UNIT;
  const { path } = fileOf(options, file);
  let bytes = await fetchRange(options, { file, span: { from, to: from + CHUNK_BYTES } });
  const extent = chunkExtent(bytes, 0, { path, offset: from });
  const total = extent?.totalBytes ?? 0;
  if (total > bytes.length)
    bytes = await fetchRange(options, { file, span: { from, to: from + total } });
  const chunk = chunkAt(options, indexed, { from, bytes });
  if (chunk === undefined) throw new DamagedBlock(path, from, 'it is cut off');
  return chunk;
}

/** Bytes of a chunk file, fewer where it ends before. */
async function fetchRange(
  options: PortionOptions,
  { file, span: { from, to } }: FileRange,
): Promise<Uint8Array> {
  const { source, gate, header, signal } = options;
  const { stored, path } = fileOf(options, file);
  if (from < CHUNKS_HEAD_BYTES || from >= stored.bytes)
    throw new DamagedBlock(path, from, 'no chunk stands here');
  const length = Math.min(to, stored.bytes) - from;
  const read = await gate.run(() => source.read(stored, from, length, signal));
  if (read === undefined) throw new BlockGone(header.ulid, path);
  if (read.length < length) throw new DamagedBlock(path, from + read.length, 'it is cut off');
  return read;
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
