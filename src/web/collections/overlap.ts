/** What collections share: the parts of a category that one, two or three of them select. */
import { listed } from './draft.ts';

export interface CostObject {
  readonly totalCost: number;
  readonly idleCost?: number;
  readonly domainCosts: {
    readonly kubernetesCost?: { readonly totalCost: number };
    readonly cloudCost?: { readonly totalCost: number };
  };
}

export interface MemberCost {
  readonly id: string;
  readonly name: string;
  readonly cost: CostObject;
  /** Absent where overlaps are not told. */
  readonly aloneCost?: number;
}

/** The total of a category with its collections. */
export interface CategoryCost {
  /** Each cost once; absent: it is not told. */
  readonly cost?: CostObject;
  readonly collections: readonly MemberCost[];
  readonly overlaps?: readonly { readonly ids: readonly string[]; readonly totalCost: number }[];
}

/** A cost that some collections select. */
export interface Part {
  readonly ids: readonly string[];
  readonly usd: number;
}

export interface Parts {
  readonly parts: readonly Part[];
  /** No dollar is in two parts: they add up to the whole. */
  readonly isWhole: boolean;
}

/** A smaller part of the whole is rounding. */
const ROUNDING = 1e-9;

/**
 * The parts, largest first. Of up to three collections each part is what these select and no other; of more, it is what
 * one selects alone, or what two select, whether or not others do.
 * @returns undefined where overlaps are not told
 */
export function partsOf({ cost, collections, overlaps }: CategoryCost): Parts | undefined {
  if (cost === undefined || overlaps === undefined) return undefined;
  const count = collections.length;
  const least =
    ROUNDING * collections.reduce((sum, each) => sum + Math.abs(each.cost.totalCost), 0);
  const shared = overlaps.reduce((sum, { totalCost }) => sum + totalCost, 0);
  const sum = collections.reduce((all, each) => all + each.cost.totalCost, 0);
  // Inclusion and exclusion: the whole is the sum, less what pairs share, and what all three share.
  const three = count === 3 ? cost.totalCost - sum + shared : 0;
  const alone = collections.map(({ id, aloneCost = 0 }) => ({ ids: [id], usd: aloneCost }));
  const pairs = overlaps.map(({ ids, totalCost }) => ({ ids, usd: totalCost - three }));
  const all = { ids: collections.map(({ id }) => id), usd: three };
  const parts = [...alone, ...pairs, all].filter(({ usd }) => Math.abs(usd) > least);
  return { parts: parts.toSorted((a, b) => b.usd - a.usd), isWhole: count <= 3 };
}

/** `only Shop`, `Shop and Data`, `Shop, Data and Platform`. */
export function partWords(names: readonly string[]): string {
  return names.length < 2 ? `only ${listed(names)}` : listed(names);
}

/** USD that collections have beyond each other: what adding them up counts again. */
export function countedAgain({ cost, collections }: CategoryCost): number {
  if (cost === undefined) return 0;
  const sum = collections.reduce((all, each) => all + each.cost.totalCost, 0);
  const again = sum - cost.totalCost;
  return Math.abs(again) <= ROUNDING * Math.abs(sum) ? 0 : again;
}
