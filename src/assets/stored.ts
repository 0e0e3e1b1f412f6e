/** The stored sets that a query of assets is answered by, and what the answer lacks. */
import { groupsOf, Unavailable, type Calendar, type Window } from '../query/index.ts';
import type { QueriedSets, StoredSet } from '../storage/index.ts';
import type { AssetPlan } from './params.ts';

/** Kind of the stored sets. */
const ASSETS = 'assets';

export interface FoundGroup {
  readonly window: Window;
  /** In order of time. */
  readonly members: readonly FoundSet[];
}

/** A stored set, and the lines of a bill that may tell of its assets. */
export interface FoundSet {
  readonly stored: StoredSet;
  readonly lines: readonly StoredSet[];
}

/** The cloud's bill. */
export interface AssetBill {
  /**
   * Sets of its lines, columns as LINE_COLUMNS; none: no bill tells of the window.
   * @throws {Unavailable} when one of them is known to be damaged
   */
  linesOf(window: Window): readonly StoredSet[];
}

export interface Found {
  /** Newest first. */
  readonly groups: readonly FoundGroup[];
  readonly warnings: readonly string[];
  /** A part of the window is not known: the answer lacks it. */
  readonly isPartial: boolean;
  /** A set or a bill is known to be damaged. */
  readonly isDamaged: boolean;
}

export interface FindingOptions {
  readonly sets: QueriedSets;
  readonly bill: AssetBill;
  readonly calendar: Calendar;
}

/** Days that are not stored are empty, and told of. */
export function findSets(
  { sets, bill, calendar }: FindingOptions,
  { days, unit, nowMs, isAdjusted }: AssetPlan,
): Found {
  const infos = new Map(sets.list(ASSETS).map((info) => [idOf(info.key), info]));
  const warnings: string[] = [];
  const damages: string[] = [];
  let isPartial = false;
  const member = (day: Window): FoundSet[] => {
    const info = infos.get(idOf(day));
    const found = info && info.damage === undefined ? sets.locate(info.key) : undefined;
    if (info && found) {
      warnings.push(...info.meta.warnings);
      if (info.meta.hasGaps === true) isPartial = true;
      if (info.insteadOf !== undefined) {
        damages.push(`${spanText(day)} is of an older version than was stored last (${info.insteadOf})`); // prettier-ignore
      }
      return [{ stored: found, lines: isAdjusted ? linesOf(bill, found, damages) : [] }];
    }
    if (info) {
      damages.push(`${spanText(day)} is damaged and set aside (${info.damage}): ${LACKING}`);
    } else if (day.startMs < nowMs) {
      warnings.push(`${spanText(day)} is not stored: ${LACKING}`);
      isPartial = true;
    }
    return [];
  };
  const groups = groupsOf(days, unit, calendar).map(({ window, members }) => ({
    window,
    members: members.flatMap(member),
  }));
  const isDamaged = damages.length > 0;
  return {
    groups,
    warnings: [...new Set([...warnings, ...damages])],
    isPartial: isPartial || isDamaged,
    isDamaged,
  };
}

const LACKING = 'the answer lacks its assets';

/** Lines of a bill of which a part is damaged would make everything cheaper: they are not used. */
function linesOf(bill: AssetBill, { key }: StoredSet, told: string[]): readonly StoredSet[] {
  try {
    return bill.linesOf(key);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    told.push(`${error.message}: nothing is adjusted by it`);
    return [];
  }
}

function idOf({ startMs, endMs }: Window): string {
  return `${startMs}-${endMs}`;
}

function spanText({ startMs, endMs }: Window): string {
  return `${new Date(startMs).toISOString()} to ${new Date(endMs).toISOString()}`;
}
