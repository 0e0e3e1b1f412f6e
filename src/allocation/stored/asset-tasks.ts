/** Tasks over the assets of stored sets, with their messages. */
import { LINE_COLUMNS } from '../../assets/billed.ts';
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
  /** Sets of lines of a bill, each read once. */
  readonly lines: readonly StoredSet[];
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
    chargesOf({ sets, lines, owner }) {
      const isBilled = lines.length > 0;
      const all = sets.map((set) => {
        if (!isBilled && !mayShare(reader, set, owner)) return { window: set.key, assets: [] };
        const { table } = reader.read(set, owner, CHARGED_COLUMNS);
        return { window: set.key, assets: readAssets(table, isBilled) };
      });
      return chargesOf(all, eachOf(arena, reader, lines, owner));
    },

    balancerPools: ({ stored, owner }) =>
      stored.flatMap((set) => {
        arena.release(owner);
        return poolsIn(reader.read(set, owner, CHARGED_COLUMNS).table);
      }),
  };
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
