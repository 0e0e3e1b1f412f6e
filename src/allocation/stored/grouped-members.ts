/** Members of sets, each grouped by itself in a worker, and cached. */
import { lasting } from '../../pool/index.ts';
import type { Owner } from '../../columnar/index.ts';
import { Unavailable } from '../../query/index.ts';
import type { HeldSet } from '../caches/grouped-sets.ts';
import { inLanes } from '../caches/lanes.ts';
import type { Paging } from '../query/page.ts';
import { addedUpRows } from '../reduced/added-up-rows.ts';
import type { SetQuery } from '../query/set-query.ts';
import { overheadsOf } from '../query/shared-overhead.ts';
import { CHARGED_SHARED_COST } from '../reduced/number-pairs.ts';
import { areSumsEnough, storedSums, type StoredSums } from '../reduced/sums-set.ts';
import type { ChargedRows } from './charged-rows.ts';
import type { QueryInput } from './tasks.ts';
import type { GroupedAddresses } from '../query/aggregate.ts';
import { memberOrigin, type Member, type StoredOptions } from './stored.ts';
import type { Unread } from './set-task-reader.ts';
import { setAside } from './unless-damaged.ts';

/** Stored sets, caches and workers. */
type Options = Pick<StoredOptions, 'sets' | 'caches' | 'compute'>;

/** Members grouped each by itself, and the damage found on the way. */
export interface GroupedEach {
  readonly grouped: readonly GroupedAddresses[];
  readonly damages: ReadonlySet<string>;
}

export class GroupedMembers {
  readonly #options: Options;
  readonly #query: Omit<SetQuery, 'overheads'>;
  readonly #columns: readonly string[] | null;
  readonly #sums: StoredSums;

  /** @param columns of the sets, those that count; null: all */
  constructor(
    options: Options,
    query: Omit<SetQuery, 'overheads'>,
    columns: readonly string[] | null,
  ) {
    this.#options = options;
    this.#query = query;
    this.#columns = columns;
    this.#sums = storedSums(options.sets);
  }

  /** The query of a set whose share of `shareCost` is `usd`. */
  queryOf(usd: number): SetQuery {
    return { ...this.#query, overheads: overheadsOf(usd) };
  }

  /** Groups members, a few at once, by `group`; damaged ones are left out. */
  async groupEach(
    members: readonly Member[],
    signal: AbortSignal,
    group: (member: Member) => Promise<GroupedAddresses>,
  ): Promise<GroupedEach> {
    const damages = new Set<string>();
    const all = await inLanes(members, (member) =>
      this.unlessDamaged(member, damages, () => {
        signal.throwIfAborted();
        return group(member);
      }),
    );
    return { grouped: all.filter((each) => each !== undefined), damages };
  }

  /**
   * The grouped set, shared with other answers: one reader that leaves does not end it.
   * @param signal of the request that asks
   */
  held(member: Member, signal: AbortSignal): Promise<HeldSet> {
    return this.#options.caches.grouped.open(this.#idOf(member), (keeper, owner) =>
      this.group(member, owner, keeper, lasting(signal)),
    );
  }

  /** Bytes of `held` when it was last made; undefined where that is not known. */
  bytesOf(member: Member): number | undefined {
    return this.#options.caches.grouped.bytesOf(this.#idOf(member));
  }

