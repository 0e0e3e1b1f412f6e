/** Reads one block to the last bit, and compares its parts with each other. */
import { join } from 'node:path';
import { Unavailable } from '../../query/index.ts';
import { DamagedBlock } from '../format/damaged-block.ts';
import { SERIES_ALIGN, type IndexedChunk } from '../format/index-format.ts';
import { compareLabels } from '../format/label-scan.ts';
import { openBlock, type Block } from './open-block.ts';
import type { LabelBytes, XorChunk } from '../format/series.ts';
import { XorSamples } from '../format/xor-samples.ts';

export interface BlockFinding {
  /** A file, or the folder of a block. */
  readonly path: string;
  /** In the file, in bytes; absent when it is about all of it. */
  readonly offset?: number;
  readonly message: string;
}

/** More are not told of one block: a file of zeros has a million. */
const FINDINGS_MAX = 20;

/** What a list of postings must be: how many series, and the sum of their numbers by place. */
interface Listed {
  count: number;
  sum: number;
}

export class BlockCheck {
  readonly findings: BlockFinding[] = [];
  series = 0;
  samples = 0;
  readonly #path: string;
  readonly #decoded: XorSamples = new XorSamples();
  readonly #lists: Map<string, Listed> = new Map();

  /** @param path of a block's folder */
  constructor(path: string) {
    this.#path = path;
  }

  async run(): Promise<void> {
    let block: Block;
    try {
      block = await openBlock(this.#path);
    } catch (error) {
      return this.#found(error);
    }
    try {
      checkSymbols(block);
      this.#checkSeries(block);
      this.#checkLists(block);
      this.#checkCount(block);
    } catch (error) {
      this.#found(error);
    } finally {
      block.close();
    }
  }

  #checkSeries(block: Block): void {
    const symbols = block.symbols();
    const window = block.index.window();
    const chunks = block.chunkReader();
    const [all] = block.index.postingsRows();
    let last: LabelBytes = new Uint8Array(0);
    for (const number of all === undefined ? [] : block.index.postings(all.offset)) {
      if (this.findings.length >= FINDINGS_MAX) return;
      try {
        const entry = block.index.entry(window, number, symbols.count);
        const labels = symbols.encode(entry.labels);
        if (compareLabels(last, labels) >= 0) throw atSeries(block, number, 'it is out of order');
        last = labels;
        this.#list(number, '', '');
        for (let i = 0; i < entry.labels.length; i += 2)
          this.#list(
            number,
            symbols.text(entry.labels[i] ?? 0),
            symbols.text(entry.labels[i + 1] ?? 0),
          );
        this.series++;
        requireTimes(block, number, entry.chunks);
        for (const chunk of entry.chunks) {
          const read = chunks.read(chunk);
          if (read !== undefined) this.#checkChunk(read, chunks.placeOf(chunk));
        }
      } catch (error) {
        this.#found(error);
      }
    }
  }

  #checkChunk(chunk: XorChunk, place: { path: string; offset: number }): void {
    const decoded = this.#decoded;
    try {
      decoded.decode(chunk.bytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new DamagedBlock(place.path, place.offset, `a chunk: ${error.message}`, error);
    }
    const [firstMs, lastMs] = [decoded.timesMs[0], decoded.timesMs[decoded.count - 1]];
    if (firstMs !== chunk.minTimeMs || lastMs !== chunk.maxTimeMs)
      throw new DamagedBlock(place.path, place.offset, 'a chunk has other times than its index');
    this.samples += decoded.count;
  }

  #list(number: number, name: string, value: string): void {
    const key = `${name}\0${value}`;
    let listed = this.#lists.get(key);
    if (listed === undefined) this.#lists.set(key, (listed = { count: 0, sum: 0 }));
    add(listed, number);
  }

  #checkLists(block: Block): void {
    if (this.findings.length > 0) return; // series that were not read are in no list
    const { file } = block.index;
    for (const { name, value, offset } of block.index.postingsRows()) {
      const key = `${name}\0${value}`;
      const expected = this.#lists.get(key);
      const found: Listed = { count: 0, sum: 0 };
      for (const number of block.index.postings(offset)) add(found, number);
      if (found.count !== expected?.count || found.sum !== expected.sum)
        throw new DamagedBlock(
          file.path,
          offset,
          `the list of ${name}="${value}" is of other series`,
        );
      this.#lists.delete(key);
    }
    const [missing] = this.#lists.keys();
    if (missing === undefined) return;
    const reason = `there is no list of ${missing.replace('\0', '=')}`;
    throw new DamagedBlock(file.path, block.index.toc.postingsTable, reason);
  }

  #checkCount({ meta }: Block): void {
    if (this.findings.length > 0 || this.samples === meta.samples) return;
    const message = `it tells of ${meta.samples} samples, there are ${this.samples}`;
    this.findings.push({ path: join(this.#path, 'meta.json'), message });
  }

  /** @throws {Error} what is no finding */
  #found(error: unknown): void {
    if (error instanceof DamagedBlock) {
      const { path, offset, reason } = error;
      this.findings.push({ path, offset, message: reason });
    } else if (error instanceof Unavailable)
      this.findings.push({ path: this.#path, message: error.message });
    else throw error;
  }
}

function add(listed: Listed, number: number): void {
  listed.count++;
  listed.sum = (listed.sum * 31 + number) % 2 ** 45;
}

function checkSymbols(block: Block): void {
  const symbols = block.symbols();
  const { file, toc } = block.index;
  for (let i = 1; i < symbols.count; i++)
    if (symbols.compare(i - 1, i) >= 0)
      throw new DamagedBlock(file.path, toc.symbols, `text ${i} is out of order`);
}

function requireTimes(block: Block, number: number, chunks: readonly IndexedChunk[]): void {
  const { startMs, endMs } = block.meta;
  let lastMs = startMs - 1;
  for (const { minTimeMs, maxTimeMs } of chunks) {
    if (minTimeMs <= lastMs || maxTimeMs < minTimeMs || maxTimeMs >= endMs)
      throw atSeries(
        block,
        number,
        'its chunks are not in order, or not in the times of the block',
      );
    lastMs = maxTimeMs;
  }
}

function atSeries({ index }: Block, number: number, reason: string): DamagedBlock {
  return new DamagedBlock(index.file.path, number * SERIES_ALIGN, `a series: ${reason}`);
}
