/**
 * A cache within a budget: the least recently used values go first. A key is used when its value is
 * got, set or made.
 *
 * ```
 *   used longest ago                  used last
 *   ┌───────┬───────┬───────┬───────┬───────┐
 *   │ value │ value │ value │ value │ value │   sizes ≤ budget, values ≤ entriesMax
 *   └───────┴───────┴───────┴───────┴───────┘
 *   goes first
 * ```
 */
import { SingleFlight } from './single-flight.ts';
import type { CacheState } from './state.ts';

export interface CacheOptions<Value> {
  /** The limit of all sizes together: in bytes, or in whatever `sizeOf` counts. */
  readonly budget: number;
  readonly sizeOf: (value: Value, key: string) => number;
  /** Absent: as many as the budget allows. */
  readonly entriesMax?: number;
  /** Whether a value that `open` made is cached, or only returned; absent: all are cached. */
  readonly isCacheable?: (value: Value) => boolean;
}

interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
}

export class Cache<Value> {
  readonly #options: CacheOptions<Value>;
  /** In order of use, the last used at the end. */
  readonly #entries: Map<string, Entry<Value>> = new Map();
  readonly #making: SingleFlight<Value> = new SingleFlight();
  #size = 0;
  #hits = 0;
  #misses = 0;

  constructor(options: CacheOptions<Value>) {
    this.#options = options;
  }

  /** Bytes are sizes, as `sizeOf` counts them. */
  get state(): CacheState {
    const { size: entries } = this.#entries;
    return { bytes: this.#size, entries, hits: this.#hits, misses: this.#misses };
  }

  /** Whether the value is there or being made. This does not count as a use. */
  has(key: string): boolean {
    return this.#entries.has(key) || this.#making.has(key);
  }

  get(key: string): Value | undefined {
    return this.#used(key)?.value;
  }

  /** Replaces the value. One that is larger than the budget is not cached and evicts no other. */
  set(key: string, value: Value): void {
    this.delete(key);
    const { budget, entriesMax = Infinity, sizeOf } = this.#options;
    const size = sizeOf(value, key);
    if (size > budget) return;
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= budget && this.#entries.size <= entriesMax) return;
      this.delete(oldest);
    }
  }

  /**
   * The value, made if it is not there. Concurrent callers share one call of `make`.
   * @throws {Error} what `make` throws: all callers get it, and nothing is cached
   */
  open(key: string, make: () => Promise<Value>): Promise<Value> {
    const known = this.#used(key);
    if (known !== undefined) return Promise.resolve(known.value);
    return this.#making.run(key, async () => {
      const value = await make();
      if (this.#options.isCacheable?.(value) ?? true) this.set(key, value);
      return value;
    });
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#size -= entry.size;
    this.#entries.delete(key);
  }

  #used(key: string): Entry<Value> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }
}
