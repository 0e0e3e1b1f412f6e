/**
 * Adjustments of stored sets, computed by workers once for each set and bill. Files never change, so
 * an adjustment stays valid as long as both are there.
 */
import { Cache } from '../cache/index.ts';
import { withOwner } from '../columnar/index.ts';
import { NEVER, type Compute } from '../pool/index.ts';
import { addedWarnings, assetsOfWarning, billedWarning, type WarningLike } from '../query/index.ts';
import type { StoredSet } from '../storage/index.ts';
import type { Found, FoundSet } from './stored.ts';
import type { AssetTasks, Adjusted } from './tasks.ts';

/** At most so many adjustments, of all sets together. */
const ADJUSTMENTS_MAX = 500_000;

export class CachedAdjustments {
  readonly #compute: Compute<AssetTasks>;
  readonly #cache: Cache<Adjusted> = new Cache({
    budget: ADJUSTMENTS_MAX,
    sizeOf: ({ adjustments }) => 1 + adjustments.length,
    // A damaged bill will be replaced: what was computed without it must not stay.
    isCacheable: ({ damages }) => damages.length === 0,
  });

  constructor(compute: Compute<AssetTasks>) {
    this.#compute = compute;
  }

  /** Callers that come at the same time share one computation. */
  open({ stored: assets, lines, recent, warnings }: FoundSet): Promise<Adjusted> {
    const before = recent === null ? [] : [...recent.days, ...recent.lines];
    const id = JSON.stringify([[assets, ...lines], before].map(placesOf));
    const concerned = warnings.flatMap(assetsOfWarning);
    return this.#cache.open(id, () =>
      withOwner(this.#compute, (owner) =>
        this.#compute.pool.run('adjustAssets', { assets, lines, recent, concerned, owner }, NEVER),
      ),
    );
  }

  /** Warnings with what a bill charges for the assets that they are about. */
  async withBilledWarnings(found: Found): Promise<Found> {
    const sets = found.groups.flatMap((group) => group.sets);
    const isBilled = ({ lines, recent, warnings }: FoundSet): boolean =>
      (lines.length > 0 || recent !== null) &&
      warnings.some((one) => assetsOfWarning(one).length > 0);
    if (!sets.some(isBilled)) return found;
    const ofSets = await Promise.all(
      sets.map(async (set): Promise<readonly WarningLike[]> => {
        if (!isBilled(set)) return set.warnings;
        const { concerned } = await this.open(set);
        return set.warnings.map((one) => billedWarning(one, concerned));
      }),
    );
    return { ...found, warnings: [...found.warningsBeside, ...addedWarnings(ofSets.flat())] };
  }
}

function placesOf(sets: readonly StoredSet[]): unknown[] {
  return sets.map(({ place, directory }) => [place, directory]);
}
