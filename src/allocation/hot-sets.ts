/**
 * Stored sets that are asked for again stay in the arena, column by column, as long as there is room.
 * Those not used for longest go first. What is asked for the first time is freed after its query: a
 * long window then passes through little memory, the same again and again, which costs half of what
 * touching new memory does; and it pushes out nothing.
 */
import { ArenaFull, type Arena, type Owner, type Owners } from '../columnar/index.ts';
import type { TableAddresses } from '../columnar/index.ts';
import type { StoredSet } from '../storage/index.ts';

/** Reads columns of a set into the arena, in a worker. */
export type ReadColumns = (
  stored: StoredSet,
  owner: Owner,
  columns: readonly string[] | null,
) => Promise<ColumnsAt>;

export interface ColumnsAt {
  readonly addresses: TableAddresses;
  readonly bytes: number;
}

/** A set whose columns stay where they are until it is released. */
export interface HotSet {
  /** Tables of the same rows, with different columns. */
  readonly tables: readonly TableAddresses[];
  readonly release: () => void;
}

interface Entry {
  readonly owner: Owner;
  readonly tables: TableAddresses[];
  readonly columns: Set<string>;
  hasAll: boolean;
  bytes: number;
  users: number;
  /** Reads of one set come one after the other, so that no column is read twice. */
  reading: Promise<void>;
}

export interface HotSetsOptions {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly budgetBytes: number;
  readonly read: ReadColumns;
}

/** Sets remembered to have been asked for. */
const ASKED_MAX = 10_000;

export class HotSets {
  readonly #options: HotSetsOptions;
  /** Asked for at least once, the longest ago first. */
  readonly #asked: Set<string> = new Set();
  /** By place and checksum, the one used last at the end. */
  readonly #entries: Map<string, Entry> = new Map();
  #bytes = 0;

  constructor(options: HotSetsOptions) {
    this.#options = options;
  }

  /**
   * @param columns those wanted; null: all
   * @throws {Unavailable} the set is damaged, or its disk does not answer
   * @throws {ArenaFull}
   */
  async open(stored: StoredSet, columns: readonly string[] | null): Promise<HotSet> {
    if (this.isFirst(stored)) return await this.#once(stored, columns);
    const id = idOf(stored);
    const entry = this.#entries.get(id) ?? this.#add(id);
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    entry.users++;
    const release = once(() => {
      entry.users--;
      this.#shrink(this.#options.budgetBytes);
    });
    try {
      entry.reading = entry.reading
        .catch(() => undefined)
        .then(() => this.#fill(entry, stored, columns));
      await entry.reading;
    } catch (error) {
      release();
      throw error;
    }
    return { tables: [...entry.tables], release };
  }

  /**
   * Whether nobody asked for the set before: then who groups it reads it in the same task, and
   * nothing of it stays.
   */
  isFirst(stored: StoredSet): boolean {
    const id = idOf(stored);
    return !this.#entries.has(id) && this.#isFirst(id);
  }

  /** Gives back everything that nobody uses. */
  clear(): void {
    this.#shrink(0);
  }

  #isFirst(id: string): boolean {
    const isKnown = this.#asked.delete(id);
    this.#asked.add(id);
    const [oldest] = this.#asked;
    if (oldest !== undefined && this.#asked.size > ASKED_MAX) this.#asked.delete(oldest);
    return !isKnown;
  }

  async #once(stored: StoredSet, columns: readonly string[] | null): Promise<HotSet> {
    const { owners } = this.#options;
    const owner = owners.take();
    const release = once(() => {
      owners.free(owner);
    });
    try {
      const { addresses } = await this.#read(owner, stored, columns);
      return { tables: [addresses], release };
    } catch (error) {
      release();
      throw error;
    }
  }

  #add(id: string): Entry {
    const entry: Entry = {
      owner: this.#options.owners.take(),
      tables: [],
      columns: new Set(),
      hasAll: false,
      bytes: 0,
      users: 0,
      reading: Promise.resolve(),
    };
    this.#entries.set(id, entry);
    return entry;
  }

  async #fill(entry: Entry, stored: StoredSet, columns: readonly string[] | null): Promise<void> {
    if (entry.hasAll) return;
    const missing = columns?.filter((name) => !entry.columns.has(name)) ?? null;
    if (missing !== null && missing.length === 0) return;
    const { addresses, bytes } = await this.#read(entry.owner, stored, missing);
    entry.tables.push(addresses);
    entry.hasAll = missing === null;
    for (const name of missing ?? []) entry.columns.add(name);
    entry.bytes += bytes;
    this.#bytes += bytes;
  }

  /** Where there is no room, what nobody uses makes some. */
  async #read(
    owner: Owner,
    stored: StoredSet,
    columns: readonly string[] | null,
  ): Promise<ColumnsAt> {
    const { read } = this.#options;
    try {
      return await read(stored, owner, columns);
    } catch (error) {
      if (!(error instanceof ArenaFull)) throw error;
      this.clear();
      return await read(stored, owner, columns);
    }
  }

  #shrink(budgetBytes: number): void {
    for (const [id, entry] of this.#entries) {
      if (this.#bytes <= budgetBytes) return;
      if (entry.users > 0) continue;
      this.#entries.delete(id);
      this.#bytes -= entry.bytes;
      this.#options.owners.free(entry.owner);
    }
  }
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
