/** What the members of sets come to, each grouped by itself in a worker, and kept for who asks again. */
import type { Owner } from '../columnar/index.ts';
import type { HeldText } from './arena-texts.ts';
import type { HeldSet } from './grouped-sets.ts';
import type { SetQuery } from './set-query.ts';
import type { MemberRows } from './member-rows.ts';
import type { GroupedAddresses } from './stored-tasks.ts';
import { originOf, type Member, type StoredOptions } from './stored.ts';
import { unlessDamaged } from './unless-damaged.ts';

const NEVER: AbortSignal = new AbortController().signal;

export class GroupedMembers {
  readonly #options: StoredOptions;
  readonly #query: Omit<SetQuery, 'overheads'>;
  readonly #columns: readonly string[] | null;

  /** @param columns of the sets, those that count; null: all */
  constructor(
    options: StoredOptions,
    query: Omit<SetQuery, 'overheads'>,
    columns: readonly string[] | null,
  ) {
    this.#options = options;
    this.#query = query;
    this.#columns = columns;
  }

  /** The query of a set that bears `usd` of what is shared as `shareCost`. */
  queryOf(usd: number): SetQuery {
    return { ...this.#query, overheads: usd > 0 ? [{ name: OVERHEAD, usd }] : [] };
  }

  /** What a set comes to: shared with other answers, which no reader's going ends. */
  held(member: Member): Promise<HeldSet> {
    const query = this.queryOf(member.overheadUsd);
    const id = JSON.stringify([originOf(member), query, this.#columns]);
    return this.#options.groupedSets.open(id, (keeper, owner) =>
      this.group(member, owner, keeper, NEVER),
    );
  }

  /** @param owner of what is needed on the way @param keeper of the result */
  async group(
    member: Member,
    owner: Owner,
    keeper: Owner,
    signal: AbortSignal,
  ): Promise<GroupedAddresses> {
    const query = this.queryOf(member.overheadUsd);
    return await this.read(member, this.#columns, (rows) =>
      this.#options.pool.run('querySet', { ...rows, query, owner, keeper }, signal),
    );
  }

  /** Has the rows of a set while `work` runs. @param columns those that count; null: all */
  async read<Result>(
    { stored, charges, external }: Member,
    columns: readonly string[] | null,
    work: (rows: MemberRows) => Promise<Result>,
  ): Promise<Result> {
    const read = columns && charges ? [...new Set([...columns, ...charges.columns])] : columns;
    const { tables, release } = await this.#options.hot
      .open(stored, read)
      .catch((cause: unknown) => {
        throw new Unreadable('a set cannot be read', { cause });
      });
    let held: HeldText | undefined;
    try {
      held = charges && this.#options.charges.hold(charges);
      const charged = charges && held ? { at: held.at, asked: charges.asked } : null;
      const beside = external ? { rows: external.rows, window: stored.key } : null;
      return await work({ tables, columns, charges: charged, external: beside });
    } finally {
      held?.release();
      release();
    }
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
      const { cause } = error;
      return await unlessDamaged(this.#options.sets, stored, damages, () => Promise.reject(cause as Error)); // prettier-ignore
    }
  }
}

/** What is shared as `shareCost`, in breakdowns. */
const OVERHEAD = 'overheadCost';

/** What came while a set was read, and not while it was worked on. */
class Unreadable extends Error {}
