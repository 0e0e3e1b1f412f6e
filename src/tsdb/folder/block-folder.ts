/**
 * All blocks of a folder: found at the start, added by cuts, merged, and deleted when they are old.
 *
 * ```
 *   01HX…                    a block
 *   01HY….tmp-for-creation   one that is being written: removed at the next start
 *   01HZ….tmp-for-deletion   one that is being deleted: likewise
 * ```
 *
 * A merged block names its parents: where one of them is still there after a crash, it is not read beside it.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Matcher, Selection, TimeRange } from '../../metrics/index.ts';
import { Unavailable } from '../../query/index.ts';
import { DISK } from '../../storage/disk.ts';
import { attempt } from '../../storage/disk-error.ts';
import type { BlockMeta } from '../format/block-meta.ts';
import { mergeSeries } from '../format/merge-series.ts';
import { createSymbolCache, openBlock, type Block, type SymbolCache } from './open-block.ts';
import { overlaps } from '../format/overlaps.ts';
import { planMerge } from './plan-merge.ts';
import type { BlockRange, BlockSeries, StoredSeries } from '../format/series.ts';
import { allAsStored } from '../format/stored-batches.ts';
import { isUlid } from '../format/ulid.ts';
import { CREATING, writeBlock } from './write-block.ts';

export const DELETING = '.tmp-for-deletion';

/** What is read: series of one metric, or of several together. */
export type BlockQuery = Selection | { readonly metrics: readonly string[] };

/** Blocks, or samples that are in no block yet. */
export interface SeriesSource extends BlockRange {
  /** Series in order, with whole chunks that overlap the range. */
  series(query: BlockQuery, range: TimeRange): Iterable<BlockSeries>;
  /** The same as they stand in files, where they do. */
  stored?(query: BlockQuery, range: TimeRange): Iterable<StoredSeries>;
}

export class BlockFolder {
  readonly path: string;
  /** In order of their beginnings. */
  #blocks: readonly Block[] = [];
  /** What is wrong with blocks that are there and cannot be read, by ULID. */
  readonly #damages: Map<string, Unavailable> = new Map();
  readonly #symbols: SymbolCache = createSymbolCache();
  /** The last of merging and dropping: they take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(path: string) {
    this.path = path;
  }

  /**
   * Removes what a crash left unfinished, and opens all blocks. A damaged one is kept: reads fail, naming
   * it, until it is moved away.
   * @throws {Unavailable} when the folder cannot be read
   */
  static async open(path: string): Promise<BlockFolder> {
    const folder = new BlockFolder(path);
    await attempt(`read ${path}`, async () => {
      await DISK.makeFolder(path);
      const names = await readdir(path);
      for (const name of names.filter((each) => each.endsWith(CREATING) || each.endsWith(DELETING)))
        await rm(join(path, name), { recursive: true, force: true });
      await folder.#openAll(names.filter(isUlid));
    });
    return folder;
  }

  get blocks(): readonly BlockMeta[] {
    return this.#blocks.map(({ meta }) => meta);
  }

