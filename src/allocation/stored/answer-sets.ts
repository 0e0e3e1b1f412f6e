/** The sets of one answer, made ready to be written in workers, one after the other. */
import { ArenaFull, type Owner } from '../../columnar/index.ts';
import { Unavailable, type Window } from '../../query/index.ts';
import { ownRows } from '../formats/answer.ts';
import { GroupedMembers, type GroupedEach } from './grouped-members.ts';
import type { HeldSet } from '../caches/grouped-sets.ts';
import { refuseSet } from '../formats/room.ts';
import type { WrittenRows } from '../formats/row-chunks.ts';
import { beside, ROW_BYTES, toTry } from './tried-sets.ts';
import type { SetAt } from '../formats/set-at.ts';
import { SetsAhead } from '../caches/sets-ahead.ts';
import type { SetQuery } from '../query/set-query.ts';
import { pageOptions, type Paging } from '../query/page.ts';
import { isPage } from '../query/rows-of-page.ts';
import { columnsNeeded } from '../query/stored-columns.ts';
import type { StoredPlan } from '../params/stored-params.ts';
import type { GroupedAddresses } from '../query/aggregate.ts';
import { memberOrigin, type Resolved, type ResolvedGroup, type StoredOptions } from './stored.ts';
import type { MadeSet, MakeSet, SharedRows } from '../caches/written-sets.ts';

/** Sets whose members are grouped before they are requested. */
const AHEAD = 3;
/** Pages of sets that are made before they are requested, beside the one that is written. */
const PAGES_AHEAD = 2;
/**
 * Sets that are grouped to no more bytes are written for each reader by itself, up to 256 of them;
 * readers of the same larger set share it, within a budget.
 */
const SMALL_BYTES = 256 * 1024;
/** Part of the arena for sets that are grouped ahead. */
const AHEAD_SHARE = 1 / 8;

/** The grouped members of a set, as long as they are held. */
interface HeldGroup extends GroupedEach {
  readonly bytes: number;
  readonly release: () => void;
  /** Whether its rows are already those of the answer's page; absent: no. */
  readonly isPaged?: boolean;
}

type Options = Pick<StoredOptions, 'sets' | 'caches' | 'compute'>;

/** Makes the rows of an answer's sets, in workers. */
export class AnswerSets {
  /** Warnings found while sets were made. */
  readonly warnings: Set<string> = new Set();
  readonly #options: Options;
  readonly #plan: StoredPlan;
  readonly #resolved: Resolved;
  readonly #signal: AbortSignal;
  readonly #members: GroupedMembers;
  readonly #grouped: SetsAhead<HeldGroup>;
  readonly #pages: SetsAhead<WrittenRows>;
  #isHeadSent = false;
  /** Bytes of the arena that the first of several sets, and the largest, must leave free. */
  #marginBytes = 0;

  constructor(options: Options, plan: StoredPlan, resolved: Resolved, signal: AbortSignal) {
    this.#options = options;
    this.#plan = plan;
    this.#resolved = resolved;
    this.#signal = signal;
    const { query } = plan.request;
    this.#members = new GroupedMembers(options, query, columnsNeeded(query, plan.view));
    this.#grouped = new SetsAhead(AHEAD, (place) => this.#hold(this.#groupAt(place), signal));
    this.#pages = new SetsAhead(PAGES_AHEAD, (place) => this.#open(place));
  }

