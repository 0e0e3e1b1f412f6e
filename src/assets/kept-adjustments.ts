/**
 * Adjustments of stored sets, found by workers once for each set and bill: files never change, so they
 * stay true as long as both are there.
 */
import { type Arena, type Owners, withOwner } from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import type { StoredSet } from '../storage/index.ts';
import type { AssetTasks, Adjusted } from './tasks.ts';

export interface KeptAdjustmentsOptions {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<AssetTasks>;
}

/** Adjustments of all sets together. */
const KEPT_MAX = 500_000;
const NEVER: AbortSignal = new AbortController().signal;

export class KeptAdjustments {
  readonly #options: KeptAdjustmentsOptions;
  /** The one used last at the end. */
  readonly #kept: Map<string, Adjusted> = new Map();
  readonly #making: Map<string, Promise<Adjusted>> = new Map();
  #count = 0;

  constructor(options: KeptAdjustmentsOptions) {
    this.#options = options;
  }

  /** Those who ask at the same time wait for one computation. */
  async open(assets: StoredSet, lines: readonly StoredSet[]): Promise<Adjusted> {
    const id = JSON.stringify([assets, ...lines].map(({ place, directory }) => [place, directory]));
    const known = this.#kept.get(id);
    if (known) {
      this.#kept.delete(id);
      this.#kept.set(id, known);
      return known;
    }
    const making = this.#making.get(id) ?? this.#make(assets, lines);
    this.#making.set(id, making);
    try {
      const made = await making;
      // A bill that is damaged is written again.
      if (made.damages.length === 0 && !this.#kept.has(id)) this.#keep(id, made);
      return made;
    } finally {
      this.#making.delete(id);
    }
  }

  #make(assets: StoredSet, lines: readonly StoredSet[]): Promise<Adjusted> {
    return withOwner(this.#options, (owner) =>
      this.#options.pool.run('adjustAssets', { assets, lines, owner }, NEVER),
    );
  }

  #keep(id: string, made: Adjusted): void {
    this.#kept.set(id, made);
    this.#count += 1 + made.adjustments.length;
    for (const [oldest, { adjustments }] of this.#kept) {
      if (this.#count <= KEPT_MAX) return;
      this.#kept.delete(oldest);
      this.#count -= 1 + adjustments.length;
    }
  }
}
