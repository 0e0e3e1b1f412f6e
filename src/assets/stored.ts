/** The stored sets that a query of assets is answered by, and what the answer lacks. */
import { groupsOf, type Calendar, type Window } from '../query/index.ts';
import type { QueriedSets, StoredSet } from '../storage/index.ts';
import type { AssetPlan } from './params.ts';

/** Kind of the stored sets. */
const ASSETS = 'assets';

export interface FoundGroup {
  readonly window: Window;
  /** In order of time. */
  readonly stored: readonly StoredSet[];
}

export interface Found {
  /** Newest first. */
  readonly groups: readonly FoundGroup[];
  readonly warnings: readonly string[];
}

/** Days that are not stored are empty, and told of. */
export function findSets(
  sets: QueriedSets,
  { days, unit, nowMs }: Pick<AssetPlan, 'days' | 'unit' | 'nowMs'>,
  calendar: Calendar,
): Found {
  const infos = new Map(sets.list(ASSETS).map((info) => [idOf(info.key), info]));
  const warnings: string[] = [];
  const stored = (day: Window): StoredSet[] => {
    const info = infos.get(idOf(day));
    const found = info && info.damage === undefined ? sets.locate(info.key) : undefined;
    if (info && found) {
      warnings.push(...info.meta.warnings);
      return [found];
    }
    const why = info ? `is damaged and set aside (${info.damage})` : 'is not stored';
    if (day.startMs < nowMs) warnings.push(`${spanText(day)} ${why}: the answer lacks its assets`);
    return [];
  };
  const groups = groupsOf(days, unit, calendar).map(({ window, members }) => ({
    window,
    stored: members.flatMap(stored),
  }));
  return { groups, warnings: [...new Set(warnings)] };
}

function idOf({ startMs, endMs }: Window): string {
  return `${startMs}-${endMs}`;
}

function spanText({ startMs, endMs }: Window): string {
  return `${new Date(startMs).toISOString()} to ${new Date(endMs).toISOString()}`;
}
