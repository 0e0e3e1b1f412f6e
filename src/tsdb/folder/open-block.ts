/**
 * A block that can be read. What is held of it in memory is small: where the series of each metric are
 * listed, and the texts while they are cached. All else is read and checked by each walk.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Cache } from '../../cache/index.ts';
import type { Matcher, Selection, TimeRange } from '../../metrics/index.ts';
import { attempt, codeOf } from '../../storage/disk-error.ts';
import { decodeMeta, type BlockMeta } from '../format/block-meta.ts';
import { chunkFileName } from '../format/chunk-format.ts';
import { checkChunkFile, ChunkReader } from './chunk-reader.ts';
import { DamagedBlock } from '../format/damaged-block.ts';
import { BlockFile } from './file-window.ts';
import { IndexReader } from './index-reader.ts';
import { joinedPostings, type IndexedChunk } from '../format/index-format.ts';
import { matchingOf, type LabelTest } from '../format/label-tests.ts';
import type { BlockSeries, LabelBytes, StoredSeries, XorChunk } from '../format/series.ts';
import type { SymbolTable } from '../format/symbol-table.ts';
import { SpanReader } from './span-reader.ts';
import { requireNoTombstones } from './tombstones.ts';

const META_BYTES_MAX = 1 << 20;
const SYMBOL_CACHE_BYTES = 64 << 20;

export type SymbolCache = Cache<SymbolTable>;

export function createSymbolCache(budget: number = SYMBOL_CACHE_BYTES): SymbolCache {
  return new Cache<SymbolTable>({ budget, sizeOf: (table) => table.size });
}

/** @throws {Unavailable} for a block that is damaged or cannot be read, naming the file */
export async function openBlock(
  path: string,
  symbols: SymbolCache = createSymbolCache(),
): Promise<Block> {
  return await attempt(`read block ${path}`, () => Promise.resolve(new Block(path, symbols)));
}

export class Block {
  readonly path: string;
  readonly meta: BlockMeta;
  readonly index: IndexReader;
  readonly #chunkFiles: readonly BlockFile[];
  readonly #symbols: SymbolCache;
  /** Offsets of lists of postings, by the metric's name; under '' that of all series. */
  readonly #lists: ReadonlyMap<string, number>;
  #holds = 0;
  #isClosed = false;
  #isDamaged = false;

