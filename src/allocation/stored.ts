/**
 * The allocation query over stored sets (endpoint 12): each set of the answer is read, queried and
 * grouped by itself, so that the first comes out while the others are still at work.
 */
import type { Arena, Owner, Owners } from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import { Unavailable, type Calendar, type Window } from '../query/index.ts';
import type { SetInfo, Sets, StoredSet } from '../storage/index.ts';
import { writeAnswer, type AnswerContext } from './answer.ts';
import type { HotSets } from './hot-sets.ts';
import { inLanes } from './lanes.ts';
import { columnsNeeded } from './stored-columns.ts';
import { groupsOf, type SetGroup } from './stored-days.ts';
import type { StoredPlan } from './stored-params.ts';
import type { GroupedAddresses, StoredTasks } from './stored-tasks.ts';
import { overheadUsd } from './shared-overhead.ts';
import type { AllocationQuery } from './set-query-params.ts';
import type { SetQuery } from './set-query.ts';
import type { AllocationTasks, SetAt } from './tasks.ts';
import { SHAPES } from './view.ts';

export const ALLOCATIONS = 'allocations';
const HOUR_MS = 3_600_000;

export interface StoredOptions {
  readonly sets: Sets;
  readonly hot: HotSets;
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<AllocationTasks & StoredTasks>;
  readonly calendar: Calendar;
}

/** What an answer is made of: the same members give the same bytes. */
export interface Resolved {
  readonly groups: readonly ResolvedGroup[];
  /** Said in the answer. */
  readonly warnings: readonly string[];
  /** Every set of it is final. */
  readonly isSealed: boolean;
}

interface ResolvedGroup {
  readonly window: Window;
  readonly members: readonly Member[];
}

export interface Member {
  readonly stored: StoredSet;
  /** What of `shareCost` it bears, USD. */
  readonly overheadUsd: number;
}

/** What of a plan says which sets it is about. */
type SetsAsked = Pick<StoredPlan, 'days' | 'unit' | 'view' | 'nowMs'> & {
  readonly asked: Pick<AllocationQuery, 'shareUsdPerMonth'>;
};

/** Finds the sets of a plan. Days that are not stored are empty, and told of. */
export function resolve({ sets, calendar }: StoredOptions, plan: SetsAsked): Resolved {
  const infos = new Map(sets.list(ALLOCATIONS).map((info) => [idOf(info.key), info]));
  const wanted = plan.unit === 'hour' ? hoursIn(infos.values(), plan.days) : plan.days;
  const warnings: string[] = [];
  const missing: Window[] = [];
  let isSealed = true;
  const member = (window: Window): Member[] => {
    const info = infos.get(idOf(window));
    const stored = info?.damage === undefined && info ? sets.locate(info.key) : undefined;
    if (info === undefined || stored === undefined) {
      isSealed = false;
      if (info !== undefined) warnings.push(damaged(window, info));
      else if (window.startMs < plan.nowMs) missing.push(window);
      return [];
    }
    if (info.meta.state !== 'sealed') isSealed = false;
    warnings.push(...info.meta.warnings);
    const { shareUsdPerMonth } = plan.asked;
    const usd = overheadUsd(shareUsdPerMonth, window, plan.nowMs, calendar);
    return [{ stored, overheadUsd: usd }];
  };
  const groups = groupsOf(wanted, plan.unit, calendar).map(({ window, members }: SetGroup) => ({
    window,
    members: members.flatMap(member),
  }));
  if (!SHAPES[plan.view].isNewestFirst) groups.reverse();
  const lacking = together(missing).map(
    (window) => `${spanText(window)} is not stored: the answer lacks it`,
  );
  return { groups, warnings: [...new Set([...lacking, ...warnings])], isSealed };
}

function idOf({ startMs, endMs }: Window): string {
  return `${startMs}-${endMs}`;
}

function damaged(window: Window, { damage = '' }: SetInfo): string {
  return `${spanText(window)} is damaged and set aside (${damage}): the answer lacks it`;
}

