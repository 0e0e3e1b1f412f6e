/** Sums for days that lack them: those that an older version stored, and those that were imported. */
import type { Owner } from '../../columnar/index.ts';
import { HOUR_MS, type Window } from '../../query/index.ts';
import { originOf, type QueriedSets, type SetInfo, type StoredSet } from '../../storage/index.ts';
import { storedSums, type StoredSums } from '../reduced/sums-set.ts';
import { ALLOCATIONS, ASSETS, type EncodedAt } from '../sets/set-files.ts';
import { storedIn, wholeSet } from '../stored/set-index.ts';
import { asQuery, encodedBy, type BuildOptions } from './build-sets.ts';

export class MissingSums {
  readonly #sets: QueriedSets;
  readonly #sums: StoredSums;
  /** The version of the sets for which the days are known. */
  #version = NaN;
  #days: readonly Window[] = [];
  /** Rows whose sums were made by this process: whatever became of these, they are not made again. */
  readonly #made: Set<string> = new Set();

  constructor(sets: QueriedSets) {
    this.#sets = sets;
    this.#sums = storedSums(sets);
  }

  /** Days with rows, and without their sums, the newest first. Hours are gone soon. */
  get days(): readonly Window[] {
    const { version } = this.#sets;
    if (this.#version !== version) {
      const lacking = this.#sets.list(ALLOCATIONS).filter((info) => this.#lacks(info));
      this.#days = lacking.map(({ key: { startMs, endMs } }) => ({ startMs, endMs })).reverse();
      this.#version = version;
    }
    return this.#days;
  }

  /**
   * Makes the sums of a stored day, once for its rows; of one that is gone meanwhile, nothing.
   * @throws {Unavailable} its rows cannot be read, or the sums not be written
   */
  async add(options: BuildOptions, day: Window, signal: AbortSignal): Promise<void> {
    const { sets, compute } = options;
    const info = wholeSet(storedIn(sets), day);
    const stored = info && sets.locate(info.key);
    if (info === undefined || stored === undefined) return;
    await asQuery(options, async (keeper) => {
      const assets = this.#assetsOf(stored);
      const input = { stored, assets, meta: info.meta, keeper };
      const sum = (owner: Owner): Promise<EncodedAt[]> =>
        compute.pool.run('sumRows', { ...input, owner }, signal);
      await sets.write(await encodedBy(options, sum));
    });
    this.#made.add(idOf(stored));
  }

  /** Damaged ones charge nothing. */
  #assetsOf({ key: { startMs, endMs } }: StoredSet): StoredSet | null {
    const infos = this.#sets.list(ASSETS);
    const info = infos.find(({ key }) => key.startMs === startMs && key.endMs === endMs);
    return (info?.damage === undefined && info && this.#sets.locate(info.key)) || null;
  }

  #lacks({ key, rows, damage, insteadOf }: SetInfo): boolean {
    const isDay = key.endMs - key.startMs > HOUR_MS;
    if (!isDay || rows === 0 || damage !== undefined || insteadOf !== undefined) return false;
    const stored = this.#sets.locate(key);
    if (stored === undefined || this.#made.has(idOf(stored))) return false;
    return this.#sums.of(stored) === undefined;
  }
}

function idOf(stored: StoredSet): string {
  return JSON.stringify(originOf(stored));
}
