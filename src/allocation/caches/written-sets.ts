/**
 * Grouped sets that answers are being written from, shared by all readers of the same, within a
 * budget: a reader that needs a further one waits until there is room. A reader that stands still while
 * others wait loses its set, and gets it again, made anew, when it goes on. So memory does not grow
 * with readers, and no reader waits for one that stands still. `src/cache` does not fit: its users
 * neither wait for room nor lose sets in use.
 */
import type { CacheState } from '../../cache/index.ts';
import type { Arena, Owner, Owners } from '../../columnar/index.ts';
import { Unavailable } from '../../query/index.ts';
import type { WrittenRows } from '../formats/row-chunks.ts';
import type { SetAt } from '../formats/set-at.ts';

/** A set, and warnings found while it was made. */
export interface MadeSet extends SetAt {
  readonly warnings: readonly string[];
}

/** Makes the rows of a set for `owner`. The same key gives the same rows. */
export type MakeSet = (owner: Owner, signal: AbortSignal) => Promise<MadeSet>;

export interface SharedRows extends WrittenRows {
  readonly warnings: readonly string[];
}

export interface WrittenSetsOptions {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly budgetBytes: number;
  /** A reader that took nothing for so long while others wait may lose its set. */
  readonly idleMs?: number;
}

interface Entry {
  readonly owner: Owner;
  readonly made: Promise<MadeSet>;
  /** Stops making it when no reader is left. */
  readonly abort: AbortController;
  readonly sinceMs: number;
  /** Bytes of the owner once it is made; until then those of the largest set. */
  bytes: number;
  /** Readers that are on it. */
  holders: number;
  /** Those that need it just now, its making included. */
  users: number;
  idleSinceMs: number;
}

const IDLE_MS = 1000;
/** A reader that had a set for so long while others wait may lose it between two chunks. */
const TURN_MS = 10_000;
const CHECK_MS = 250;

