/**
 * What single sets came to, grouped, stays in the arena while there is room: another window, page or
 * sum of the same question adds up what is there. Those not used for longest go first.
 */
import { type Arena, type Owner, type Owners, withOwner } from '../columnar/index.ts';
import type { GroupedAddresses } from './stored-tasks.ts';

export interface GroupedSetsOptions {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly budgetBytes: number;
}

/** A grouped set that stays where it is until it is released. */
export interface HeldSet {
  readonly grouped: GroupedAddresses;
  /** Of the arena. */
  readonly bytes: number;
  readonly release: () => void;
}

/** Groups a set: `keeper` has the result, `owner` all else, which is freed at the end. */
export type GroupSet = (keeper: Owner, owner: Owner) => Promise<GroupedAddresses>;

interface Entry {
  readonly keeper: Owner;
  making: Promise<GroupedAddresses>;
  bytes: number;
  users: number;
}

/** Rows that are not aggregated would push out many answers, and are rarely asked for again. */
const LARGEST_SHARE = 1 / 64;
/** Sizes that are remembered. */
const SIZES_MAX = 10_000;

export class GroupedSets {
  readonly #options: GroupedSetsOptions;
  /** The one used last at the end. */
  readonly #entries: Map<string, Entry> = new Map();
  #bytes = 0;
  /** Bytes of what was grouped, whether or not it stayed, by id; the one used last at the end. */
  readonly #sizes: Map<string, number> = new Map();

  constructor(options: GroupedSetsOptions) {
    this.#options = options;
  }

  /**
   * Those who ask at the same time wait for one computation.
   * @param id the same for the same result
   */
  async open(id: string, group: GroupSet): Promise<HeldSet> {
    const entry = this.#entries.get(id) ?? this.#add(id, group);
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    entry.users++;
    const release = (): void => {
      entry.users--;
      this.#shrink(this.#options.budgetBytes);
    };
    try {
      const grouped = await entry.making;
      return { grouped, bytes: entry.bytes, release };
    } catch (error) {
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
      entry.users--;
      if (entry.users === 0) this.#free(entry);
      throw error;
    }
  }

  /** What grouping came to the last time, bytes of the arena; undefined where that is not known. */
  bytesOf(id: string): number | undefined {
    return this.#sizes.get(id);
  }

  /** Gives back everything that nobody uses. */
  clear(): void {
    this.#shrink(0);
  }

  #add(id: string, group: GroupSet): Entry {
    const keeper = this.#options.owners.take();
    const entry: Entry = { keeper, making: this.#make(keeper, group), bytes: 0, users: 0 };
    entry.making = entry.making.then((grouped) => {
      entry.bytes = this.#options.arena.bytesOf(keeper);
      this.#bytes += entry.bytes;
      this.#remember(id, entry.bytes);
      return grouped;
    });
    this.#entries.set(id, entry);
    return entry;
  }

  #remember(id: string, bytes: number): void {
    this.#sizes.delete(id);
    this.#sizes.set(id, bytes);
    const [oldest] = this.#sizes.keys();
    if (oldest !== undefined && this.#sizes.size > SIZES_MAX) this.#sizes.delete(oldest);
  }

  #make(keeper: Owner, group: GroupSet): Promise<GroupedAddresses> {
    return withOwner(this.#options, (owner) => group(keeper, owner));
  }

  #shrink(budgetBytes: number): void {
    for (const [id, entry] of this.#entries) {
      const isKept = this.#bytes <= budgetBytes && entry.bytes <= budgetBytes * LARGEST_SHARE;
      if (isKept || entry.users > 0) continue;
      this.#entries.delete(id);
      this.#bytes -= entry.bytes;
      this.#free(entry);
    }
  }

  #free({ keeper }: Entry): void {
    // Those who write rows from it hold it until they are done.
    this.#options.owners.free(keeper);
  }
}
