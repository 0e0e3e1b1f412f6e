/** Collections, stored as the configuration says, and the costs that they select. */
import {
  ALLOCATION_FILTER,
  readAllocationFilter,
  storedCosts,
  storedItems,
  storedPools,
  type StoredOptions,
} from '../allocation/index.ts';
import { untoldWarning } from '../billing/charges/index.ts';
import type { Bills } from '../billing/deliveries/index.ts';
import {
  CLOUD_FILTER,
  cloudItems,
  readCloudFilter,
  type CloudOptions,
} from '../billing/cloud/index.ts';
import {
  cloudCosts,
  collectionQueryRoutes,
  kubernetesCosts,
  openCollectionStore,
  Registry,
  registryRoutes,
  type RegistryRouteOptions,
} from '../collections/index.ts';
import type { Config } from '../settings/config.ts';
import type { Route } from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import type { Window } from '../query/index.ts';

/** Stored allocations, and bills with the same workers. */
interface Stored extends StoredOptions {
  readonly compute: StoredOptions['compute'] &
    CloudOptions['compute'] &
    RegistryRouteOptions['compute'];
  readonly admission: Admission;
}

/**
 * @param note gets a sentence for what was damaged and how it was handled
 * @throws {Unavailable} when stored collections cannot be read
 */
export async function openCollections(
  { dataDir: folder }: Config,
  stored: Stored,
  bills: Bills,
  { note, isReadOnly }: { note: (sentence: string) => void; isReadOnly: boolean },
): Promise<Route[]> {
  const { compute, clock, admission } = stored;
  const readers = { kubernetes: readAllocationFilter, cloud: readCloudFilter };
  const { store, state } = await openCollectionStore({
    folder,
    readers,
    nowMs: clock.nowMs,
    note,
    isReadOnly,
  });
  const registry = new Registry(store, state);
  const sets: Pick<CloudOptions['sets'], 'charges'> = {
    charges: (window) => bills.stored('cloud', window),
  };
  const isBilled = (days: readonly Window[]): boolean =>
    days.some((day) => bills.hasBill('cloud', day));
  const sources = {
    kubernetes: kubernetesCosts(
      {
        costs: (request, signal) => storedCosts(stored, request, signal),
        items: (request, signal) => storedItems(stored, request, signal),
      },
      isBilled,
    ),
    cloud: cloudCosts(
      (request, signal) => cloudItems({ sets, compute }, request, signal),
      (days, signal) => storedPools(stored, days, signal),
      (window) => bills.untold('cloud', window).map(untoldWarning),
    ),
  };
  const grammars = { kubernetes: ALLOCATION_FILTER, cloud: CLOUD_FILTER };
  return [
    ...registryRoutes({ registry, grammars, compute, admission }),
    ...collectionQueryRoutes({ registry, sources, clock, grammars, compute, admission }),
  ];
}