function spanText({ startMs, endMs }: Window): string {
  return `${new Date(startMs).toISOString()} to ${new Date(endMs).toISOString()}`;
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
function hoursIn(infos: Iterable<SetInfo>, days: readonly Window[]): Window[] {
  const [newest] = days;
  const oldest = days.at(-1);
  return [...infos]
    .map(({ key }) => ({ startMs: key.startMs, endMs: key.endMs }))
    .filter(({ startMs, endMs }) => endMs - startMs <= HOUR_MS)
    .filter(({ startMs }) => startMs >= (oldest?.startMs ?? 0) && startMs < (newest?.endMs ?? 0))
    .sort((a, b) => b.startMs - a.startMs);
}

export interface StoredAnswer {
  /** In the plan's format; each is valid until the next is asked for. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** A set was found damaged on the way. */
  readonly isPartial: () => boolean;
}

export function storedAnswer(
  options: StoredOptions,
  plan: StoredPlan,
  resolved: Resolved,
  context: Pick<AnswerContext, 'signal' | 'onSet'>,
): StoredAnswer {
  const { format, asked, isRaw } = plan;
  const shape = SHAPES[plan.view];
  const windows = resolved.groups.map(({ window }) => window);
  const work = new Work(options, plan, resolved, context.signal);
  const isPartial = (): boolean => work.warnings.size > 0;
  const chunks = writeAnswer(
    { ...options, ...context },
    {
      sets: resolved.groups.length,
      format,
      envelope: shape.envelope(windows, wholeOf(plan)),
      csvHeader: format.kind === 'csv' ? shape.csvHeader(format, asked.query.keys, isRaw) : '',
      set: (place, owner) => work.set(place, owner),
      warnings: () => [...resolved.warnings, ...work.warnings],
      isPartial,
    },
  );
  return { chunks, isPartial };
}

/** From the oldest day's start to the newest day's end. */
export function wholeOf({ days }: Pick<StoredPlan, 'days'>): Window {
  return { startMs: days.at(-1)?.startMs ?? 0, endMs: days[0]?.endMs ?? 0 };
}

/** @returns undefined for a set that turns out to be damaged: it is set aside, and told of */
export async function unlessDamaged<Result>(
  sets: Sets,
  stored: StoredSet,
  warnings: Set<string>,
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    warnings.add(error.message);
    await sets.setAside(stored);
    return undefined;
  }
}

class Work {
  /** What was found only on the way. */
  readonly warnings: Set<string> = new Set();
  readonly #options: StoredOptions;
  readonly #plan: StoredPlan;
  readonly #resolved: Resolved;
  readonly #signal: AbortSignal;
  readonly #columns: readonly string[] | null;

  constructor(options: StoredOptions, plan: StoredPlan, resolved: Resolved, signal: AbortSignal) {
    this.#options = options;
    this.#plan = plan;
    this.#resolved = resolved;
    this.#signal = signal;
    this.#columns = columnsNeeded(plan.asked.query, plan.view);
  }

  async set(place: number, owner: Owner): Promise<SetAt> {
    const group = this.#resolved.groups[place];
    if (!group) throw new Error(`BUG: no set ${place}`);
    const all = await inLanes(group.members, (member) => this.#query(member, owner));
    const grouped = all.filter((each) => each !== undefined);
    return await this.#write(group.window, await this.#sum(grouped, owner), owner);
  }

  /** @returns undefined for a set that turns out to be damaged */
  async #query(
    { stored, overheadUsd }: Member,
    owner: Owner,
  ): Promise<GroupedAddresses | undefined> {
    const { hot, pool, sets } = this.#options;
    this.#signal.throwIfAborted();
    const opened = await unlessDamaged(sets, stored, this.warnings, () =>
      hot.open(stored, this.#columns),
    );
    if (!opened) return undefined;
    try {
      const query = this.#queryOf(overheadUsd);
      return await pool.run('querySet', { tables: opened.tables, query, owner }, this.#signal);
    } finally {
      opened.release();
    }
  }

  #queryOf(usd: number): SetQuery {
    const overheads = usd > 0 ? [{ name: OVERHEAD, usd }] : [];
    return { ...this.#plan.asked.query, overheads };
  }

  async #sum(grouped: readonly GroupedAddresses[], owner: Owner): Promise<GroupedAddresses> {
    const [only] = grouped;
    if (only && grouped.length === 1) return only;
    const input = { sets: grouped, query: this.#queryOf(0), owner };
    return await this.#options.pool.run('sumSets', input, this.#signal);
  }

  async #write(window: Window, grouped: GroupedAddresses, owner: Owner): Promise<SetAt> {
    const { asked, isRaw, format, nowMs, view } = this.#plan;
    const { startMs: windowStartMs, endMs: windowEndMs } = window;
    const options = { windowStartMs, windowEndMs, resolutionMs: 0, isRaw, format };
    const windowHours = (Math.min(windowEndMs, nowMs) - windowStartMs) / HOUR_MS;
    const { costMetric, paging } = asked;
    const input = {
      grouped,
      keys: asked.query.keys,
      paging,
      costMetric,
      windowHours,
      options,
      view,
      owner,
    };
    return await this.#options.pool.run('writeSet', input, this.#signal);
  }
}

/** What is shared as `shareCost`, in breakdowns. */
const OVERHEAD = 'overheadCost';
