/** Fetches the chunks of a portion, in parallel, and checks each by its checksum. */
import {
  chunkExtent,
  CHUNKS_HEAD_BYTES,
  DamagedBlock,
  FILE_UNIT,
  readChunkData,
  withoutSpans,
  type BlockSeries,
  type IndexedChunk,
  type XorChunk,
} from '../../tsdb/index.ts';
import type { RangeSource, StoredFile } from '../places/range-source.ts';
import { BlockGone } from './block-gone.ts';
import type { BlockHeader } from './block-header.ts';
import { CHUNK_BYTES } from './block-walk.ts';
import type { FetchGate } from '../places/fetch-gate.ts';
import type { FileRange, Portion, SeriesPlan } from './portion.ts';

export interface ReadSeries extends BlockSeries {
  /** The end of the chunk before its chunks and the beginning of the one after them, in its block. */
  readonly beforeMs: number;
  readonly afterMs: number;
}

export interface PortionOptions {
  readonly source: RangeSource;
  readonly gate: FetchGate;
  readonly header: BlockHeader;
  readonly signal: AbortSignal;
}

interface FetchedRange {
  readonly from: number;
  readonly bytes: Uint8Array;
}

/** Series without chunks are left out. @throws {BlockGone} @throws {Unavailable} naming the file */
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
    const chunks: XorChunk[] = [];
    for (const indexed of series.chunks) {
      const found = chunkIn(options, byFile, indexed) ?? (await longChunk(options, indexed));
      const kept = found === 'histogram' ? undefined : keptOf(options, series, found);
      if (kept !== undefined) chunks.push(kept);
    }
    if (chunks.length === 0) continue;
    const { beforeMs, afterMs } = series;
    read.push({ labels: options.header.symbols.encode(series.labels), chunks, beforeMs, afterMs });
  }
  return read;
}

function keptOf(
  { header }: PortionOptions,
  { number }: SeriesPlan,
  chunk: XorChunk,
): XorChunk | undefined {
  const spans = header.deleted?.get(number);
  return spans === undefined ? chunk : withoutSpans(chunk, spans);
}

/** @returns undefined where the fetched bytes do not have it whole */
function chunkIn(
  options: PortionOptions,
  byFile: ReadonlyMap<number, readonly FetchedRange[]>,
  indexed: IndexedChunk,
): XorChunk | 'histogram' | undefined {
  const offset = indexed.number % FILE_UNIT;
  const ranges = byFile.get(Math.floor(indexed.number / FILE_UNIT)) ?? [];
  const range = ranges.find(({ from, bytes }) => offset >= from && offset < from + bytes.length);
  return range === undefined ? undefined : chunkAt(options, indexed, range);
}

function chunkAt(
  { source, header }: PortionOptions,
  { number, minTimeMs, maxTimeMs }: IndexedChunk,
  { from, bytes }: FetchedRange,
): XorChunk | 'histogram' | undefined {
  const offset = number % FILE_UNIT;
  const key = header.chunks[Math.floor(number / FILE_UNIT)]?.key ?? '';
  const place = { path: `${source.name}/${key}`, offset };
  const extent = chunkExtent(bytes, offset - from, place);
  if (extent === undefined || offset - from + extent.totalBytes > bytes.length) return undefined;
  const data = readChunkData(bytes, offset - from, extent, place);
  return data === undefined ? 'histogram' : { minTimeMs, maxTimeMs, ...data };
}

/** One that is longer than expected, read by itself. */
async function longChunk(
  options: PortionOptions,
  indexed: IndexedChunk,
): Promise<XorChunk | 'histogram'> {
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