  #idOf(member: Member): string {
    const query = this.queryOf(member.overheadUsd);
    return JSON.stringify([memberOrigin(member), query, this.#columns]);
  }

  /**
   * Groups the rows, or their sums where these answer as they do.
   * @param owner holds intermediate results @param keeper holds the result
   * @param paging of its rows; null: all
   */
  async group(
    member: Member,
    owner: Owner,
    keeper: Owner,
    signal: AbortSignal,
    paging: Paging | null = null,
  ): Promise<GroupedAddresses> {
    const groupedOf = (of: RowsOfMember): Promise<GroupedAddresses> =>
      this.#group(of, owner, keeper, signal, paging);
    const sums = this.#sumsOf(member);
    if (sums === undefined) {
      const ofGroups = await this.#groupAddedUp(member, owner, keeper, signal, paging);
      return ofGroups ?? (await groupedOf(member));
    }
    // Nothing is lost with damaged sums: there is nothing to tell.
    const found = await this.unlessDamaged(sums, new Set(), () => groupedOf(sums));
    return found ?? (await groupedOf(member));
  }

  #sumsOf({ charges, ...member }: Member): RowsOfMember | undefined {
    const query = this.queryOf(member.overheadUsd);
    if (member.external !== undefined || !areSumsEnough(query, this.#columns)) return undefined;
    // Sources of shared cost are columns of their own, which sums do not have.
    if (charges !== undefined && query.includeSharedCostBreakdown) return undefined;
    const stored = this.#sums.of(member.stored, charges?.assets);
    if (stored === undefined) return undefined;
    const isShared = charges?.request.shareTenancyCosts === true;
    return { ...member, stored, ...(isShared ? { sharedCost: CHARGED_SHARED_COST } : {}) };
  }

  async #group(
    member: RowsOfMember,
    owner: Owner,
    keeper: Owner,
    signal: AbortSignal,
    paging: Paging | null,
  ): Promise<GroupedAddresses> {
    const { compute, caches } = this.#options;
    const { hot } = caches;
    const query = this.queryOf(member.overheadUsd);
    const run = (rows: RowsRequest): Promise<GroupedAddresses | Unread> =>
      compute.pool.run('querySet', { ...rows, query, paging, owner, keeper }, signal);
    const stored = async (): Promise<GroupedAddresses> =>
      grouped(await this.read(member, this.#columns, run));
    // Columns are read for `owner`, which ends with the task; an answer's owner may live long.
    if (owner === keeper || !hot.isFirst(member.stored)) return await stored();
    const tables = { stored: member.stored, more: moreColumns(member) };
    const first = await this.#beside(member, this.#columns, (beside) => run({ ...beside, tables }));
    if (!('isCrowdedOut' in first) || !first.isCrowdedOut) return grouped(first);
    hot.clear();
    return await stored();
  }

  /** Groups what the store adds up, unless columns of the set are in memory. */
  async #groupAddedUp(
    { stored, rows, overheadUsd, charges, external }: Member,
    owner: Owner,
    keeper: Owner,
    signal: AbortSignal,
    paging: Paging | null,
  ): Promise<GroupedAddresses | undefined> {
    const isAlone = charges === undefined && external === undefined;
    if (!isAlone || this.#options.caches.hot.has(stored)) return undefined;
    const query = this.queryOf(overheadUsd);
    const columns = this.#columns;
    const table = await addedUpRows(this.#options, { stored, rows, query, columns, owner }, signal);
    if (table === undefined) return undefined;
    const input = { tables: [table], columns, charges: null, external: null, query, paging };
    const { pool } = this.#options.compute;
    return grouped(await pool.run('querySet', { ...input, owner, keeper }, signal));
  }

  /** Has the rows of a set while `work` runs. @param columns those that count; null: all */
  async read<Result>(
    member: RowsOfMember,
    columns: readonly string[] | null,
    work: (rows: ChargedRows) => Promise<Result>,
  ): Promise<Result> {
    const { tables, release } = await this.#options.caches.hot
      .open(member.stored, this.#columnsOf(member, columns))
      .catch((cause: unknown) => {
        throw new Unreadable('a set cannot be read', { cause });
      });
    try {
      return await this.#beside(member, columns, (beside) => work({ ...beside, tables }));
    } finally {
      release();
    }
  }

  /** Columns of the query, and those that charges depend on. */
  #columnsOf(member: RowsOfMember, columns: readonly string[] | null): readonly string[] | null {
    return columns && [...new Set([...columns, ...moreColumns(member)])];
  }

  /** Holds charges and external rows of a set while `work` runs. */
  async #beside<Result>(
    { stored, charges, external, sharedCost }: RowsOfMember,
    columns: readonly string[] | null,
    work: (beside: Omit<ChargedRows, 'tables'>) => Promise<Result>,
  ): Promise<Result> {
    const held = charges && (await this.#options.caches.charges.hold(charges));
    const charged = charges && held ? { at: held.value, request: charges.request } : null;
    const rows = external ? { rows: external.rows, window: stored.key } : null;
    const instead = sharedCost === undefined ? {} : { sharedCost };
    const beside = { columns, charges: charged, external: rows, ...instead };
    return await work(beside).finally(held?.release);
  }

  /** @returns undefined for a set that turns out to be damaged, with a warning in `damages` */
  async unlessDamaged<Result>(
    { stored }: Member,
    damages: Set<string>,
    read: () => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return await setAside(this.#options.sets, stored, damages, error.cause);
    }
  }
}

/** The rows of a member, or others that stand for them. */
interface RowsOfMember extends Member {
  /** The column that stands for `sharedCost`; absent: that itself. */
  readonly sharedCost?: string;
}

/** Columns that are read beside those of the query. */
function moreColumns({ charges, sharedCost }: RowsOfMember): readonly string[] {
  return [...(charges?.columns ?? []), ...(sharedCost === undefined ? [] : [sharedCost])];
}

type RowsRequest = Omit<QueryInput, 'query' | 'paging' | 'owner' | 'keeper'>;

/** @throws {Unreadable} where the set could not be read */
function grouped(result: GroupedAddresses | Unread): GroupedAddresses {
  if (!('isCrowdedOut' in result)) return result;
  const { message, hint, retryAfterSeconds } = result;
  const cause = new Unavailable(message, { hint, retryAfterSeconds });
  throw new Unreadable('a set cannot be read', { cause });
}

/** A failure of reading a set, not of computing with it. */
class Unreadable extends Error {}
