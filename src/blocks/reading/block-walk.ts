/**
 * A walk through the series of some metrics in one block, in order, a portion at a time:
 *
 * ```
 *   lists of the metrics ─▶ windows of the index ─▶ series that match
 *                        ─▶ portions: some series, and their chunks as ranges of files ─▶ chunks
 * ```
 *
 * A series' labels begin with its metric's name, so that series of one metric stand side by side in the index, and
 * so do their chunks: few ranges have all of them.
 */
import type { Matcher, TimeRange } from '../../metrics/index.ts';
import type { Labels } from '../../metrics/matching.ts';
import {
  ByteReader,
  crc32c,
  DamagedBlock,
  FILE_UNIT,
  joinedPostings,
  matchingOf,
  readEntry,
  readPostings,
  SERIES_ALIGN,
  TOC_BYTES,
  type IndexEntry,
  type LabelTest,
} from '../../tsdb/index.ts';
import type { RangeSource, StoredFile } from '../places/range-source.ts';
import { ahead } from './ahead.ts';
import type { BlockHeader, ListPlace } from './block-header.ts';
import { GAP_BYTES_MAX, joinSpans, type ByteSpan } from './byte-ranges.ts';
import type { FetchGate } from '../places/fetch-gate.ts';
import type { IndexWindows } from './index-windows.ts';
import type { Portion, SeriesPlan } from './portion.ts';

export interface WalkOptions {
  readonly source: RangeSource;
  readonly gate: FetchGate;
  readonly windows: IndexWindows;
  readonly header: BlockHeader;
  readonly metrics: readonly string[];
  readonly matchers: readonly Matcher[];
  /** Labels of all series that do not have them. */
  readonly others: Labels;
  /** Chunks that touch these times. */
  readonly range: TimeRange;
  /** What the chunks of a portion take, unless one series has more; as many bytes of the index are read at once. */
  readonly portionBytes: number;
  /** The most series of one portion; absent: a number that suits all. */
  readonly portionSeries?: number | undefined;
  readonly signal: AbortSignal;
}

const PORTION_SERIES = 4096;
/** Larger ones are read in parts, side by side. */
const RANGE_BYTES_MAX = 8 << 20;
/** A series with a few chunks; longer ones are read again, whole. */
const SERIES_BYTES = 2048;
/** A list of postings whose end is not known. */
const LIST_BYTES = 64 * 1024;
/** Prometheus' chunks of 120 samples have less; longer ones are read again, whole. */
export const CHUNK_BYTES: number = 16 * 1024;
const CHECKSUM_BYTES = 4;

/** Series whose chunks are to be fetched, in order. @throws {BlockGone} @throws {Unavailable} naming the file */
export async function* portionsOf(options: WalkOptions): AsyncGenerator<Portion, void> {
  const { header, matchers, others, gate, portionBytes } = options;
  const { portionSeries = PORTION_SERIES } = options;
  const numbers = await postingsOf(options);
  if (numbers.length === 0) return;
  const tests = matchingOf(matchers, header.symbols, others);
  const windows = ahead(
    windowsOf(numbers, portionBytes),
    gate,
    ({ span }) => span.to - span.from,
    async ({ span, numbers: own }) => ({
      own,
      bytes: await readIndex(options, span),
      at: span.from,
    }),
  );
  let series: SeriesPlan[] = [];
  let [bytes, until] = [0, Infinity];
  let last: SeriesPlan | undefined;
  for await (const { own, bytes: index, at } of windows) {
    for (const number of own) {
      const entry = entryIn(options, number, index, at) ?? (await longEntry(options, number));
      // The next series' first chunk tells where this one's last chunk ends, whether it is wanted or not.
      if (last !== undefined) {
        last.endsBefore ??= entry.chunks[0]?.number;
        const to = endOf(last);
        bytes -= until - to;
        until = to;
      }
      last = undefined;
      if (!matchesAll(tests, entry)) continue;
      const plan = planOf(options, number, entry);
      if (plan === undefined) continue;
      if (bytes >= portionBytes || series.length >= portionSeries) {
        yield portion(header, series);
        [series, bytes] = [[], 0];
      }
      const gap = plan.from - until;
      bytes += plan.to - plan.from + (gap > 0 && gap <= GAP_BYTES_MAX ? gap : 0);
      until = plan.to;
      series.push(plan);
      last = plan;
    }
  }
  if (series.length > 0) yield portion(header, series);
}

function matchesAll(tests: readonly LabelTest[], { labels }: IndexEntry): boolean {
  return tests.every((test) => test(labels));
}

function planOf(
  { range: { startMs, endMs } }: WalkOptions,
  number: number,
  { labels, chunks }: IndexEntry,
): SeriesPlan | undefined {
  const first = chunks.findIndex(({ maxTimeMs }) => maxTimeMs >= startMs);
  if (first < 0) return undefined;
  let end = first;
  while (end < chunks.length && (chunks[end]?.minTimeMs ?? Infinity) <= endMs) end++;
  if (end === first) return undefined;
  const from = chunks[first]?.number ?? 0;
  const to = chunks[end]?.number ?? (chunks[end - 1]?.number ?? 0) + CHUNK_BYTES;
  const isOneFile = Math.floor(from / FILE_UNIT) === Math.floor(to / FILE_UNIT) && to > from;
  return {
    number,
    labels,
    chunks: chunks.slice(first, end),
    beforeMs: chunks[first - 1]?.maxTimeMs ?? -Infinity,
    afterMs: chunks[end]?.minTimeMs ?? Infinity,
    from,
    to: isOneFile ? to : from,
    endsBefore: chunks[end]?.number,
  };
}

