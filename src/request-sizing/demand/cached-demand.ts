/**
 * What sets came to stays in the arena while there is room: another quantile, target, order or page of
 * the same containers needs no set to be read again. What was not used for longest goes first.
 */
import { ArenaCache, type ArenaCacheOptions } from '../../cache/index.ts';
import type { Owner } from '../../columnar/index.ts';
import type { FoundDemand } from './demand-tasks.ts';

export interface HeldDemand extends FoundDemand {
  /** It may be gone after that. */
  readonly release: () => void;
}

export class CachedDemand {
  readonly #demand: ArenaCache<FoundDemand>;

  constructor(options: ArenaCacheOptions) {
    this.#demand = new ArenaCache(options);
  }

  /**
   * Those who ask at the same time wait for one computation, which no reader's going ends.
   * @param id the same for the same demand
   * @param make for the owner that is to have it
   */
  async open(id: string, make: (keeper: Owner) => Promise<FoundDemand>): Promise<HeldDemand> {
    const { value, forget, release } = await this.#demand.open(id, make);
    // Whoever asks next is to find another version of what was damaged.
    if (value.damaged.length > 0) forget();
    return { ...value, release };
  }
}
