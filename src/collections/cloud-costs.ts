/** Reads the costs of collections from the cloud's bill. */
import {
  readCloudFilter,
  readCloudKeys,
  type CloudItem,
  type CloudItemsQuery,
} from '../billing/cloud/index.ts';
import type { StoredPools } from '../allocation/index.ts';
import type { Window } from '../query/index.ts';

import type { Entry } from './entries.ts';
import { within } from './selection.ts';
import type { CloudCosts } from './sources.ts';

/** Items of the cloud's bill by day (src/billing/cloud/cloud-costs.ts). */
export type ReadItems = (query: CloudItemsQuery, signal: AbortSignal) => Promise<CloudItem[][]>;

/** Pools of resources that allocations do not name one by one (src/allocation/stored/stored-pools.ts). */
export type ReadPools = (days: readonly Window[], signal: AbortSignal) => Promise<StoredPools>;

/** A sentence for each part of the window that no bill tells of. */
export type ReadUntold = (window: Window) => readonly string[];

const NO_POOLS: StoredPools = { pools: new Map(), lacking: [] };

export function cloudCosts(
  read: ReadItems,
  readPools: ReadPools,
  readUntold: ReadUntold,
): CloudCosts {
  return {
    readFilter: readCloudFilter,
    async costs({ days, signal, caveats }, { rows, filter, aggregate }, resources) {
      const keys = readCloudKeys(aggregate);
      const windows = days.toReversed();
      const narrowed = within(rows, filter);
      if (narrowed === 'nothing')
        return { days: windows.map(() => ({ entries: [] })), warnings: [] };
      const found = resources.size === 0 ? NO_POOLS : await readPools(days, signal);
      caveats.lack(found.lacking);
      const [oldest, newest] = [windows[0], windows.at(-1)];
      if (oldest && newest)
        caveats.lack(readUntold({ startMs: oldest.startMs, endMs: newest.endMs }));
      const { pools } = found;
      // Prepaid costs count when they are used, as in reconciled allocations.
      const costMetric = 'amortizedNetCost';
      const apart = [...resources, ...pools.keys()];
      const query = { windows, keys, filter: narrowed, costMetric, resources: apart } as const;
      const items = await read(query, signal);
      const entryOf = ({ name, resource, cost: usd }: CloudItem): Entry => {
        return { name, resource: pools.get(resource) ?? resource, usd, isIdle: false };
      };
      return { days: items.map((each) => ({ entries: each.map(entryOf) })), warnings: [] };
    },
  };
}
