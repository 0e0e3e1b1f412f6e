/** Collections, stored where the configuration says, and the costs that they select. */
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
  openSharedCollections,
  Registry,
  registryRoutes,
  type CollectionStore,
  type RegistryRouteOptions,
} from '../collections/index.ts';
import type { Config } from '../settings/config.ts';
import { storeOf } from '../settings/store.ts';
import type { Route } from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import type { Window } from '../query/index.ts';
import { objectPlaceOf } from './open-sets.ts';

/** Stored allocations, and bills with the same workers. */
interface Stored extends StoredOptions {
  readonly compute: StoredOptions['compute'] &
    CloudOptions['compute'] &
    RegistryRouteOptions['compute'];
  readonly admission: Admission;
}

interface Surroundings {
  /** Gets a sentence for what was damaged and how it was handled. */
  readonly note: (sentence: string) => void;
  /** The folder cannot be changed. */
  readonly isReadOnly: boolean;
}

export interface OpenCollections {
  readonly routes: readonly Route[];
  close(): void;
}

/** @throws {Unavailable} when stored collections cannot be read */
export async function openCollections(
  config: Config,
  stored: Stored,
  bills: Bills,
  surroundings: Surroundings,
): Promise<OpenCollections> {
  const { compute, clock, admission } = stored;
  const store = await openStore(config, clock.nowMs, surroundings);
  const registry = new Registry(store);
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
  return {
    routes: [
      ...registryRoutes({ registry, grammars, compute, admission }),
      ...collectionQueryRoutes({ registry, sources, clock, grammars, compute, admission }),
    ],
    close: () => store.close(),
  };
}

/** In the bucket where sets are, so that servers share them; else in the data folder. */
async function openStore(
  config: Config,
  nowMs: () => number,
  { note, isReadOnly }: Surroundings,
): Promise<CollectionStore> {
  const { dataDir: folder, role } = config;
  const readers = { kubernetes: readAllocationFilter, cloud: readCloudFilter };
  const place = storeOf(config);
  if (place.kind !== 'bucket')
    return await openCollectionStore({ folder, readers, nowMs, note, isReadOnly });
  // A builder answers no questions about them.
  if (role === 'build')
    return await openCollectionStore({ folder: undefined, readers, nowMs, note });
  return await openSharedCollections({ ...objectPlaceOf(config, place), readers, folder, note });
}
