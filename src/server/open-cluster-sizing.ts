/** Cluster sizing as the configuration describes it. */
import {
  clusterSizingRoutes,
  readSizingPlan,
  savingOf,
  sizedGroups,
  type SizingRouteOptions,
} from '../cluster-sizing/index.ts';
import { Cache } from '../cache/index.ts';
import type { Config } from '../settings/config.ts';
import { parseQuery, type Route } from '../http/index.ts';
import { usualTypes, type NodeType, type OwnPrice } from '../pricing/index.ts';
import type { SavingsOptions } from '../savings/index.ts';
import { readNodeTypes } from './node-types.ts';

type Parts = Omit<SizingRouteOptions, 'nodeTypes' | 'armProvider'>;

export interface ClusterSizing {
  readonly routes: Route[];
  /** What groups of nodes save by default, cluster by cluster. */
  readonly nodes: SavingsOptions['nodes'];
}

/** @throws {Fault} when the file of node types cannot be used */
export function openClusterSizing({ nodeTypes, armProvider }: Config, parts: Parts): ClusterSizing {
  const own = readNodeTypes(nodeTypes)?.filter(isOffered);
  const options: SizingRouteOptions = {
    ...parts,
    armProvider,
    nodeTypes: own?.length ? () => own : cachedTypes(),
  };
  return {
    routes: clusterSizingRoutes(options),
    async nodes({ days, window }, signal) {
      const { calendar } = parts.clock;
      const defaults = readSizingPlan(parseQuery(''), calendar, parts.clock.nowMs(), 1);
      const plan = { ...defaults, days, window };
      const { groups, caveats } = await sizedGroups(options, plan, signal);
      const clusters = new Map<string, { usdPerMonth: number; rateUsdPerMonth: number }>();
      for (const group of groups) {
        const sum = clusters.get(group.cluster) ?? { usdPerMonth: 0, rateUsdPerMonth: 0 };
        clusters.set(group.cluster, sum);
        sum.usdPerMonth += savingOf(group);
        sum.rateUsdPerMonth += group.monthlyRate;
      }
      return { savings: Array.from(clusters, ([cluster, sum]) => ({ cluster, ...sum })), caveats };
    },
  };
}

/** Types of the regions that were asked for last. */
const TYPES = { budget: 20_000, sizeOf: (types: readonly NodeType[]): number => 1 + types.length };

/** The list does not change while a server runs, and a region's types take milliseconds to be read. */
function cachedTypes(): SizingRouteOptions['nodeTypes'] {
  const cache = new Cache<readonly NodeType[]>(TYPES);
  return (provider, region) => {
    const key = JSON.stringify([provider, region]);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const types = usualTypes(provider, region);
    cache.set(key, types);
    return types;
  };
}

/** Prices of a pool, or of cores and GiB, are of nodes that are there, not of machines that are sold. */
function isOffered({ name, pool, zone, gpuModel, usdPerHour }: OwnPrice): boolean {
  const isAnywhere = pool === '' && zone === '' && gpuModel === '';
  return name !== '' && isAnywhere && usdPerHour === usdPerHour;
}
