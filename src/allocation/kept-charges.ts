/**
 * What the assets of stored sets charge to their rows, found by workers once for each set and bill:
 * files never change, so it stays true as long as they are there.
 */
import type { Arena, Owners } from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import type { AssetCharges, ChargedBy } from './asset-charges.ts';
import type { StoredTasks } from './stored-tasks.ts';

export interface KeptChargesOptions {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<StoredTasks>;
  /** Of all texts together, as bytes. */
  readonly budgetBytes: number;
}

/** What is known of a set that charges nothing. */
const LEAST_BYTES = 200;
const NEVER: AbortSignal = new AbortController().signal;

export class KeptCharges {
  readonly #options: KeptChargesOptions;
  /** The one used last at the end. */
  readonly #charges: Map<string, Promise<AssetCharges>> = new Map();
  readonly #bytes: Map<string, number> = new Map();
  #total = 0;

  constructor(options: KeptChargesOptions) {
    this.#options = options;
  }

  /**
   * Those who ask at the same time wait for one computation.
   * @param id the same for the same sets
   * @throws {Unavailable} a set is damaged, or its disk does not answer
   */
  async open(id: string, by: ChargedBy): Promise<AssetCharges> {
    const known = this.#charges.get(id) ?? this.#make(by);
    this.#charges.delete(id);
    this.#charges.set(id, known);
    try {
      const charges = await known;
      this.#count(id, charges);
      return charges;
    } catch (error) {
      if (this.#charges.get(id) === known) this.#charges.delete(id);
      throw error;
    }
  }

  async #make(by: ChargedBy): Promise<AssetCharges> {
    const { arena, owners, pool } = this.#options;
    const owner = owners.take();
    try {
      return await pool.run('chargesOf', { ...by, owner }, NEVER);
    } finally {
      arena.release(owner);
      owners.giveBack(owner);
    }
  }

  #count(id: string, { assets }: AssetCharges): void {
    if (this.#bytes.has(id)) return;
    const bytes = LEAST_BYTES + id.length + assets.length;
    this.#bytes.set(id, bytes);
    this.#total += bytes;
    for (const oldest of this.#charges.keys()) {
      if (this.#total <= this.#options.budgetBytes) return;
      this.#charges.delete(oldest);
      this.#total -= this.#bytes.get(oldest) ?? 0;
      this.#bytes.delete(oldest);
    }
  }
}
