/** The days of which a bill may tell what assets cost after them. */
import { isPart } from './billed.ts';
import { DAY_MS, type Window } from '../query/index.ts';
import { originOf, type SetInfo, type SetKey, type StoredSet } from '../storage/index.ts';

/** Bills come a day or two late; discounts and reservations hold for longer than that. */
const RECENT_DAYS = 7;

/** Some days, and the lines of bills that tell of any of them. */
export interface RecentBill {
  /** Newest first; last the day itself, whose lines may end before it does. */
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
    .filter(
      (one) => one.key.startMs < window.startMs || (isOf(one, window) && isNewest(all, window)),
    )
    .filter(({ key: { startMs } }) => startMs >= window.startMs - reachMs);
  const days = withoutHoursOf(usable)
    .toSorted((a, b) => b.key.startMs - a.key.startMs)
    .toSorted((a, b) => Number(isOf(a, window)) - Number(isOf(b, window)))
    .flatMap(({ key }) => all.locate(key) ?? []);
  // A bill of a month tells of each of its days.
  const lines = new Map(
    days
      .flatMap(({ key }) => all.linesOf(key))
      .map((line) => [JSON.stringify(originOf(line)), line] as const),
  );
  return lines.size === 0 ? null : { days, lines: [...lines.values()] };
}

/** Lines of a day may end before it does only as long as none are of a later day. */
function isNewest(all: BilledDays, { endMs }: Window): boolean {
  return all.linesOf({ startMs: endMs, endMs: endMs + DAY_MS }).length === 0;
}

function isOf({ key }: SetInfo, { startMs, endMs }: Window): boolean {
  return key.startMs === startMs && key.endMs === endMs;
}

/**
 * Hours are left out beside their day: a bill that tells of whole days charges all hours alike, also those
 * before a node began.
 */
function withoutHoursOf(all: readonly SetInfo[]): readonly SetInfo[] {
  return all.filter(({ key }) => !all.some((other) => isPart(key, other.key)));
}
