/** What assets cost in two times, group by group. */
import type { AssetGroup } from './groups.ts';

export interface AssetChange {
  readonly name: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** USD; null where the group is not there. */
  readonly before: number | null;
  readonly after: number | null;
  /** USD more than before. */
  readonly change: number;
  /** The change by what it cost before; null for no number. */
  readonly ratio: number | null;
}

/** @param leastRatio of changes that are listed @returns the largest changes first */
export function assetChanges(
  before: readonly AssetGroup[],
  after: readonly AssetGroup[],
  leastRatio: number,
): AssetChange[] {
  const then = new Map(before.map(({ name, totalCost }) => [name, totalCost]));
  const now = new Map(after.map(({ name, totalCost }) => [name, totalCost]));
  const changes = [...new Set([...then.keys(), ...now.keys()])].map((name) =>
    changeOf(name, then.get(name), now.get(name)),
  );
  return changes
    .filter(({ kind, ratio, change }) => kind !== 'changed' || isLarge(ratio, change, leastRatio))
    .toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change) || (a.name < b.name ? -1 : 1));
}

function changeOf(name: string, before?: number, after?: number): AssetChange {
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const change = (after ?? 0) - (before ?? 0);
  const ratio = before === undefined || before === 0 ? null : change / before;
  return { name, kind, before: before ?? null, after: after ?? null, change, ratio };
}

/** What cost nothing before changed without bound. */
function isLarge(ratio: number | null, change: number, least: number): boolean {
  return change !== 0 && Math.abs(ratio ?? Infinity) >= least;
}
