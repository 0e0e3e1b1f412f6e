/**
 * The allocation query over stored sets (endpoint 12): each set of the answer is read, queried and
 * grouped by itself, so that the first comes out while the others are still at work.
 */
import type { JoinedRows } from '../../billing/external/index.ts';
import {
  type Calendar,
  type Clock,
  futureWarnings,
  groupsOf,
  HOUR_MS,
  type SetGroup,
  spanText,
  addedWarnings,
  type Window,
  warningsOfSet,
  type WarningLike,
} from '../../query/index.ts';
import {
  originOf,
  type QueriedSets,
  type SetInfo,
  type SetMeta,
  type StoredSet,
} from '../../storage/index.ts';
import type { NodeCosts } from '../../assets/node-costs.ts';
import type { MemberCharges } from '../reconcile/asset-charges.ts';
import type { CloudBill } from './cloud-bill.ts';
import type { ExternalCosts } from './external-costs.ts';
import type { GroupedSets } from '../caches/grouped-sets.ts';
import type { HotSets } from '../caches/hot-sets.ts';
import type { CachedCharges } from './cached-charges.ts';
import { spanOf, storedIn } from './set-index.ts';
import { notStored } from './not-stored.ts';
import type { StoredPlan } from '../params/stored-params.ts';
import type { StoredTasks } from './tasks.ts';
import { overheadUsd } from '../query/shared-overhead.ts';
import type { AllocationQuery } from '../params/set-query-params.ts';
import type { Room } from '../formats/room.ts';
import type { RowCompute } from '../formats/row-chunks.ts';
import type { FormatTasks } from '../formats/tasks.ts';
import type { WrittenSets } from '../caches/written-sets.ts';
import { VIEWS } from '../formats/view.ts';

export interface StoredOptions {
  readonly sets: QueriedSets;
  readonly billed: Billed;
  readonly caches: SetCaches;
  readonly compute: RowCompute<FormatTasks & StoredTasks> & { readonly room: Room };
  readonly clock: Clock;
}

/** Bills for the days of the sets. */
export interface Billed {
  readonly cloud: CloudBill;
  /** Absent: there are no external costs. */
  readonly external?: ExternalCosts;
}

/** Caches of read and computed sets. */
export interface SetCaches {
  readonly hot: HotSets;
  readonly written: WrittenSets;
  readonly grouped: GroupedSets;
  readonly charges: CachedCharges;
}

/** The sets of an answer: the same members give the same bytes. */
export interface Resolved {
  readonly groups: readonly ResolvedGroup[];
  /** Warnings of the answer. */
  readonly warnings: readonly WarningLike[];
  /** Those of them that are not of sets. */
  readonly warningsBeside: readonly WarningLike[];
  /** A note that is no warning; '' for none. */
  readonly message: string;
  /** Every set of it is final. */
  readonly isSealed: boolean;
  /** A part of the window is not known: the answer lacks it. */
  readonly isPartial: boolean;
  /** Something of it is known to be damaged: then it is partial, too. */
  readonly isDamaged: boolean;
  /** USD of the nodes of all sets by the source of their prices. */
  readonly nodeCosts: NodeCosts;
  /** The share in `shareCost` of times without a set, USD. */
  readonly unstoredOverheadUsd: number;
}

export interface ResolvedGroup {
  readonly window: Window;
  readonly members: readonly Member[];
}

export interface Member {
  readonly stored: StoredSet;
  readonly meta: SetMeta;
  readonly rows: number;
  /** Its share of `shareCost`, USD. */
  readonly overheadUsd: number;
  /** Charges of assets to its rows; absent: none. */
  readonly charges?: MemberCharges;
  /** External costs beside its rows; absent: none. */
  readonly external?: JoinedRows;
}

/** The same for the same rows of a member: part of the identity of answers. */
export function memberOrigin(member: Member): readonly unknown[] {
  const { stored, overheadUsd: usd, charges, external } = member;
  const beside = [charges?.id ?? null, charges?.request ?? null, external?.id ?? null];
  return [originOf(stored), usd, ...beside];
}

/** The part of a plan that selects sets. */
export type SetsQuery = Pick<StoredPlan, 'days' | 'unit' | 'view' | 'isOldestFirst' | 'nowMs'> & {
  readonly request: Pick<AllocationQuery, 'shareUsdPerMonth'>;
};

