/** The answer over stored sets: each set is read, queried and grouped by itself, in workers. */
import type { Owner } from '../columnar/index.ts';
import type { Window } from '../query/index.ts';
import { ownRows, writeAnswer, type AnswerChunks, type AnswerContext } from './answer.ts';
import { framingOf } from './framing.ts';
import { GroupedMembers } from './grouped-members.ts';
import type { HeldSet } from './grouped-sets.ts';
import { inLanes } from './lanes.ts';
import type { WrittenRows } from './row-chunks.ts';
import type { SetQuery } from './set-query.ts';
import { columnsNeeded } from './stored-columns.ts';
import type { StoredPlan } from './stored-params.ts';
import type { GroupedAddresses } from './stored-tasks.ts';
import {
  originOf,
  wholeOf,
  type Resolved,
  type ResolvedGroup,
  type StoredOptions,
} from './stored.ts';
import { SHAPES } from './view.ts';
import type { SetAt } from './set-at.ts';
import type { MadeSet, MakeSet } from './written-sets.ts';

const HOUR_MS = 3_600_000;
/** Sets whose members are worked on before they are asked for. */
const AHEAD = 3;

export interface StoredAnswer {
  /** In the plan's format; each is valid until the next is asked for. */
  readonly chunks: AnswerChunks;
  /** A set was found damaged on the way. */
  readonly isPartial: () => boolean;
  /** What was found only on the way. */
  readonly warnings: () => readonly string[];
}

export function storedAnswer(
  options: StoredOptions,
  plan: StoredPlan,
  resolved: Resolved,
  context: Pick<AnswerContext, 'signal' | 'onSet'>,
): StoredAnswer {
  const { format, isRaw } = plan;
  const { keys } = plan.asked.query;
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
      framing: framingOf(
        format,
        (csv) => shape.csvHeader(csv, keys, isRaw),
        () => shape.columns(keys, isRaw),
      ),
      open: (place) => work.open(place),
      opensAhead: true,
      warnings: () => [...resolved.warnings, ...work.warnings],
      message: resolved.message,
      isPartial,
    },
  );
  return { chunks, isPartial, warnings: () => [...work.warnings] };
}

/** Makes the rows of an answer's sets, in workers. */
class Work {
  /** What was found only on the way. */
  readonly warnings: Set<string> = new Set();
  readonly #options: StoredOptions;
  readonly #plan: StoredPlan;
  readonly #resolved: Resolved;
  readonly #signal: AbortSignal;
  readonly #members: GroupedMembers;
  /** Sets of the answer before this place were begun. */
  #begun = 0;

  constructor(options: StoredOptions, plan: StoredPlan, resolved: Resolved, signal: AbortSignal) {
    this.#options = options;
    this.#plan = plan;
    this.#resolved = resolved;
    this.#signal = signal;
    const { query } = plan.asked;
    this.#members = new GroupedMembers(options, query, columnsNeeded(query, plan.view));
  }

  /** Rows of single containers are many: those who ask for the same share them. */
  async open(place: number): Promise<WrittenRows> {
    const group = this.#resolved.groups[place];
    if (!group) throw new Error(`BUG: no set ${place}`);
    const make: MakeSet = (owner, signal) => this.#make(group, owner, signal);
    if (this.#isAggregated) {
      this.#beginAfter(place);
      return await ownRows(this.#options, (owner) => this.#told(make(owner, this.#signal)));
    }
    return await this.#told(this.#options.written.open(this.#keyOf(group), make, this.#signal));
  }

  get #isAggregated(): boolean {
    return this.#plan.asked.query.keys.length > 0;
  }

  /** Has what the next sets come to kept until they are asked for. */
  #beginAfter(place: number): void {
    const { groups } = this.#resolved;
    const until = Math.min(groups.length, place + 1 + AHEAD);
    this.#begun = Math.max(this.#begun, place + 1);
    for (; this.#begun < until; this.#begun++) {
      for (const member of groups[this.#begun]?.members ?? []) {
        // Its failure is told when the set is asked for.
        this.#members.held(member).then(({ release }) => release(), () => undefined); // prettier-ignore
      }
    }
  }

  /** What its rows are made of. */
  #keyOf({ window, members }: ResolvedGroup): string {
    const { asked, isRaw, format, view, nowMs } = this.#plan;
    const upToMs = Math.min(nowMs, window.endMs);
    return JSON.stringify([asked, isRaw, format, view, window, upToMs, members.map(originOf)]);
  }

  /** Tells this answer's reader of what was found on the way, whoever made the set. */
  async #told<T extends { readonly warnings: readonly string[] }>(made: Promise<T>): Promise<T> {
    const set = await made;
    for (const warning of set.warnings) this.warnings.add(warning);
    return set;
  }

  async #make(group: ResolvedGroup, owner: Owner, signal: AbortSignal): Promise<MadeSet> {
    const damages = new Set<string>();
    const held: HeldSet[] = [];
    try {
      const all = await inLanes(group.members, (member) =>
        this.#members.unlessDamaged(member, damages, async () => {
          signal.throwIfAborted();
          if (!this.#isAggregated) return await this.#members.group(member, owner, owner, signal);
          const set = await this.#members.held(member);
          held.push(set);
          return set.grouped;
        }),
      );
      const grouped = all.filter((each) => each !== undefined);
      // What the sum says of what is shared has names for all that its sets share.
      const usd = Math.max(0, ...group.members.map(({ overheadUsd }) => overheadUsd));
      const query = this.#members.queryOf(usd);
      const whole = await this.#sum(grouped, query, owner, signal);
      const set = await this.#write(group.window, whole, owner, signal);
      return { ...set, warnings: [...damages] };
    } finally {
      for (const { release } of held) release();
    }
  }

  async #sum(
    grouped: readonly GroupedAddresses[],
    query: SetQuery,
    owner: Owner,
    signal: AbortSignal,
  ): Promise<GroupedAddresses> {
    const [only] = grouped;
    if (only && grouped.length === 1) return only;
    return await this.#options.pool.run('sumSets', { sets: grouped, query, owner }, signal);
  }

  async #write(
    window: Window,
    grouped: GroupedAddresses,
    owner: Owner,
    signal: AbortSignal,
  ): Promise<SetAt> {
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
    return await this.#options.pool.run('writeSet', input, signal);
  }
}
