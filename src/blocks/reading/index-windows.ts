/**
 * Parts of indices as queries read them. One query asks for the same series several times, for other times or
 * other labels, and the next query again: what is read once is kept within a budget, as no block ever changes.
 */
import { Cache } from '../../cache/index.ts';
import { DamagedBlock } from '../../tsdb/index.ts';
import type { FetchGate } from '../places/fetch-gate.ts';
import type { RangeSource } from '../places/range-source.ts';
import { BlockGone } from './block-gone.ts';
import type { BlockHeader } from './block-header.ts';
import type { ByteSpan } from './byte-ranges.ts';

export interface WindowOptions {
  readonly source: RangeSource;
  readonly gate: FetchGate;
  readonly budgetBytes: number;
}

const WINDOW_MS = 5 * 60_000;
/** What a part that is kept takes beside its bytes. */
const ENTRY_BYTES = 256;

export class IndexWindows {
  readonly #options: WindowOptions;
  #cache: Cache<Uint8Array>;

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#cache = this.#empty();
  }

  /**
   * Bytes of the index, fewer where it ends before. Nobody writes to them.
   * @throws {BlockGone} where the block was deleted
   * @throws {Unavailable} when it is damaged or cannot be read, naming the file
   */
  async read(
    { ulid, index }: BlockHeader,
    { from, to }: ByteSpan,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    signal.throwIfAborted();
    const { source, gate } = this.#options;
    const bytes = Math.min(to, index.bytes) - from;
    const path = `${source.name}/${index.key}`;
    if (bytes <= 0) throw new DamagedBlock(path, from, 'it is cut off');
    const read = await this.#cache.open(`${ulid} ${from} ${bytes}`, async () => {
      // Whoever asks may leave; the part is for all.
      const shared = AbortSignal.timeout(WINDOW_MS);
      const found = await gate.run(() => source.read(index, from, bytes, shared));
      if (found === undefined) throw new BlockGone(ulid, path);
      return found;
    });
    if (read.length < bytes) throw new DamagedBlock(path, from + read.length, 'it is cut off');
    return read;
  }

  /** Bytes of one of them are not what they should be: they may be on the place. */
  forget(): void {
    this.#cache = this.#empty();
  }

  #empty(): Cache<Uint8Array> {
    return new Cache({
      budget: this.#options.budgetBytes,
      sizeOf: ({ length }, key) => length + 2 * key.length + ENTRY_BYTES,
    });
  }
}
