/**
 * Demand stays in the arena while there is room: another quantile, target, order or page of the same
 * containers reads no set again. The demand that was used longest ago goes first.
 */
import { ArenaCache, type ArenaCacheOptions, type CacheState } from '../../cache/index.ts';
import type { Owner } from '../../columnar/index.ts';
import type { FoundDemand } from './demand-tasks.ts';

export interface HeldDemand extends FoundDemand {
  /** The demand may be freed after this call. */
  readonly release: () => void;
}

export class CachedDemand {
  readonly #demand: ArenaCache<FoundDemand>;

  constructor(options: ArenaCacheOptions) {
    this.#demand = new ArenaCache(options);
  }

  get state(): CacheState {
    return this.#demand.state;
  }

  /**
   * Requests at the same time wait for one computation, which goes on when one of them leaves.
   * @param id the same for the same demand
   * @param make makes the demand in memory of `keeper`
   */
  async open(id: string, make: (keeper: Owner) => Promise<FoundDemand>): Promise<HeldDemand> {
    const { value, forget, release } = await this.#demand.open(id, make);
    // The next request may find another version of the damaged sets.
    if (value.damaged.length > 0) forget();
    return { ...value, release };
  }
}
