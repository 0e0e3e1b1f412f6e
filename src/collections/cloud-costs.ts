/** Entries of the cloud's bill. */
import {
  readCloudFilter,
  readCloudKeys,
  type CloudItem,
  type CloudItemsAsked,
} from '../cloud/index.ts';
import type { StoredPools } from '../allocation/index.ts';
import type { Window } from '../query/index.ts';
import type { Entry } from './entries.ts';
import { within } from './selection.ts';
import type { CloudCosts } from './sources.ts';

/** What the cloud billed (src/cloud/cloud-costs.ts). */
export type ReadItems = (asked: CloudItemsAsked, signal: AbortSignal) => Promise<CloudItem[][]>;

/** What resources are to allocations that do not know them one by one (src/allocation/stored-pools.ts). */
export type ReadPools = (days: readonly Window[], signal: AbortSignal) => Promise<StoredPools>;

const NO_POOLS: StoredPools = { pools: new Map(), lacking: [] };

export function cloudCosts(read: ReadItems, readPools: ReadPools): CloudCosts {
  return {
    readFilter: readCloudFilter,
    async costs({ days, signal, lacking }, { rows, filter, aggregate }, resources) {
      const keys = readCloudKeys(aggregate);
      const windows = days.toReversed();
      const meant = within(rows, filter);
      if (meant === 'nothing') return { days: windows.map(() => ({ entries: [] })), warnings: [] };
      const told = resources.size === 0 ? NO_POOLS : await readPools(days, signal);
      for (const warning of told.lacking) lacking.add(warning);
      const { pools } = told;
      // What was paid ahead counts when it is used, as allocations are reconciled.
      const costMetric = 'amortizedNetCost';
      const apart = [...resources, ...pools.keys()];
      const asked = { windows, keys, filter: meant, costMetric, resources: apart } as const;
      const items = await read(asked, signal);
      const entryOf = ({ name, resource, cost: usd }: CloudItem): Entry => {
        return { name, resource: pools.get(resource) ?? resource, usd, isIdle: false };
      };
      return { days: items.map((each) => ({ entries: each.map(entryOf) })), warnings: [] };
    },
  };
}