  get damages(): readonly Unavailable[] {
    return [...this.#damages.values()];
  }

  /** Blocks that cannot be read, wholly or in part, as far as is known: reads and merges find more. */
  get damagedBlocks(): number {
    return this.#damages.size + this.#blocks.filter(({ isDamaged }) => isDamaged).length;
  }

  /** Writes and opens a block, as `writeBlock` does. */
  async cut(range: BlockRange, series: Iterable<BlockSeries>): Promise<BlockMeta | undefined> {
    const meta = await writeBlock(this.path, range, series);
    if (meta !== undefined) this.#add(await this.#open(meta.ulid));
    return meta;
  }

  /**
   * Series with whole chunks that overlap the range. Where blocks do not overlap they come one after the
   * other, so that a series may come several times, in order of time; in each group series are in order.
   * @param newer samples that are in no block yet
   * @throws {Unavailable} when a block is damaged, at the first series or at any other
   */
  *read(
    query: BlockQuery,
    range: TimeRange,
    newer: readonly SeriesSource[] = [],
  ): Generator<BlockSeries, void> {
    for (const group of this.#groups(range, newer)) yield* merged(group, query, range);
  }

  /** The same series, for those who check chunks when they decode them: of most, nothing is read but to be copied. */
  *stored(
    query: BlockQuery,
    range: TimeRange,
    newer: readonly SeriesSource[] = [],
  ): Generator<StoredSeries, void> {
    for (const group of this.#groups(range, newer)) {
      const [only, ...others] = group;
      const stored = others.length === 0 ? only?.stored?.(query, range) : undefined;
      yield* stored ?? allAsStored(merged(group, query, range));
    }
  }

  /** Sources that overlap, one group after the other. Their files stay open until the walk ends. */
  *#groups(
    range: TimeRange,
    newer: readonly SeriesSource[],
  ): Generator<readonly SeriesSource[], void> {
    const [damage] = this.damages;
    if (damage !== undefined) throw damage;
    const blocks = this.#blocks.filter(({ meta }) => isWithin(meta, range));
    const releases = blocks.map((block) => block.hold());
    try {
      const sources = [...blocks.map(sourceOf), ...newer.filter((one) => isWithin(one, range))];
      yield* overlaps(sources.sort((a, b) => a.startMs - b.startMs));
    } finally {
      for (const release of releases) release();
    }
  }

  /** Merges what is to be merged, one after the other. @returns how many blocks were made */
  async merge(): Promise<number> {
    return await this.#inTurn(async () => {
      for (let merged = 0; ; merged++) {
        const parents = planMerge(this.blocks);
        if (parents === undefined) return merged;
        await this.#mergeOnce(parents);
      }
    });
  }

  /** Deletes blocks that are wholly before a time. @returns how many */
  async dropBefore(timeMs: number): Promise<number> {
    return await this.#inTurn(async () => {
      const old = this.#blocks.filter(({ meta }) => meta.endMs <= timeMs);
      await this.#delete(old);
      return old.length;
    });
  }

  close(): void {
    for (const block of this.#blocks) block.close();
    this.#blocks = [];
  }

  async #openAll(ulids: readonly string[]): Promise<void> {
    for (const ulid of [...ulids].sort()) {
      try {
        this.#add(await this.#open(ulid));
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        this.#damages.set(ulid, error);
      }
    }
    const merged = new Set(this.blocks.flatMap(({ parents }) => parents.map(({ ulid }) => ulid)));
    await this.#delete(this.#blocks.filter(({ meta }) => merged.has(meta.ulid)));
    for (const ulid of merged)
      if (this.#damages.delete(ulid)) await this.#removeFolder(join(this.path, ulid));
  }

  async #open(ulid: string): Promise<Block> {
    return await openBlock(join(this.path, ulid), this.#symbols);
  }

  #add(block: Block): void {
    this.#blocks = [...this.#blocks, block].sort((a, b) => a.meta.startMs - b.meta.startMs);
  }

  async #mergeOnce(parents: readonly BlockMeta[]): Promise<void> {
    const ulids = new Set(parents.map(({ ulid }) => ulid));
    const blocks = this.#blocks.filter(({ meta }) => ulids.has(meta.ulid));
    const range = {
      startMs: Math.min(...parents.map(({ startMs }) => startMs)),
      endMs: Math.max(...parents.map(({ endMs }) => endMs)),
    };
    const origin = {
      level: 1 + Math.max(...parents.map(({ level }) => level)),
      sources: [...new Set(parents.flatMap(({ sources }) => sources))].sort(),
      parents: parents.map(({ ulid, startMs, endMs }) => ({ ulid, startMs, endMs })),
    };
    const meta = await writeBlock(
      this.path,
      range,
      mergeSeries(blocks.map((b) => b.all())),
      origin,
    );
    const made = meta === undefined ? undefined : await this.#open(meta.ulid);
    this.#blocks = this.#blocks.filter((block) => !blocks.includes(block));
    if (made !== undefined) this.#add(made);
    await this.#remove(blocks);
  }

  async #delete(blocks: readonly Block[]): Promise<void> {
    this.#blocks = this.#blocks.filter((block) => !blocks.includes(block));
    await this.#remove(blocks);
  }

  /** Whoever reads them goes on to the end. */
  async #remove(blocks: readonly Block[]): Promise<void> {
    for (const block of blocks) {
      block.close();
      await this.#removeFolder(block.path);
    }
  }

  async #removeFolder(path: string): Promise<void> {
    await attempt(`delete ${path}`, async () => {
      await DISK.rename(path, `${path}${DELETING}`);
      await DISK.syncFolder(this.path);
      await rm(`${path}${DELETING}`, { recursive: true, force: true });
    });
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return await mine;
  }
}

function isWithin({ startMs, endMs }: BlockRange, range: TimeRange): boolean {
  return startMs <= range.endMs && endMs > range.startMs;
}

/** All sources as one, in order. */
function merged(
  group: readonly SeriesSource[],
  query: BlockQuery,
  range: TimeRange,
): Iterable<BlockSeries> {
  const [only, ...others] = group.map((source) => source.series(query, range));
  if (only === undefined) return [];
  return others.length === 0 ? only : mergeSeries([only, ...others]);
}

function sourceOf(block: Block): SeriesSource {
  const { startMs, endMs } = block.meta;
  return {
    startMs,
    endMs,
    series: (query, range) => block.readMetrics(metricsOf(query), range, matchersOf(query)),
    stored: (query, range) => block.stored(metricsOf(query), range, matchersOf(query)),
  };
}

function metricsOf(query: BlockQuery): readonly string[] {
  return 'metrics' in query ? query.metrics : [query.metric];
}

function matchersOf(query: BlockQuery): readonly Matcher[] {
  return 'metrics' in query ? [] : query.matchers;
}
