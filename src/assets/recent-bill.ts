/** The days of which a bill may tell what assets cost after them. */
import { isPart } from './billed.ts';
import { DAY_MS, type Window } from '../query/index.ts';
import { originOf, type SetInfo, type SetKey, type StoredSet } from '../storage/index.ts';

/** Bills come a day or two late; discounts and reservations hold for longer than that. */
const RECENT_DAYS = 7;

/** Some days, and the lines of bills that tell of any of them. */
export interface RecentBill {
  /** Newest first. */
  readonly days: readonly StoredSet[];
  readonly lines: readonly StoredSet[];
}

/** Stored days of assets, and what is known of them. */
export interface BilledDays {
  readonly assets: readonly SetInfo[];
  locate(key: SetKey): StoredSet | undefined;
  /** None where no bill covers a window. */
  linesOf(window: Window): readonly StoredSet[];
}

/** @returns null where nothing may be lacking, or no bill tells of the days before */
export function recentBill(all: BilledDays, window: Window): RecentBill | null {
  const newestMs = all.assets.reduce((newest, { key }) => Math.max(newest, key.endMs), -Infinity);
  const reachMs = RECENT_DAYS * DAY_MS;
  if (window.endMs <= newestMs - reachMs && all.linesOf(window).length > 0) return null;
  const usable = all.assets
    .filter(({ damage, insteadOf }) => damage === undefined && insteadOf === undefined)
    .filter(({ key: { startMs } }) => startMs < window.startMs)
    .filter(({ key: { startMs } }) => startMs >= window.startMs - reachMs);
  const days = withoutHoursOf(usable)
    .toSorted((a, b) => b.key.startMs - a.key.startMs)
    .flatMap(({ key }) => all.locate(key) ?? []);
  // A bill of a month tells of each of its days.
  const lines = new Map(
    days
      .flatMap(({ key }) => all.linesOf(key))
      .map((line) => [JSON.stringify(originOf(line)), line] as const),
  );
  return lines.size === 0 ? null : { days, lines: [...lines.values()] };
}

/**
 * Hours are left out beside their day: a bill that tells of whole days charges all hours alike, also those
 * before a node began.
 */
function withoutHoursOf(all: readonly SetInfo[]): readonly SetInfo[] {
  return all.filter(({ key }) => !all.some((other) => isPart(key, other.key)));
}
