/** What pairs of collections both select, and what one collection selects alone. */
import { Fault } from '../query/index.ts';
import { overlapOf, totalOf, type Cost } from './cost.ts';
import { union, type Selection } from './selection.ts';

/** Each pair is a read of all days: 66 of them at most. */
export const OVERLAPPING_MAX = 12;

export interface Overlap {
  /** Places of two collections among the members, the smaller first. */
  readonly pair: readonly [number, number];
  /** USD that both select. */
  readonly usd: number;
}

export interface Overlaps {
  /** Pairs that share a cost. */
  readonly pairs: readonly Overlap[];
  /** USD that one member selects and no other, by its place. */
  readonly alone: readonly number[];
}

/** A smaller part of the whole is rounding. */
const ROUNDING = 1e-12;

/** The selections that `overlapsIn` wants the costs of, in that order: unions of two, then of all but one. */
export function overlapSelections(members: readonly Selection[]): Selection[] {
  const pairs = pairsOf(members.length).map(([a, b]) =>
    union([members[a], members[b]].filter((member) => member !== undefined)),
  );
  const others = members.map((_, place) => union(members.filter((_other, at) => at !== place)));
  return [...pairs, ...others];
}

/**
 * @param members costs of each member
 * @param whole the cost of all together
 * @param found costs of `overlapSelections`
 */
export function overlapsIn(
  members: readonly Cost[],
  whole: Cost,
  found: readonly Cost[],
): Overlaps {
  const least = ROUNDING * members.reduce((sum, member) => sum + Math.abs(totalOf(member)), 0);
  const cleaned = (usd: number): number => (Math.abs(usd) <= least ? 0 : usd);
  const all = pairsOf(members.length);
  const pairs = all.map((pair, index): Overlap => {
    const own = pair.map((place) => members[place]).filter((member) => member !== undefined);
    const both = found[index];
    return { pair, usd: both === undefined ? 0 : cleaned(-overlapOf(both, own)) };
  });
  const alone = members.map((_, place) => {
    const others = found[all.length + place];
    return others === undefined ? 0 : cleaned(totalOf(whole) - totalOf(others));
  });
  return { pairs: pairs.filter(({ usd }) => usd !== 0), alone };
}

/** @throws {Fault} where the pairs are too many to be read */
export function refuseManyOverlaps(members: number): void {
  if (members <= OVERLAPPING_MAX) return;
  throw new Fault(
    `the category has ${members} collections; overlaps are told of ${OVERLAPPING_MAX}`,
    {
      status: 422,
      parameter: 'overlaps',
      hint: 'leave it out, or give some of the collections another category',
    },
  );
}

function pairsOf(count: number): (readonly [number, number])[] {
  const places = Array.from({ length: count }, (_, place) => place);
  return places.flatMap((a) => places.slice(a + 1).map((b) => [a, b] as const));
}