  /** Large sets are shared by concurrent readers. */
  async open(place: number): Promise<WrittenRows> {
    if (place === 0) await this.#trySets();
    if (this.#isAggregated) {
      this.#begin(this.#grouped, place);
      return await this.#open(place);
    }
    const own = (): Promise<WrittenRows> => this.#open(place);
    // A page that found no room beside the others may find it now.
    const opening = this.#pages.take(place)?.catch(own) ?? own();
    if (isPage(this.#plan.request.paging)) this.#begin(this.#pages, place);
    return await opening;
  }

  headSent(): void {
    this.#isHeadSent = true;
  }

  /** Releases sets that were begun and not opened. */
  close(): void {
    this.#grouped.close();
    this.#pages.close();
  }

  async #open(place: number): Promise<WrittenRows> {
    const group = this.#groupAt(place);
    if (!this.#isAggregated) return await this.#shared(group);
    const held = await this.#taken(place, group);
    if (held === undefined || held.bytes > SMALL_BYTES) return await this.#shared(group, held);
    try {
      return await ownRows(this.#options.compute, (owner) =>
        this.#withWarnings(
          this.#room(owner, this.#signal, () => this.#make(group, owner, this.#signal, held)),
        ),
      );
    } finally {
      held.release();
    }
  }

  /** @param held its grouped members, where there are any: released in any case */
  async #shared(group: ResolvedGroup, held?: HeldGroup): Promise<WrittenRows> {
    let given = held;
    const make: MakeSet = (owner, signal) =>
      this.#room(owner, signal, async () => {
        const taken = given;
        given = undefined;
        try {
          return await this.#make(group, owner, signal, taken);
        } finally {
          taken?.release();
        }
      });
    const opening = this.#options.caches.written.open(this.#keyOf(group), make, this.#signal);
    // A reader that waits for room holds nothing.
    const left = given;
    given = undefined;
    left?.release();
    return await this.#withWarnings(opening);
  }

  #room<T>(owner: Owner, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { arena, room } = this.#options.compute;
    const phase = this.#isHeadSent ? 'after' : 'before';
    const waiting = { phase, signal, refuse: refuseSet(arena) } as const;
    const marginBytes = this.#isHeadSent ? 0 : this.#marginBytes;
    return room.use(owner, waiting, () => beside(arena, owner, marginBytes, work));
  }

  /** A set that does not fit breaks no answer that has begun: it was made once before. */
  async #trySets(): Promise<void> {
    const rows = this.#resolved.groups.map(({ members }) => rowsOf(members));
    const { places, marginBytes } = toTry(rows, this.#options.compute.arena.capacityBytes);
    this.#marginBytes = marginBytes;
    for (const place of places) if (place > 0) (await this.#open(place)).release();
  }

  get #isAggregated(): boolean {
    return this.#plan.request.query.keys.length > 0;
  }

  #groupAt(place: number): ResolvedGroup {
    const group = this.#resolved.groups[place];
    if (!group) throw new Error(`BUG: no set ${place}`);
    return group;
  }

  #begin(ahead: Pick<SetsAhead<never>, 'beginAfter'>, place: number): void {
    const { capacityBytes } = this.#options.compute.arena;
    const { groups } = this.#resolved;
    ahead.beginAfter(place, groups.length, (next, most) => {
      return this.#bytesOf(this.#groupAt(next), ROW_BYTES) <= (AHEAD_SHARE * capacityBytes) / most;
    });
  }

  /** The set grouped ahead, or grouped now unless it is large; undefined where there is no room yet. */
  async #taken(place: number, group: ResolvedGroup): Promise<HeldGroup | undefined> {
    const ahead = this.#grouped.take(place);
    if (ahead === undefined && this.#bytesOf(group) > SMALL_BYTES) return undefined;
    try {
      return await (ahead ?? this.#hold(group, this.#signal));
    } catch (error) {
      if (error instanceof ArenaFull) return undefined;
      throw error;
    }
  }

  /** Bytes of its grouped members. @param rowBytes estimate by row where that is not known */
  #bytesOf({ members }: ResolvedGroup, rowBytes: number = 0): number {
    return members.reduce(
      (sum, member) => sum + (this.#members.bytesOf(member) ?? rowBytes * member.rows),
      0,
    );
  }

  /** The same for the same rows. */
  #keyOf({ window, members }: ResolvedGroup): string {
    const { request, isRaw, format, view, nowMs } = this.#plan;
    const upToMs = Math.min(nowMs, window.endMs);
    const origins = members.map(memberOrigin);
    return JSON.stringify([request, isRaw, format, view, window, upToMs, origins]);
  }

  /**
   * Adds the warnings of a set to the answer, whichever answer made the set.
   * @throws {Unavailable} where the answer's warnings are already sent
   */
  async #withWarnings<T extends MadeSet | SharedRows>(made: Promise<T>): Promise<T> {
    const set = await made;
    const found = set.warnings.filter((warning) => !this.warnings.has(warning));
    if (this.#isHeadSent && found.length > 0) {
      if ('release' in set) set.release();
      throw new Unavailable(`found while the answer was sent: ${found.join('; ')}`, {
        hint: 'ask again: the answer then tells what it lacks',
      });
    }
    for (const warning of found) this.warnings.add(warning);
    return set;
  }

  /** Groups the members of a set, each by itself; shared with other answers. */
  async #hold({ members }: ResolvedGroup, signal: AbortSignal): Promise<HeldGroup> {
    const held: HeldSet[] = [];
    const release = (): void => held.splice(0).forEach((set) => set.release());
    try {
      const found = await this.#members.groupEach(members, signal, async (member) => {
        const set = await this.#members.held(member, signal);
        held.push(set);
        return set.grouped;
      });
      return { ...found, bytes: held.reduce((sum, { bytes }) => sum + bytes, 0), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** The same for `owner` alone: a set that is not a sum is a page of it at once. */
  async #own({ members }: ResolvedGroup, owner: Owner, signal: AbortSignal): Promise<HeldGroup> {
    const paging = members.length === 1 ? this.#plan.request.paging : null;
    const found = await this.#members.groupEach(members, signal, (member) =>
      this.#members.group(member, owner, owner, signal, paging),
    );
    return { ...found, bytes: 0, release: () => undefined, isPaged: paging !== null };
  }

  /** @param given its grouped members, which the caller releases */
  async #make(
    group: ResolvedGroup,
    owner: Owner,
    signal: AbortSignal,
    given: HeldGroup | undefined,
  ): Promise<MadeSet> {
    const own = (): Promise<HeldGroup> =>
      this.#isAggregated ? this.#hold(group, signal) : this.#own(group, owner, signal);
    const held = given ?? (await own());
    const paging = held.isPaged === true ? null : this.#plan.request.paging;
    try {
      // The breakdown of the sum needs a name for every overhead of its sets.
      const usd = Math.max(0, ...group.members.map(({ overheadUsd }) => overheadUsd));
      const query = this.#members.queryOf(usd);
      const whole = await this.#sum(held.grouped, query, owner, signal);
      const set = await this.#write(group.window, whole, paging, owner, signal);
      return { ...set, warnings: [...held.damages] };
    } finally {
      if (held !== given) held.release();
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
    return await this.#options.compute.pool.run('sumSets', { sets: grouped, query, owner }, signal);
  }

  async #write(
    window: Window,
    grouped: GroupedAddresses,
    paging: Paging | null,
    owner: Owner,
    signal: AbortSignal,
  ): Promise<SetAt> {
    const { pool, owners } = this.#options.compute;
    const { request, isRaw, format, nowMs, view } = this.#plan;
    const input = {
      grouped,
      keys: request.query.keys,
      ...pageOptions({ ...request, paging }, window, nowMs),
      options: { window, resolutionMs: 0, isRaw, format },
      view,
      owner,
    };
    const set = await pool.run('writeSet', input, signal);
    // Its rows are read from memory that other answers share.
    for (const held of set.holds) owners.hold(owner, held);
    return set;
  }
}

function rowsOf(members: readonly { readonly rows: number }[]): number {
  return members.reduce((sum, { rows }) => sum + rows, 0);
}
