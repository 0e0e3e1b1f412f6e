/**
 * Stored sets that are requested again stay in the arena, column by column, as long as there is room.
 * The least recently used go first. A set that is requested for the first time is freed after its
 * query: a long window then needs little memory, reused again and again, which costs half of touching
 * new memory, and evicts nothing.
 */
import { ArenaCache, Cache, type CacheState } from '../../cache/index.ts';
import {
  ArenaFull,
  type Arena,
  type Owner,
  type Owners,
  type TableAddresses,
} from '../../columnar/index.ts';
import type { StoredSet } from '../../storage/index.ts';

/** Reads columns of a set into the arena, in a worker. */
export type ReadColumns = (
  stored: StoredSet,
  owner: Owner,
  columns: readonly string[] | null,
) => Promise<TableAddresses>;

/** A set whose columns stay where they are until it is released. */
export interface HotSet {
  /** Tables of the same rows, with different columns. */
  readonly tables: readonly TableAddresses[];
  readonly release: () => void;
}

/** The columns of a set read so far. */
interface ReadSet {
  readonly owner: Owner;
  readonly tables: TableAddresses[];
  readonly columns: Set<string>;
  hasAll: boolean;
  /** Reads of one set come one after the other, so that no column is read twice. */
  reading: Promise<void>;
}

export interface HotSetsOptions {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly budgetBytes: number;
  readonly read: ReadColumns;
}

/** How many sets are remembered as opened. */
const OPENED_MAX = 10_000;

export class HotSets {
  readonly #options: HotSetsOptions;
  /** Sets that were opened at least once. */
  #opened: Cache<true> = noneOpened();
  /** By place and checksum. */
  readonly #sets: ArenaCache<ReadSet>;

  constructor(options: HotSetsOptions) {
    this.#options = options;
    this.#sets = new ArenaCache(options);
  }

  get state(): CacheState {
    return this.#sets.state;
  }

  /**
   * @param columns those wanted; null: all
   * @throws {Unavailable} the set is damaged, or its disk does not answer
   * @throws {ArenaFull}
   */
  async open(stored: StoredSet, columns: readonly string[] | null): Promise<HotSet> {
    if (this.isFirst(stored)) return await this.#once(stored, columns);
    const held = await this.#sets.open(idOf(stored), nothingRead);
    const set = held.value;
    try {
      set.reading = set.reading
        .catch(() => undefined)
        .then(() => this.#fill(set, stored, columns))
        .finally(held.measure);
      await set.reading;
    } catch (error) {
      if (set.tables.length === 0) held.forget();
      held.release();
      throw error;
    }
    return { tables: [...set.tables], release: held.release };
  }

  /** Whether columns of the set are here. */
  has(stored: StoredSet): boolean {
    return this.#sets.has(idOf(stored));
  }

  /**
   * Whether the set is opened for the first time: then it is read in the task that groups it, and
   * does not stay.
   */
  isFirst(stored: StoredSet): boolean {
    const id = idOf(stored);
    if (this.#sets.has(id)) return false;
    const isKnown = this.#opened.has(id);
    this.#opened.set(id, true);
    return !isKnown;
  }

  /** Frees all sets that are not in use. Where they had no room, they are read as for the first time again. */
  clear(): void {
    this.#sets.clear();
    this.#opened = noneOpened();
  }

  async #once(stored: StoredSet, columns: readonly string[] | null): Promise<HotSet> {
    const { owners } = this.#options;
    const owner = owners.take();
    const release = once(() => {
      owners.free(owner);
    });
    try {
      return { tables: [await this.#read(owner, stored, columns)], release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #fill(set: ReadSet, stored: StoredSet, columns: readonly string[] | null): Promise<void> {
    if (set.hasAll) return;
    const missing = columns?.filter((name) => !set.columns.has(name)) ?? null;
    if (missing !== null && missing.length === 0) return;
    set.tables.push(await this.#read(set.owner, stored, missing));
    set.hasAll = missing === null;
    for (const name of missing ?? []) set.columns.add(name);
  }

  /** Where there is no room, sets that are not in use are freed. */
  async #read(
    owner: Owner,
    stored: StoredSet,
    columns: readonly string[] | null,
  ): Promise<TableAddresses> {
    const { read } = this.#options;
    try {
      return await read(stored, owner, columns);
    } catch (error) {
      if (!(error instanceof ArenaFull)) throw error;
      this.clear();
      return await read(stored, owner, columns);
    }
  }
}

function noneOpened(): Cache<true> {
  return new Cache({ budget: OPENED_MAX, sizeOf: () => 1 });
}

function nothingRead(owner: Owner): Promise<ReadSet> {
  return Promise.resolve({
    owner,
    tables: [],
    columns: new Set<string>(),
    hasAll: false,
    reading: Promise.resolve(),
  });
}

function idOf({ place, directory }: StoredSet): string {
  return JSON.stringify([place, directory]);
}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}