  /** @throws {DamagedBlock} or the error of a system call */
  constructor(path: string, symbols: SymbolCache) {
    this.path = path;
    this.#symbols = symbols;
    this.meta = readMeta(path);
    requireNoTombstones(join(path, 'tombstones'));
    const open: BlockFile[] = [];
    try {
      const indexFile = new BlockFile(join(path, 'index'));
      open.push(indexFile);
      for (const name of chunkFileNames(path, this.meta))
        open.push(new BlockFile(join(path, 'chunks', name)));
      this.#chunkFiles = open.slice(1);
      requireLengths(this.meta, open);
      for (const file of this.#chunkFiles) checkChunkFile(file);
      this.index = new IndexReader(indexFile);
      this.#lists = this.#readLists();
      this.#requireMeta();
    } catch (error) {
      for (const file of open) file.close();
      throw error;
    }
  }

  /** Series of one metric, in order, with the chunks that overlap the range, whole. */
  read({ metric, matchers }: Selection, range: TimeRange): Generator<BlockSeries, void> {
    return this.readMetrics([metric], range, matchers);
  }

  /** Series of several metrics, in order. */
  *readMetrics(
    metrics: readonly string[],
    range: TimeRange,
    matchers: readonly Matcher[] = [],
  ): Generator<BlockSeries, void> {
    yield* this.#series(() => this.#numbersOf(metrics), range, matchers);
  }

  /** The same series, with their chunks as they stand in files. */
  *stored(
    metrics: readonly string[],
    range: TimeRange,
    matchers: readonly Matcher[] = [],
  ): Generator<StoredSeries, void> {
    const reader = new SpanReader(this.path, this.#chunkFiles);
    try {
      for (const { labels, chunks } of this.#walk(() => this.#numbersOf(metrics), range, matchers))
        yield { labels, spans: reader.read(chunks) };
    } catch (error) {
      throw this.#noted(error);
    }
  }

  /** All series with all their chunks, in order. */
  *all(): Generator<BlockSeries, void> {
    const range = { startMs: -Infinity, endMs: Infinity };
    yield* this.#series(() => this.index.postings(this.#lists.get('') ?? 0), range, []);
  }

  /** Whether a walk met damage. */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  symbols(): SymbolTable {
    const known = this.#symbols.get(this.meta.ulid);
    if (known !== undefined) return known;
    const table = this.index.symbols();
    this.#symbols.set(this.meta.ulid, table);
    return table;
  }

  chunkReader(): ChunkReader {
    return new ChunkReader(this.path, this.#chunkFiles);
  }

  /** Its files stay open until what this returns is called, whether it is closed meanwhile or not. */
  hold(): () => void {
    this.#holds++;
    return () => {
      this.#holds--;
      if (this.#isClosed && this.#holds === 0) this.#closeFiles();
    };
  }

  /** Closes its files once nobody holds them. */
  close(): void {
    this.#isClosed = true;
    this.#symbols.delete(this.meta.ulid);
    if (this.#holds === 0) this.#closeFiles();
  }

  *#series(
    numbersOf: () => Iterable<number>,
    range: TimeRange,
    matchers: readonly Matcher[],
  ): Generator<BlockSeries, void> {
    const reader = this.chunkReader();
    try {
      for (const { labels, chunks } of this.#walk(numbersOf, range, matchers)) {
        const read = chunks.flatMap((chunk): XorChunk[] => {
          const found = reader.read(chunk);
          return found === undefined ? [] : [found];
        });
        if (read.length > 0) yield { labels, chunks: read };
      }
    } catch (error) {
      throw this.#noted(error);
    }
  }

  #noted(error: unknown): unknown {
    if (error instanceof DamagedBlock) this.#isDamaged = true;
    return error;
  }

  /** Series that have chunks which overlap the range, with those. */
  *#walk(
    numbersOf: () => Iterable<number>,
    range: TimeRange,
    matchers: readonly Matcher[],
  ): Generator<FoundSeries, void> {
    if (this.#isClosed && this.#holds === 0)
      throw new Error('BUG: a block is read after it was closed');
    const release = this.hold();
    try {
      const symbols = this.symbols();
      const matches = matchingOf(matchers, symbols);
      const window = this.index.window();
      for (const number of numbersOf()) {
        const entry = this.index.entry(window, number, symbols.count);
        if (!matchesAll(matches, entry.labels)) continue;
        const chunks = overlapping(entry.chunks, range);
        if (chunks.length > 0) yield { labels: symbols.encode(entry.labels), chunks };
      }
    } finally {
      release();
    }
  }

  #numbersOf(metrics: readonly string[]): Iterable<number> {
    const lists = [...new Set(metrics)].flatMap((metric) => {
      const offset = metric === '' ? undefined : this.#lists.get(metric);
      return offset === undefined ? [] : [this.index.postings(offset)];
    });
    return joinedPostings(lists);
  }

  #readLists(): ReadonlyMap<string, number> {
    const lists = new Map<string, number>();
    for (const { name, value, offset } of this.index.postingsRows()) {
      if (name > '__name__') break; // rows are in order
      if (name === '__name__' || (name === '' && value === '')) lists.set(value, offset);
    }
    return lists;
  }

  /** What meta.json says holds for the index. Ours has a checksum; for others all times are looked at. */
  #requireMeta(): void {
    const { series, startMs, endMs, files } = this.meta;
    const all = this.#lists.get('');
    const numbers = all === undefined ? new Uint32Array(0) : this.index.postings(all);
    const fail = (reason: string): never => {
      throw new DamagedBlock(join(this.path, 'meta.json'), 0, reason);
    };
    if (numbers.length !== series)
      fail(`it tells of ${series} series, there are ${numbers.length}`);
    if (files !== undefined) return;
    const window = this.index.window();
    const symbols = this.symbols().count;
    for (const number of numbers)
      for (const { minTimeMs, maxTimeMs } of this.index.entry(window, number, symbols).chunks)
        if (minTimeMs < startMs || maxTimeMs >= endMs) fail('there are samples outside its times');
  }

  #closeFiles(): void {
    this.index.file.close();
    for (const file of this.#chunkFiles) file.close();
  }
}

/** A series of the index. */
interface FoundSeries {
  readonly labels: LabelBytes;
  readonly chunks: readonly IndexedChunk[];
}

function overlapping(chunks: readonly IndexedChunk[], range: TimeRange): readonly IndexedChunk[] {
  let [from, to] = [0, chunks.length];
  while (from < to && (chunks[from]?.maxTimeMs ?? 0) < range.startMs) from++;
  while (from < to && (chunks[to - 1]?.minTimeMs ?? 0) > range.endMs) to--;
  return to - from === chunks.length ? chunks : chunks.slice(from, to);
}

function matchesAll(tests: readonly LabelTest[], labels: readonly number[]): boolean {
  return tests.every((test) => test(labels));
}

function readMeta(path: string): BlockMeta {
  const file = join(path, 'meta.json');
  try {
    if (statSync(file).size > META_BYTES_MAX) throw new Error('it is too long');
    const meta = decodeMeta(readFileSync(file, 'utf8'));
    if (meta.ulid !== basename(path)) throw new Error(`it is of block ${meta.ulid}`);
    return meta;
  } catch (cause) {
    if (codeOf(cause) !== undefined && codeOf(cause) !== 'ENOENT') throw cause;
    throw new DamagedBlock(file, 0, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** In order; those of a block that Prometheus wrote are found in its folder. */
function chunkFileNames(path: string, { files }: BlockMeta): string[] {
  if (files !== undefined) return files.chunks.map((_, i) => chunkFileName(i));
  const names = readdirSync(join(path, 'chunks')).sort();
  for (const [i, name] of names.entries())
    if (name !== chunkFileName(i))
      throw new DamagedBlock(join(path, 'chunks', name), 0, 'it is no chunk file in its place');
  return names;
}

function requireLengths({ files }: BlockMeta, open: readonly BlockFile[]): void {
  if (files === undefined) return;
  for (const [i, length] of [files.index, ...files.chunks].entries()) {
    const file = open[i];
    if (file === undefined || file.size === length) continue;
    const reason = `it has ${file.size} bytes, not ${length}`;
    throw new DamagedBlock(file.path, Math.min(file.size, length), reason);
  }
}