/** Where the last chunk of a series ends, once that is known; before, where it may end at most. */
function endOf({ chunks, from, to, endsBefore }: SeriesPlan): number {
  const number = chunks.at(-1)?.number ?? 0;
  const bytes = (endsBefore ?? 0) - number;
  return to > from && bytes > 0 && bytes < CHUNK_BYTES ? number + bytes : to;
}

function portion({ ulid }: BlockHeader, series: readonly SeriesPlan[]): Portion {
  const byFile = new Map<number, ByteSpan[]>();
  for (const [i, { chunks, endsBefore }] of series.entries()) {
    for (const [place, { number }] of chunks.entries()) {
      const next = chunks[place + 1]?.number ?? endsBefore ?? series[i + 1]?.chunks[0]?.number;
      const file = Math.floor(number / FILE_UNIT);
      const from = number % FILE_UNIT;
      const length = next === undefined ? CHUNK_BYTES : next - number;
      const isKnown = length > 0 && length <= 4 * CHUNK_BYTES;
      const spans = byFile.get(file) ?? [];
      spans.push({ from, to: from + (isKnown ? length : CHUNK_BYTES) });
      byFile.set(file, spans);
    }
  }
  const ranges = [...byFile].flatMap(([file, spans]) =>
    joinSpans(
      spans.sort((a, b) => a.from - b.from),
      RANGE_BYTES_MAX,
    ).map((span) => ({ file, span })),
  );
  const bytes = ranges.reduce((sum, { span }) => sum + span.to - span.from, 0);
  return { ulid, series, ranges, bytes };
}

/** Numbers of all series of the metrics, in order. */
async function postingsOf(options: WalkOptions): Promise<Uint32Array> {
  const { header, metrics } = options;
  const places = [...new Set(metrics)].flatMap((metric) => header.lists.get(metric) ?? []);
  return joinedPostings(await Promise.all(places.map((place) => listAt(options, place))));
}

/** `u32 length, body, u32 CRC of the body` */
async function listAt(options: WalkOptions, { at, until }: ListPlace): Promise<Uint32Array> {
  const { index } = options.header;
  const path = pathOf(options, index);
  let bytes = await readIndex(options, { from: at, to: until ?? at + LIST_BYTES });
  const length = new ByteReader(path, bytes, at).u32();
  if (length > index.bytes - at)
    throw new DamagedBlock(path, at, 'a section is longer than its file');
  const total = 4 + length + CHECKSUM_BYTES;
  if (bytes.length < total) bytes = await readIndex(options, { from: at, to: at + total });
  const checksum = new ByteReader(path, bytes, at, 4 + length).u32();
  if (checksum !== crc32c(bytes, 4, 4 + length))
    throw new DamagedBlock(path, at, 'a section has a wrong checksum');
  return readPostings(new ByteReader(path, bytes, at, 4, 4 + length));
}

interface SeriesWindow {
  readonly span: ByteSpan;
  readonly numbers: Uint32Array;
}

/** Parts of a list, each with the bytes of the index that its series stand in. */
// oxlint-disable-next-line require-await
async function* windowsOf(
  numbers: Uint32Array,
  windowBytes: number,
): AsyncGenerator<SeriesWindow, void> {
  let [first, from, to] = [0, 0, 0];
  for (const [place, number] of numbers.entries()) {
    const offset = number * SERIES_ALIGN;
    const isFar = offset - to > GAP_BYTES_MAX || offset + SERIES_BYTES - from > windowBytes;
    if (place > first && isFar) {
      yield { span: { from, to }, numbers: numbers.subarray(first, place) };
      first = place;
    }
    if (place === first) from = offset;
    to = offset + SERIES_BYTES;
  }
  yield { span: { from, to }, numbers: numbers.subarray(first) };
}

/** A series of which `bytes`, which begin at `start` of the index, may have only a part: undefined then. */
function entryIn(
  options: WalkOptions,
  number: number,
  bytes: Uint8Array,
  start: number,
): IndexEntry | undefined {
  const { index, toc, symbols } = options.header;
  const path = pathOf(options, index);
  const offset = number * SERIES_ALIGN;
  if (offset < toc.series || offset >= index.bytes - TOC_BYTES)
    throw new DamagedBlock(path, offset, 'no series stands here');
  const at = offset - start;
  const head = new ByteReader(path, bytes, start, at);
  const length = head.uvarint();
  const end = head.at + length;
  if (start + end + CHECKSUM_BYTES > index.bytes - TOC_BYTES)
    head.fail('a series is longer than its file', at);
  if (end + CHECKSUM_BYTES > bytes.length) return undefined;
  if (new ByteReader(path, bytes, start, end).u32() !== crc32c(bytes, head.at, end))
    throw new DamagedBlock(path, offset, 'a series has a wrong checksum');
  return readEntry(new ByteReader(path, bytes, start, head.at, end), symbols.count);
}

/** A series with many chunks, read by itself. */
async function longEntry(options: WalkOptions, number: number): Promise<IndexEntry> {
  const from = number * SERIES_ALIGN;
  const path = pathOf(options, options.header.index);
  const head = new ByteReader(
    path,
    await readIndex(options, { from, to: from + SERIES_BYTES }),
    from,
  );
  const length = head.uvarint();
  const bytes = await readIndex(options, { from, to: from + head.at + length + CHECKSUM_BYTES });
  const entry = entryIn(options, number, bytes, from);
  if (entry === undefined) throw new DamagedBlock(path, from, 'it is cut off');
  return entry;
}

function readIndex({ windows, header, signal }: WalkOptions, span: ByteSpan): Promise<Uint8Array> {
  return windows.read(header, span, signal);
}

function pathOf({ source }: WalkOptions, { key }: StoredFile): string {
  return `${source.name}/${key}`;
}