export class WrittenSets {
  readonly #options: WrittenSetsOptions;
  readonly #entries: Map<string, Entry> = new Map();
  readonly #waiting: Set<() => void> = new Set();
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  /** Bytes that the next set may need: the largest so far; before any is known, the budget. */
  #likelyBytes: number;
  #isKnown = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WrittenSetsOptions) {
    this.#options = options;
    this.#likelyBytes = options.budgetBytes;
  }

  get state(): CacheState {
    const { size: entries } = this.#entries;
    return { bytes: this.#bytes, entries, hits: this.#hits, misses: this.#misses };
  }

  /**
   * @param key identifies the set
   * @throws what `make` throws, or the signal's reason
   */
  async open(key: string, make: MakeSet, signal: AbortSignal): Promise<SharedRows> {
    const lease = new Lease(this, key, make, signal);
    try {
      const { rows, warnings } = await lease.use((set) => Promise.resolve(set));
      return {
        rows,
        warnings,
        use: (work) => lease.use((set) => work(checked(set, rows, warnings))),
        release: () => lease.release(),
      };
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  /** The set's entry, made if there is none, as soon as there is room. */
  async hold(key: string, make: MakeSet, signal: AbortSignal): Promise<Entry> {
    for (;;) {
      signal.throwIfAborted();
      const known = this.#entries.get(key);
      const entry = known ?? this.#add(key, make);
      if (entry !== undefined) {
        if (known === undefined) this.#misses++;
        else this.#hits++;
        entry.holders++;
        return entry;
      }
      if (!this.#drop()) await this.#change(signal);
    }
  }

  isAlive(key: string, entry: Entry): boolean {
    return this.#entries.get(key) === entry;
  }

  /** Takes sets from readers that stand still: they are made again when those go on. */
  clear(): void {
    while (this.#drop());
  }

  /** The set stays until `work` ends. */
  async use<T>(key: string, entry: Entry, work: (set: MadeSet) => Promise<T>): Promise<T> {
    entry.users++;
    try {
      return await work(await entry.made);
    } finally {
      this.#leave(key, entry);
    }
  }

  letGo(key: string, entry: Entry): void {
    entry.holders--;
    if (entry.holders === 0) entry.abort.abort(new Error('no reader of the set is left'));
    this.#settle(key, entry);
  }

  /** Undefined where there is no room. */
  #add(key: string, make: MakeSet): Entry | undefined {
    const { owners, budgetBytes } = this.#options;
    const isFull = this.#bytes + this.#likelyBytes > budgetBytes;
    if (this.#bytes > 0 && isFull) return undefined;
    const owner = owners.take();
    const abort = new AbortController();
    const now = performance.now();
    const entry: Entry = {
      owner,
      abort,
      made: make(owner, abort.signal),
      sinceMs: now,
      bytes: this.#likelyBytes,
      holders: 0,
      users: 1,
      idleSinceMs: now,
    };
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    void entry.made
      .then(
        () => this.#count(entry),
        () => this.#forget(key, entry),
      )
      .finally(() => this.#leave(key, entry));
    return entry;
  }

  #count(entry: Entry): void {
    const { arena, owners } = this.#options;
    const all = [entry.owner, ...owners.heldBy(entry.owner)];
    const bytes = all.reduce((sum, owner) => sum + arena.bytesOf(owner), 0);
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    this.#likelyBytes = this.#isKnown ? Math.max(this.#likelyBytes, bytes) : bytes;
    this.#isKnown = true;
  }

  /** The next reader makes it anew; the memory stays as long as it is in use. */
  #forget(key: string, entry: Entry): void {
    if (this.isAlive(key, entry)) this.#entries.delete(key);
  }

  #leave(key: string, entry: Entry): void {
    entry.users--;
    entry.idleSinceMs = performance.now();
    this.#settle(key, entry);
  }

  /** Frees a set without readers, and wakes those that wait. */
  #settle(key: string, entry: Entry): void {
    if (entry.holders === 0) this.#forget(key, entry);
    if (entry.users === 0 && !this.isAlive(key, entry)) this.#free(entry);
    this.#wake();
  }

  #free(entry: Entry): void {
    if (entry.bytes < 0) return;
    this.#options.owners.free(entry.owner);
    this.#bytes -= entry.bytes;
    entry.bytes = -1;
  }

  /** Takes the set from readers that stand still. */
  #drop(): boolean {
    const now = performance.now();
    const { idleMs = IDLE_MS } = this.#options;
    for (const [key, entry] of this.#entries) {
      const isStill = now - entry.idleSinceMs >= idleMs || now - entry.sinceMs >= TURN_MS;
      if (entry.users > 0 || !isStill) continue;
      this.#forget(key, entry);
      this.#free(entry);
      return true;
    }
    return false;
  }

  /** Settles when something changed, or time passed. */
  #change(signal: AbortSignal): Promise<void> {
    this.#timer ??= setInterval(() => this.#wake(), CHECK_MS).unref();
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
      this.#waiting.add(wake);
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * Rows that were counted are there when the set is made anew, unless its file was damaged since: of
 * several days, one that is lacking may leave as many rows, of other costs.
 */
function checked(set: MadeSet, rows: number, warnings: readonly string[]): MadeSet {
  const isSame = set.rows === rows && textOf(set.warnings) === textOf(warnings);
  if (isSame) return set;
  throw new Unavailable(`a stored set was damaged while it was read: ${set.warnings.join('; ')}`, {
    hint: 'ask again',
  });
}

/** The same for the same warnings, in whichever order they were found. */
function textOf(warnings: readonly string[]): string {
  return warnings.toSorted().join('\n');
}

/** One reader of one set. */
class Lease {
  readonly #sets: WrittenSets;
  readonly #key: string;
  readonly #make: MakeSet;
  readonly #signal: AbortSignal;
  #entry: Entry | undefined;
  #holding: Promise<void> | undefined;

  constructor(sets: WrittenSets, key: string, make: MakeSet, signal: AbortSignal) {
    this.#sets = sets;
    this.#key = key;
    this.#make = make;
    this.#signal = signal;
  }

  async use<T>(work: (set: MadeSet) => Promise<T>): Promise<T> {
    for (;;) {
      const entry = this.#entry;
      if (entry && this.#sets.isAlive(this.#key, entry)) {
        return await this.#sets.use(this.#key, entry, work);
      }
      this.#holding ??= this.#hold().finally(() => (this.#holding = undefined));
      await this.#holding;
    }
  }

  release(): void {
    if (this.#entry) this.#sets.letGo(this.#key, this.#entry);
    this.#entry = undefined;
  }

  async #hold(): Promise<void> {
    this.release();
    this.#entry = await this.#sets.hold(this.#key, this.#make, this.#signal);
    // A set that cannot be made is not tried again and again.
    await this.#entry.made;
  }
}
