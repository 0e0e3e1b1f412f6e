/**
 * A cache of values that hold memory of the arena, within a budget of bytes. Each value has an owner,
 * whose memory is freed with the value. Values in use stay; of the others, the least recently used go
 * first.
 *
 * ```
 *   open ──▶ made for an owner ──▶ held by users ──▶ without users ──▶ freed
 *               │                    │      ▲              │             ▲
 *               │ fails              │      └──── open ────┘             │
 *               └────────────────────┴── forgotten: not found again ─────┘
 *                                        freed with its last user
 * ```
 */
import type { Owner, OwnedMemory } from '../columnar/index.ts';
import type { CacheState } from './state.ts';

export interface ArenaCacheOptions extends OwnedMemory {
  /** Only values in use may exceed it. */
  readonly budgetBytes: number;
  /** A larger value is freed with its last user; absent: the budget. */
  readonly entryMaxBytes?: number;
}

/** A value whose memory stays in place until it is released. */
export interface Held<Value> {
  readonly value: Value;
  /** Bytes that its owner held in the arena when it was opened. */
  readonly bytes: number;
  /** Counts the owner's bytes again, for a user that added to them. */
  readonly measure: () => void;
  /** The next `open` of the key makes a new value; the last user frees this one. */
  readonly forget: () => void;
  /** Afterwards all functions here do nothing. */
  readonly release: () => void;
}

interface Entry<Value> {
  readonly key: string;
  readonly owner: Owner;
  making: Promise<Value>;
  bytes: number;
  users: number;
}

export class ArenaCache<Value> {
  readonly #options: ArenaCacheOptions;
  /** In order of use, the last used at the end. */
  readonly #entries: Map<string, Entry<Value>> = new Map();
  /** Bytes of all values, forgotten ones that are still in use included. */
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  constructor(options: ArenaCacheOptions) {
    this.#options = options;
  }

  get state(): CacheState {
    const { size: entries } = this.#entries;
    return { bytes: this.#bytes, entries, hits: this.#hits, misses: this.#misses };
  }

  /** Whether the value is there or being made. This does not count as a use. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /**
   * The value, made if it is not there. Concurrent callers share one call of `make`, which goes on when
   * a caller leaves.
   * @param make allocates the value's memory for this owner
   * @throws {Error} what `make` throws: all callers get it, and nothing is cached
   */
  async open(key: string, make: (owner: Owner) => Promise<Value>): Promise<Held<Value>> {
    const known = this.#entries.get(key);
    if (known === undefined) this.#misses++;
    else this.#hits++;
    const entry = known ?? this.#begin(key, make);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.users++;
    try {
      return this.#held(entry, await entry.making);
    } catch (error) {
      this.#forget(entry);
      this.#leave(entry);
      throw error;
    }
  }

  /** Frees all values that are not in use. */
  clear(): void {
    for (const entry of this.#entries.values()) if (entry.users === 0) this.#free(entry);
  }

  #begin(key: string, make: (owner: Owner) => Promise<Value>): Entry<Value> {
    const owner = this.#options.owners.take();
    const entry = { key, owner, making: made(make, owner), bytes: 0, users: 0 };
    entry.making = entry.making.then((value) => {
      this.#measure(entry);
      return value;
    });
    return entry;
  }

  #held(entry: Entry<Value>, value: Value): Held<Value> {
    let isHeld = true;
    return {
      value,
      bytes: entry.bytes,
      measure: () => {
        if (isHeld) this.#measure(entry);
      },
      forget: () => {
        if (isHeld) this.#forget(entry);
      },
      release: () => {
        if (isHeld) this.#leave(entry);
        isHeld = false;
      },
    };
  }

  #measure(entry: Entry<Value>): void {
    const bytes = this.#options.arena.bytesOf(entry.owner);
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    this.#shrink();
  }

  #leave(entry: Entry<Value>): void {
    const { budgetBytes, entryMaxBytes = budgetBytes } = this.#options;
    entry.users--;
    const isStaying = this.#isFound(entry) && entry.bytes <= entryMaxBytes;
    if (entry.users === 0 && !isStaying) this.#free(entry);
    this.#shrink();
  }

  #shrink(): void {
    for (const entry of this.#entries.values()) {
      if (this.#bytes <= this.#options.budgetBytes) return;
      if (entry.users === 0) this.#free(entry);
    }
  }

  #isFound(entry: Entry<Value>): boolean {
    return this.#entries.get(entry.key) === entry;
  }

  #forget(entry: Entry<Value>): void {
    if (this.#isFound(entry)) this.#entries.delete(entry.key);
  }

  /** The memory is freed once the last holder of the owner lets go. */
  #free(entry: Entry<Value>): void {
    this.#forget(entry);
    this.#bytes -= entry.bytes;
    this.#options.owners.free(entry.owner);
  }
}

/** Turns an immediate throw of `make` into a rejection. */
async function made<Value>(make: (owner: Owner) => Promise<Value>, owner: Owner): Promise<Value> {
  return await make(owner);
}
