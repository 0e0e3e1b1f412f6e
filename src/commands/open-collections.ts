/** Collections as the configuration says they are kept, and their routes. */
import { readAllocationFilter } from '../allocation/index.ts';
import { openKeeper, readCloudFilter, Registry, registryRoutes } from '../collections/index.ts';
import type { Config } from '../config.ts';
import type { Route } from '../http/index.ts';
import type { Engine } from './engine.ts';

/**
 * @param note told what was found damaged and what was done about it
 * @throws {Unavailable} when what is kept cannot be read
 */
export async function openCollections(
  { dataDir: folder }: Config,
  { nowMs }: Engine,
  note: (sentence: string) => void,
): Promise<Route[]> {
  const readers = { kubernetes: readAllocationFilter, cloud: readCloudFilter };
  const { keeper, state } = await openKeeper({ folder, readers, nowMs, note });
  return registryRoutes(new Registry(keeper, state, readers));
}
