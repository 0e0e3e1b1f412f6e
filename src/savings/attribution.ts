/**
 * Savings without a dollar twice. Several recommendations may claim the same resource: a workload that is
 * abandoned may have requests that are too large, too. What the largest claim of a resource saves includes
 * what the others do, so that the resource is given to it alone.
 */

/** What can be recommended, in the order of equal claims. */
export const CATEGORIES = [
  'abandonedWorkloads',
  'requestSizing',
  'unclaimedVolumes',
  'persistentVolumeSizing',
  'localLowDisks',
  'nodeGroupSizing',
] as const;
export type Category = (typeof CATEGORIES)[number];

/** What a recommendation saves of one resource. */
export interface Claim {
  readonly category: Category;
  /** The same for the same dollars. */
  readonly resource: string;
  /** USD a month; below 0 where it costs more. */
  readonly usd: number;
}

export interface Attributed {
  /** USD a month of what is given to each category. */
  readonly given: ReadonlyMap<Category, number>;
  /** USD a month of all that each category claims. */
  readonly claimed: ReadonlyMap<Category, number>;
  /** What doing everything saves: the sum of what is given. */
  readonly total: number;
}

/** A category that claims a resource several times claims the sum of it. */
export function attributed(claims: readonly Claim[]): Attributed {
  const byResource = new Map<string, Map<Category, number>>();
  const claimed = new Map<Category, number>();
  for (const { category, resource, usd } of claims) {
    const of = byResource.get(resource) ?? new Map<Category, number>();
    byResource.set(resource, of);
    of.set(category, (of.get(category) ?? 0) + usd);
    claimed.set(category, (claimed.get(category) ?? 0) + usd);
  }
  const given = new Map<Category, number>();
  let total = 0;
  for (const of of byResource.values()) {
    const [category, usd] = largest(of);
    given.set(category, (given.get(category) ?? 0) + usd);
    total += usd;
  }
  return { given, claimed, total };
}

function largest(of: ReadonlyMap<Category, number>): readonly [Category, number] {
  const claims = CATEGORIES.flatMap((category): (readonly [Category, number])[] => {
    const usd = of.get(category);
    return usd === undefined ? [] : [[category, usd]];
  });
  const [first, ...others] = claims;
  if (first === undefined) throw new Error('BUG: a resource that nothing claims');
  return others.reduce((most, claim) => (claim[1] > most[1] ? claim : most), first);
}
