/**
 * What sets came to stays in the arena while there is room: another quantile, target, order or page of
 * the same containers needs no set to be read again. What was not used for longest goes first.
 */
import type { Arena, Owner, Owners } from '../columnar/index.ts';
import type { FoundDemand } from './demand.ts';

export interface KeptDemandOptions {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly budgetBytes: number;
}

export interface HeldDemand extends FoundDemand {
  /** It may be gone after that. */
  readonly release: () => void;
}

interface Entry {
  readonly keeper: Owner;
  readonly making: Promise<FoundDemand>;
  bytes: number;
  users: number;
}

export class KeptDemand {
  readonly #options: KeptDemandOptions;
  /** The one used last at the end. */
  readonly #entries: Map<string, Entry> = new Map();

  constructor(options: KeptDemandOptions) {
    this.#options = options;
  }

  /**
   * Those who ask at the same time wait for one computation, which no reader's going ends.
   * @param id the same for the same demand
   * @param make for the owner that is to have it
   */
  async open(id: string, make: (keeper: Owner) => Promise<FoundDemand>): Promise<HeldDemand> {
    const entry = this.#entries.get(id) ?? this.#begin(make);
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    entry.users++;
    try {
      const found = await entry.making;
      entry.bytes = this.#options.arena.bytesOf(entry.keeper);
      // Whoever asks next is to find another version of what was damaged.
      if (found.damaged.length > 0) this.#forget(id, entry);
      return { ...found, release: () => this.#leave(id, entry) };
    } catch (error) {
      this.#forget(id, entry);
      this.#leave(id, entry);
      throw error;
    }
  }

  #begin(make: (keeper: Owner) => Promise<FoundDemand>): Entry {
    const keeper = this.#options.owners.take();
    return { keeper, making: make(keeper), bytes: 0, users: 0 };
  }

  /** Its last user frees it. */
  #forget(id: string, entry: Entry): void {
    if (this.#entries.get(id) === entry) this.#entries.delete(id);
  }

  #leave(id: string, entry: Entry): void {
    entry.users--;
    if (this.#entries.get(id) === entry) this.#shrink();
    else if (entry.users === 0) this.#free(entry);
  }

  #shrink(): void {
    let bytes = [...this.#entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [id, entry] of this.#entries) {
      if (bytes <= this.#options.budgetBytes) return;
      if (entry.users > 0) continue;
      this.#entries.delete(id);
      bytes -= entry.bytes;
      this.#free(entry);
    }
  }

  #free({ keeper }: Entry): void {
    this.#options.owners.free(keeper);
  }
}
