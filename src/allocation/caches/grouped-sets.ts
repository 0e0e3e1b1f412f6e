/**
 * Grouped sets stay in the arena while there is room: another window, page or sum of the same query
 * adds them up. The least recently used go first.
 */
import { ArenaCache, Cache, type ArenaCacheOptions, type CacheState } from '../../cache/index.ts';
import { type Owner, withOwner } from '../../columnar/index.ts';
import type { GroupedAddresses } from '../query/aggregate.ts';

type GroupedSetsOptions = Omit<ArenaCacheOptions, 'entryMaxBytes'>;

/** A grouped set that stays where it is until it is released. */
export interface HeldSet {
  readonly grouped: GroupedAddresses;
  /** Bytes of the arena. */
  readonly bytes: number;
  readonly release: () => void;
}

/** Groups a set: `keeper` has the result, `owner` all else, which is freed at the end. */
export type GroupSet = (keeper: Owner, owner: Owner) => Promise<GroupedAddresses>;

/** Rows that are not aggregated would evict many sets, and are rarely requested again. */
const LARGEST_SHARE = 1 / 64;
/** Sizes that are remembered. */
const SIZES_MAX = 10_000;

export class GroupedSets {
  readonly #options: GroupedSetsOptions;
  readonly #sets: ArenaCache<GroupedAddresses>;
  /** Bytes of grouped sets, cached or not. */
  readonly #sizes: Cache<number> = new Cache({ budget: SIZES_MAX, sizeOf: () => 1 });

  constructor(options: GroupedSetsOptions) {
    const entryMaxBytes = options.budgetBytes * LARGEST_SHARE;
    this.#options = options;
    this.#sets = new ArenaCache({ ...options, entryMaxBytes });
  }

  get state(): CacheState {
    return this.#sets.state;
  }

  /**
   * Concurrent requests wait for one computation.
   * @param id the same for the same result
   */
  async open(id: string, group: GroupSet): Promise<HeldSet> {
    const { value, bytes, release } = await this.#sets.open(id, (keeper) =>
      withOwner(this.#options, (owner) => group(keeper, owner)),
    );
    this.#sizes.set(id, bytes);
    return { grouped: value, bytes, release };
  }

  /** Bytes of the grouped set when it was last made; undefined where that is not known. */
  bytesOf(id: string): number | undefined {
    return this.#sizes.get(id);
  }

  /** Frees all sets that are not in use. */
  clear(): void {
    this.#sets.clear();
  }
}
