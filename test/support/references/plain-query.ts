/** Rows grouped, and nothing else done to them. */
import { querySet, type SetQuery } from '../../../src/allocation/query/set-query.ts';
import type { Grouped } from '../../../src/allocation/query/aggregate.ts';
import type { Grouping } from '../../../src/allocation/query/row-names.ts';
import type { Engine, Owner, Table } from '../../../src/columnar/index.ts';

export const PLAIN: SetQuery = {
  keys: [],
  filter: null,
  share: null,
  idle: true,
  shareIdle: false,
  splitIdle: false,
  idleByNode: false,
  external: true,
  shareSplit: 'weighted',
  overheads: [],
  includeSharedCostBreakdown: false,
};

export function aggregate(
  engine: Engine,
  owner: Owner,
  parts: readonly Table[],
  { keys, idleNames }: Grouping,
): Grouped {
  const [splitIdle, idleByNode] = [idleNames !== 'one', idleNames === 'node'];
  return querySet(engine, owner, parts, { ...PLAIN, keys, splitIdle, idleByNode });
}
