/** Tasks over the assets of stored sets, with their messages. */
import {
  BILLABLE_COLUMNS,
  billables,
  isPart,
  LIFE_COLUMNS,
  LINE_COLUMNS,
  livesIn,
  setsWithBilled,
} from '../../assets/billed.ts';
import { withTypes } from '../../assets/columns.ts';
import type { RecentBill } from '../../assets/recent-bill.ts';
import { recentPrices, type RecentPrices } from '../../assets/recent-prices.ts';
import type { Arena, Owner, Table } from '../../columnar/index.ts';
import type { StoredSet } from '../../storage/index.ts';
import { chargesOf, type AssetCharges } from '../reconcile/asset-charges.ts';
import { poolsIn } from '../reconcile/balancer-pools.ts';
import { CHARGED_COLUMNS, readAssets } from '../reconcile/charged-asset.ts';
import type { SetTaskReader } from './set-task-reader.ts';
import type { TasksOf } from '../../pool/task.ts';

export interface ChargesInput {
  /** Sets of assets. */
  readonly sets: readonly StoredSet[];
  /** Assets that warnings of each set are about, as `Type/cluster/name`. */
  readonly concerned: readonly (readonly string[])[];
  /** The days that some of them are hours of. */
  readonly days: readonly StoredSet[];
  /** Sets of lines of a bill, each read once. */
  readonly lines: readonly StoredSet[];
  /** Prices of times without lines. */
  readonly recent: RecentBill | null;
  /** Holds intermediate results only. */
  readonly owner: Owner;
}

export interface PoolsInput {
  /** Sets of assets. */
  readonly stored: readonly StoredSet[];
  readonly owner: Owner;
}

export type AssetTasks = {
  chargesOf: { input: ChargesInput; output: AssetCharges[] };
  /** Pools by resource. */
  balancerPools: { input: PoolsInput; output: [resource: string, pool: string][] };
};

export function assetTasks(arena: Arena, reader: SetTaskReader): TasksOf<AssetTasks> {
  return {
    chargesOf({ sets, concerned, days, lines, recent, owner }) {
      const isBilled = lines.length > 0 || recent !== null;
      const prices = recent && pricesOf(arena, reader, recent, owner);
      const wholes = days.map((day) => {
        arena.release(owner);
        return livesIn(reader.read(day, owner, LIFE_COLUMNS).table, day.key);
      });
      const all = sets.map((set, i) => {
        if (!isBilled && !mayShare(reader, set, owner)) return { window: set.key, assets: [] };
        const { table } = reader.read(set, owner, CHARGED_COLUMNS);
        const day = wholes.find(({ window }) => isPart(set.key, window));
        const about = concerned[i] ?? [];
        return { window: set.key, assets: readAssets(table, isBilled), day, concerned: about };
      });
      return chargesOf(all, eachOf(arena, reader, lines, owner), prices);
    },

    balancerPools: ({ stored, owner }) =>
      stored.flatMap((set) => {
        arena.release(owner);
        return poolsIn(reader.read(set, owner, CHARGED_COLUMNS).table);
      }),
  };
}

function pricesOf(
  arena: Arena,
  reader: SetTaskReader,
  { days, lines }: RecentBill,
  owner: Owner,
): RecentPrices {
  const sets = days.map((day) => {
    arena.release(owner);
    const { table } = reader.read(day, owner, BILLABLE_COLUMNS);
    return { window: day.key, assets: billables(withTypes(table)) };
  });
  return recentPrices(setsWithBilled(sets, eachOf(arena, reader, lines, owner)));
}

/** Whether a set may have overhead to share: reading a few bytes is enough. */
function mayShare(reader: SetTaskReader, set: StoredSet, owner: Owner): boolean {
  const types = reader.readTexts(set, 'type');
  if (types.includes('ClusterManagement')) return true;
  if (!types.includes('Disk')) return false;
  // A column that is 0 in every row is not stored.
  return reader.read(set, owner, ['isAttached']).table.numbers('isAttached') !== undefined;
}

/** One at a time: a bill can be longer than there is room for. */
function* eachOf(
  arena: Arena,
  reader: SetTaskReader,
  sets: readonly StoredSet[],
  owner: Owner,
): Generator<Table> {
  for (const set of sets) {
    arena.release(owner);
    yield reader.read(set, owner, LINE_COLUMNS).table;
  }
}
