/** What rows of stored days cost by name, all days added up and the dearest first, in workers. */
import type { Owner } from '../columnar/index.ts';
import { resolve } from './charged-sets.ts';
import { GroupedMembers } from './grouped-members.ts';
import type { HeldSet } from './grouped-sets.ts';
import { inLanes } from './lanes.ts';
import { planOf, rowsQuery, type RowsAsked } from './rows-asked.ts';
import { columnsNeeded } from './stored-columns.ts';
import type { Member, StoredOptions } from './stored.ts';
import type { ToldItems } from './told-items.ts';

export interface ItemsAsked extends RowsAsked {
  readonly idle: 'borne' | 'none';
  /** Items to tell; null: all. */
  readonly most: number | null;
}

export interface StoredItems extends ToldItems {
  readonly warnings: readonly string[];
}

/** @throws {Unavailable} when sets cannot be read @throws {ArenaFull} */
export async function storedItems(
  options: StoredOptions,
  asked: ItemsAsked,
  signal: AbortSignal,
): Promise<StoredItems> {
  const query = rowsQuery(asked);
  const members = new GroupedMembers(options, query, columnsNeeded(query, 'allocations'));
  const resolved = await resolve(options, planOf(asked, 'all'));
  const all = resolved.groups.flatMap((group) => group.members);
  const damages = new Set<string>();
  const held: HeldSet[] = [];
  const hold = (member: Member): Promise<void | undefined> =>
    members.unlessDamaged(member, damages, async () => {
      signal.throwIfAborted();
      held.push(await members.held(member));
    });
  const owner = options.owners.take();
  try {
    await inLanes(all, hold);
    const told = await tell(options, members, held, asked, owner, signal);
    return { ...told, warnings: [...resolved.warnings, ...damages] };
  } finally {
    for (const { release } of held) release();
    options.arena.release(owner);
    options.owners.giveBack(owner);
  }
}

async function tell(
  { pool }: StoredOptions,
  members: GroupedMembers,
  held: readonly HeldSet[],
  { keys, most }: ItemsAsked,
  owner: Owner,
  signal: AbortSignal,
): Promise<ToldItems> {
  const sets = held.map(({ grouped }) => grouped);
  const whole = await pool.run('sumSets', { sets, query: members.queryOf(0), owner }, signal);
  return await pool.run('tellItems', { grouped: whole, keys, most }, signal);
}
