/** Cluster sizing as the configuration describes it. */
import { clusterSizingRoutes, type SizingRouteOptions } from '../cluster-sizing/index.ts';
import type { Config } from '../settings/config.ts';
import type { Route } from '../http/index.ts';
import { usualTypes, type OwnPrice } from '../pricing/index.ts';
import { readNodeTypes } from './node-types.ts';

type Parts = Omit<SizingRouteOptions, 'nodeTypes' | 'armProvider'>;

/** @throws {Fault} when the file of node types cannot be used */
export function openClusterSizing({ nodeTypes, armProvider }: Config, parts: Parts): Route[] {
  const own = readNodeTypes(nodeTypes)?.filter(isOffered);
  return clusterSizingRoutes({
    ...parts,
    armProvider,
    nodeTypes: (provider, region) => (own?.length ? own : usualTypes(provider, region)),
  });
}

/** Prices of a pool, or of cores and GiB, are of nodes that are there, not of machines that are sold. */
function isOffered({ name, pool, zone, gpuModel, usdPerHour }: OwnPrice): boolean {
  const isAnywhere = pool === '' && zone === '' && gpuModel === '';
  return name !== '' && isAnywhere && usdPerHour === usdPerHour;
}
