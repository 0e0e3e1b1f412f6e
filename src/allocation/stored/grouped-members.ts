/** What the members of sets come to, each grouped by itself in a worker, and kept for who asks again. */
import { NEVER } from '../../pool/index.ts';
import type { Owner } from '../../columnar/index.ts';
import { Unavailable } from '../../query/index.ts';
import type { HeldSet } from '../caches/grouped-sets.ts';
import { inLanes } from '../caches/lanes.ts';
import type { SetQuery } from '../query/set-query.ts';
import { overheadsOf } from '../query/shared-overhead.ts';
import type { ChargedRows } from './charged-rows.ts';
import type { QueryInput } from './tasks.ts';
import type { GroupedAddresses } from '../query/aggregate.ts';
import { originOf, type Member, type StoredOptions } from './stored.ts';
import type { Unread } from './set-task-reader.ts';
import { setAside } from './unless-damaged.ts';

/** Where sets are found and read, and what they came to before. */
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

  /** @param columns of the sets, those that count; null: all */
  constructor(
    options: Options,
    query: Omit<SetQuery, 'overheads'>,
    columns: readonly string[] | null,
  ) {
    this.#options = options;
    this.#query = query;
    this.#columns = columns;
  }

  /** The query of a set that bears `usd` of what is shared as `shareCost`. */
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

  /** What a set comes to: shared with other answers, which no reader's going ends. */
  held(member: Member): Promise<HeldSet> {
    return this.#options.caches.grouped.open(this.#idOf(member), (keeper, owner) =>
      this.group(member, owner, keeper, NEVER),
    );
  }

  /** What `held` came to the last time, bytes of the arena; undefined where that is not known. */
  bytesOf(member: Member): number | undefined {
    return this.#options.caches.grouped.bytesOf(this.#idOf(member));
  }

  #idOf(member: Member): string {
    const query = this.queryOf(member.overheadUsd);
    return JSON.stringify([originOf(member), query, this.#columns]);
  }

  /** @param owner of what is needed on the way @param keeper of the result */
  async group(
    member: Member,
    owner: Owner,
    keeper: Owner,
    signal: AbortSignal,
  ): Promise<GroupedAddresses> {
    const { compute, caches } = this.#options;
    const { hot } = caches;
    const query = this.queryOf(member.overheadUsd);
    const run = (rows: RowsRequest): Promise<GroupedAddresses | Unread> =>
      compute.pool.run('querySet', { ...rows, query, owner, keeper }, signal);
    const stored = async (): Promise<GroupedAddresses> =>
      grouped(await this.read(member, this.#columns, run));
    // What is read goes with `owner`: the answer's own may live long.
    if (owner === keeper || !hot.isFirst(member.stored)) return await stored();
    const tables = { stored: member.stored, more: member.charges?.columns ?? [] };
    const first = await this.#beside(member, this.#columns, (beside) => run({ ...beside, tables }));
    if (!('isCrowdedOut' in first) || !first.isCrowdedOut) return grouped(first);
    hot.clear();
    return await stored();
  }

  /** Has the rows of a set while `work` runs. @param columns those that count; null: all */
  async read<Result>(
    member: Member,
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

  /** Those that count, and those that tell what assets charge. */
  #columnsOf({ charges }: Member, columns: readonly string[] | null): readonly string[] | null {
    return columns && charges ? [...new Set([...columns, ...charges.columns])] : columns;
  }

  /** Has what stands beside the rows of a set while `work` runs. */
  async #beside<Result>(
    { stored, charges, external }: Member,
    columns: readonly string[] | null,
    work: (beside: Omit<ChargedRows, 'tables'>) => Promise<Result>,
  ): Promise<Result> {
    const held = charges && (await this.#options.caches.charges.hold(charges));
    const charged = charges && held ? { at: held.value, request: charges.request } : null;
    const rows = external ? { rows: external.rows, window: stored.key } : null;
    return await work({ columns, charges: charged, external: rows }).finally(held?.release);
  }

  /** @returns undefined for a set that turns out to be damaged, which `damages` then tells of */
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

type RowsRequest = Omit<QueryInput, 'query' | 'owner' | 'keeper'>;

/** @throws {Unreadable} where the set could not be read */
function grouped(result: GroupedAddresses | Unread): GroupedAddresses {
  if (!('isCrowdedOut' in result)) return result;
  const { message, hint } = result;
  const cause = new Unavailable(message, hint === undefined ? {} : { hint });
  throw new Unreadable('a set cannot be read', { cause });
}

/** What came while a set was read, and not while it was worked on. */
class Unreadable extends Error {}
