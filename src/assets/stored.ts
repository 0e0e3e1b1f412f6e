/** Finds the stored sets that answer a query of assets, and warns of those that are missing. */
import {
  addedWarnings,
  type Caveats,
  type Clock,
  futureWarnings,
  groupsOf,
  spanText,
  Unavailable,
  warningsOfSet,
  type WarningLike,
  type Window,
} from '../query/index.ts';
import { recentBill, type BilledDays, type RecentBill } from './recent-bill.ts';
import type { QueriedSets, StoredSet } from '../storage/index.ts';
import type { AssetPlan } from './params.ts';

/** The kind of the stored sets. */
const ASSETS = 'assets';

export interface FoundGroup {
  readonly window: Window;
  /** In order of time. */
  readonly sets: readonly FoundSet[];
}

/** A stored set, and the lines of a bill that may charge for its assets. */
export interface FoundSet {
  readonly stored: StoredSet;
  readonly lines: readonly StoredSet[];
  /** Prices of times without lines; null: list prices. */
  readonly recent: RecentBill | null;
  /** At list price. */
  readonly warnings: readonly WarningLike[];
}

/** The cloud's bill. */
export interface AssetBill {
  /**
   * Sets of its lines, columns as LINE_COLUMNS; none where no bill covers the window.
   * @throws {Unavailable} when one of them is known to be damaged
   */
  linesOf(window: Window): readonly StoredSet[];
}

export interface Found extends Caveats {
  /** Newest first. */
  readonly groups: readonly FoundGroup[];
  /** Those of `warnings` that are not of sets. */
  readonly warningsBeside: readonly WarningLike[];
  /** A set or a bill is known to be damaged. */
  readonly isDamaged: boolean;
}

export interface FindingOptions {
  readonly sets: QueriedSets;
  readonly bill: AssetBill;
  readonly clock: Clock;
}

/** Days that are not stored are empty, and a warning names them. */
export function findSets(
  { sets, bill, clock }: FindingOptions,
  { days, unit, nowMs, isAdjusted }: Pick<AssetPlan, 'days' | 'unit' | 'nowMs' | 'isAdjusted'>,
): Found {
  const assets = sets.list(ASSETS);
  const infos = new Map(assets.map((info) => [idOf(info.key), info]));
  const lacking: WarningLike[] = [...futureWarnings(days, nowMs)];
  const damages: string[] = [];
  const billed: BilledDays = {
    assets,
    locate: (key) => sets.locate(key),
    linesOf: (window) => linesOf(bill, window, damages),
  };
  let isPartial = false;
  const found = (day: Window): FoundSet[] => {
    const info = infos.get(idOf(day));
    const stored = info && info.damage === undefined ? sets.locate(info.key) : undefined;
    if (info && stored) {
      const warnings = warningsOfSet(info.meta);
      if (info.meta.hasGaps === true) isPartial = true;
      if (info.insteadOf !== undefined) {
        const older = 'is of an older version than was stored last';
        damages.push(`${spanText(day)} ${older} (${info.insteadOf})`);
      }
      if (!isAdjusted) return [{ stored, lines: [], recent: null, warnings }];
      const lines = linesOf(bill, day, damages);
      return [{ stored, lines, recent: recentBill(billed, day), warnings }];
    }
    if (info) {
      damages.push(`${spanText(day)} is damaged and set aside (${info.damage}): ${LACKING}`);
    } else if (day.startMs < nowMs) {
      lacking.push(`${spanText(day)} is not stored: ${LACKING}`);
      isPartial = true;
    }
    return [];
  };
  const groups = groupsOf(days, unit, clock.calendar).map(({ window, members }) => ({
    window,
    sets: members.flatMap(found),
  }));
  const isDamaged = damages.length > 0;
  const warningsBeside = [...lacking, ...damages];
  const ofSets = groups.flatMap((group) => group.sets.flatMap(({ warnings }) => warnings));
  return {
    groups,
    warnings: [...lacking, ...addedWarnings(ofSets), ...damages],
    warningsBeside,
    isPartial: isPartial || isDamaged,
    isDamaged,
  };
}

const LACKING = 'the answer lacks its assets';

/** None where any of a bill's lines are damaged: half a bill would make everything cheaper. */
function linesOf(bill: AssetBill, key: Window, damages: string[]): readonly StoredSet[] {
  try {
    return bill.linesOf(key);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    damages.push(`${error.message}: nothing is adjusted by it`);
    return [];
  }
}

function idOf({ startMs, endMs }: Window): string {
  return `${startMs}-${endMs}`;
}