/** Finds the sets of a plan. Windows that are not stored are empty, with a warning. */
export function resolveSets(sets: QueriedSets, calendar: Calendar, plan: SetsQuery): Resolved {
  const infos = storedIn(sets);
  const isHourly = plan.unit === 'hour';
  const wanted = isHourly ? hoursIn(infos.values(), plan.days, calendar.zone) : plan.days;
  const warnings: WarningLike[] = [];
  const ofDamage: WarningLike[] = [];
  const missing: Window[] = isHourly ? unknownHours(wanted, plan) : [];
  let isSealed = missing.length === 0;
  let [hasGaps, isDamaged] = [false, false];
  const unread: Window[] = [];
  const overheadOf = (window: Window): number =>
    overheadUsd(plan.request.shareUsdPerMonth, window, plan.nowMs, calendar);
  const member = (window: Window): Member[] => {
    const info = infos.get(spanOf(window));
    const stored = info?.damage === undefined && info ? sets.locate(info.key) : undefined;
    if (info === undefined || stored === undefined) {
      isSealed = false;
      if (info === undefined && window.startMs < plan.nowMs) missing.push(window);
      if (info === undefined) return [];
      isDamaged = true;
      unread.push(window);
      ofDamage.push(damaged(window, info));
      return [];
    }
    if (info.insteadOf !== undefined) {
      isDamaged = true;
      ofDamage.push(older(window, info.insteadOf));
    }
    if (info.meta.state !== 'sealed') isSealed = false;
    if (info.meta.hasGaps === true) hasGaps = true;
    warnings.push(...warningsOfSet(info.meta));
    return [{ stored, meta: info.meta, rows: info.rows, overheadUsd: overheadOf(window) }];
  };
  const groups = groupsOf(wanted, plan.unit, calendar).map(({ window, members }: SetGroup) => ({
    window,
    members: members.flatMap(member),
  }));
  if (plan.isOldestFirst ?? !VIEWS[plan.view].isNewestFirst) groups.reverse();
  const lacking = [...together(missing).map(notStored), ...futureWarnings(plan.days, plan.nowMs)];
  const warningsBeside = [...lacking, ...ofDamage];
  return {
    groups,
    warnings: [...warningsBeside, ...addedWarnings(warnings)],
    warningsBeside,
    message: '',
    nodeCosts: {},
    isSealed,
    isPartial: hasGaps || isDamaged || missing.length > 0,
    isDamaged,
    unstoredOverheadUsd: [...missing, ...unread].reduce((sum, of) => sum + overheadOf(of), 0),
  };
}

function older(window: Window, insteadOf: string): string {
  return `${spanText(window)} is of an older version than was stored last (${insteadOf})`;
}

function damaged(window: Window, { damage = '' }: SetInfo): string {
  return `${spanText(window)} is damaged and set aside (${damage}): the answer lacks it`;
}

/** Windows that meet as one. */
function together(windows: readonly Window[]): Window[] {
  const spans: { startMs: number; endMs: number }[] = [];
  for (const { startMs, endMs } of windows.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = spans.at(-1);
    if (last && last.endMs === startMs) last.endMs = endMs;
    else spans.push({ startMs, endMs });
  }
  return spans;
}

/** Stored hours of the days, newest first. */
function hoursIn(infos: Iterable<SetInfo>, days: readonly Window[], zone: string): Window[] {
  const [newest] = days;
  const oldest = days.at(-1);
  const hours = [...infos]
    .filter(({ key: { startMs, endMs } }) => endMs - startMs <= HOUR_MS)
    .filter(
      ({ key: { startMs } }) => startMs >= (oldest?.startMs ?? 0) && startMs < (newest?.endMs ?? 0),
    )
    .sort((a, b) => a.key.startMs - b.key.startMs);
  return apart(hours, zone)
    .map(({ key: { startMs, endMs } }) => ({ startMs, endMs }))
    .reverse();
}

/**
 * No two that overlap, as hours do that are half an hour off those of another zone: the configured zone's
 * count, and of these the ones that were stored last.
 * @param hours oldest first
 */
function apart(hours: readonly SetInfo[], zone: string): SetInfo[] {
  const rank = ({ meta }: SetInfo): number => (meta.timezone === zone ? 1 : 0);
  const chosen: SetInfo[] = [];
  for (const hour of hours) {
    const last = chosen.at(-1);
    if (last === undefined || last.key.endMs <= hour.key.startMs) chosen.push(hour);
    else if ((rank(hour) - rank(last) || hour.meta.createdMs - last.meta.createdMs) > 0)
      chosen[chosen.length - 1] = hour;
  }
  return chosen;
}

/**
 * Parts of the days that have begun and are in no stored hour. The current hour is stored with the next
 * refresh: less than an hour up to now does not count.
 * @param hours newest first
 */
function unknownHours(hours: readonly Window[], plan: Pick<SetsQuery, 'days' | 'nowMs'>): Window[] {
  const { startMs, endMs } = wholeOf(plan);
  const knownMs = Math.min(endMs, plan.nowMs);
  const unknown: Window[] = [];
  let atMs = startMs;
  for (const hour of hours.toReversed()) {
    if (hour.startMs > atMs)
      unknown.push({ startMs: atMs, endMs: Math.min(hour.startMs, knownMs) });
    atMs = Math.max(atMs, hour.endMs);
  }
  const isShort = knownMs - atMs < HOUR_MS && plan.nowMs < endMs;
  if (atMs < knownMs && !isShort) unknown.push({ startMs: atMs, endMs: knownMs });
  return unknown;
}

/** From the oldest day's start to the newest day's end. */
export function wholeOf({ days }: Pick<StoredPlan, 'days'>): Window {
  return { startMs: days.at(-1)?.startMs ?? 0, endMs: days[0]?.endMs ?? 0 };
}
