/** Labels or annotations as rows show them. */

/** Pairs in order of name. */
export type NamedTexts = readonly (readonly [string, string])[];

/** Shared by all that have none. */
export const NO_TEXTS: NamedTexts = [];

export function inOrderOfName(pairs: NamedTexts): NamedTexts {
  return pairs.length < 2 ? pairs : pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** `own` before `inherited` where both have a name. */
export function over(inherited: NamedTexts, own: NamedTexts): NamedTexts {
  if (inherited.length === 0) return inOrderOfName(own);
  return inOrderOfName([...new Map([...inherited, ...own])]);
}
