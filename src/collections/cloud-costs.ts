/** Entries of the cloud's bill. */
import {
  readCloudFilter,
  readCloudKeys,
  type CloudItem,
  type CloudItemsAsked,
} from '../cloud/index.ts';
import type { Window } from '../query/index.ts';
import type { Entry } from './entries.ts';
import { within } from './selection.ts';
import type { CloudCosts } from './sources.ts';

/** What the cloud billed (src/cloud/cloud-costs.ts). */
export type ReadItems = (asked: CloudItemsAsked, signal: AbortSignal) => Promise<CloudItem[][]>;

/** What resources are to allocations that do not know them one by one, by `resourceKey`. */
export type ReadPools = (
  days: readonly Window[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, string>>;

export function cloudCosts(read: ReadItems, readPools: ReadPools): CloudCosts {
  return {
    readFilter: readCloudFilter,
    async costs({ days, signal }, { rows, filter, aggregate }, resources) {
      const keys = readCloudKeys(aggregate);
      const windows = days.toReversed();
      const meant = within(rows, filter);
      if (meant === 'nothing') return { days: windows.map(() => ({ entries: [] })), warnings: [] };
      const pools =
        resources.size === 0 ? new Map<string, string>() : await readPools(days, signal);
      // What was paid ahead counts when it is used, as allocations are reconciled.
      const costMetric = 'amortizedNetCost';
      const told = [...resources, ...pools.keys()];
      const asked = { windows, keys, filter: meant, costMetric, resources: told } as const;
      const items = await read(asked, signal);
      const entryOf = ({ name, resource, cost: usd }: CloudItem): Entry => {
        return { name, resource: pools.get(resource) ?? resource, usd, isIdle: false };
      };
      return { days: items.map((each) => ({ entries: each.map(entryOf) })), warnings: [] };
    },
  };
}
