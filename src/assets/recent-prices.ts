/**
 * Charges for times that no bill tells of yet, by the last day that it does tell of: what an asset was
 * charged then, as a multiple of its price, is what it is charged after it. So the effect of
 * reservations and discounts holds until the bill comes.
 */
import { resourceKey } from '../query/index.ts';
import type { Billable, Billed, BilledSet } from './billed.ts';

/** What a bill charged as a multiple of the set's prices; only of assets that cost something. */
export interface RecentPrices {
  /** By resource. */
  readonly byResource: ReadonlyMap<string, number>;
  /** By type, node type, region and storage class, for assets that are new. */
  readonly byKind: ReadonlyMap<string, number>;
}

/** Bills round times to a second and leave out the last: less than that is not lacking. */
const COVERED_MS = 60_000;

/** The prices of the newest set that has lines for a resource, or for a kind. @param sets newest first */
export function recentPrices(sets: readonly BilledSet<Billable>[]): RecentPrices {
  const all = sets.map(pricesOf);
  return {
    byResource: newestOf(all.map(({ byResource }) => byResource)),
    byKind: newestOf(all.map(({ byKind }) => byKind)),
  };
}

function newestOf(maps: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  return new Map(maps.toReversed().flatMap((map) => [...map]));
}

/** Only of the time for which lines were found. */
function pricesOf({ assets, billedUntilMs }: BilledSet<Billable>): RecentPrices {
  const byResource = new Multiples();
  const byKind = new Multiples();
  for (const asset of assets) {
    const { billed, cost, type } = asset;
    if (billed === null || type === 'Network') continue;
    const part = 1 - partAfter(asset, billedUntilMs);
    byResource.add(resourceKey(asset.providerId), billed, cost * part);
    byKind.add(kindOf(asset), billed, cost * part);
  }
  return { byResource: byResource.all(), byKind: byKind.all() };
}

/**
 * Times without lines are charged by recent prices. An asset that the bill leaves out, though it tells of
 * its time, stays at list price unless it was charged before.
 */
export function withRecent<Asset extends Billable>(
  { assets, billedUntilMs }: BilledSet<Asset>,
  { byResource, byKind }: RecentPrices,
): Billed<Asset>[] {
  return assets.map((asset) => {
    const { billed, cost, type } = asset;
    if (type === 'Network') return asset;
    const known = byResource.get(resourceKey(asset.providerId));
    const part = billed === null && known !== undefined ? 1 : partAfter(asset, billedUntilMs);
    const multiple = known ?? byKind.get(kindOf(asset));
    if (part === 0 || multiple === undefined) return asset;
    const before = billed ?? cost * (1 - part);
    return { ...asset, billed: before + cost * part * multiple, isEstimated: true };
  });
}

/** How much of an asset's time comes after the last line, in [0, 1]. */
function partAfter({ startMs, endMs }: Billable, billedUntilMs: number): number {
  const afterMs = endMs - Math.max(startMs, billedUntilMs);
  return afterMs > COVERED_MS ? afterMs / (endMs - startMs) : 0;
}

/** '' where neither its type nor its class is known. */
function kindOf({ type, nodeType, region, storageClass, isSpot }: Billable): string {
  if (nodeType === '' && storageClass === '') return '';
  return [type, nodeType, region, storageClass, String(isSpot)].join('\0').toLowerCase();
}

/** Sums of charges and prices by a key. */
class Multiples {
  readonly #sums: Map<string, { billed: number; cost: number }> = new Map();

  add(key: string, billed: number, cost: number): void {
    if (key === '' || !(cost > 0)) return;
    const sum = this.#sums.get(key) ?? { billed: 0, cost: 0 };
    this.#sums.set(key, { billed: sum.billed + billed, cost: sum.cost + cost });
  }

  all(): Map<string, number> {
    return new Map([...this.#sums].map(([key, { billed, cost }]) => [key, billed / cost]));
  }
}
