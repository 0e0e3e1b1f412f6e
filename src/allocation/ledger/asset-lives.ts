/** All assets of a reading of the store but networks, whose costs only traffic tells. */
import { discountFactor, type PriceBook } from '../../pricing/index.ts';
import type { AssetLife } from './asset-rows.ts';
import { attachedDisks, managements } from './cluster-assets.ts';
import type { ChargeOptions } from './charge-options.ts';
import type { Inventory } from '../inventory/inventory.ts';
import { objectJson } from './members.ts';
import { isSpotNode } from '../inventory/node-prices.ts';
import type { Workload } from './workloads.ts';

/**
 * @param nodes as they are billed
 * @param charged volumes and load balancers
 * @returns with the cloud that each is of, where anything of its cluster tells it
 */
export function assetLives(
  inventory: Inventory,
  nodes: readonly Workload[],
  charged: readonly AssetLife[],
  options: ChargeOptions,
): AssetLife[] {
  const lives = [
    ...nodes.map((node) => nodeLife(inventory, node, options.book)),
    ...charged,
    ...attachedDisks(inventory, nodes, options),
    ...managements(inventory, nodes, options),
  ];
  const clouds = new Map<string, string>();
  for (const { told } of lives) {
    const cloud = cloudOf(told.providerID);
    if (cloud !== '') clouds.set(told.cluster, cloud);
  }
  return lives.map((life) => {
    const { told } = life;
    const provider = told.provider ?? (cloudOf(told.providerID) || clouds.get(told.cluster)) ?? '';
    return { ...life, told: { ...told, provider } };
  });
}

/** What a node costs is integrated by its meters. */
function nodeLife(inventory: Inventory, { pod, stretches }: Workload, book: PriceBook): AssetLife {
  const { cluster, node, providerId, life } = pod;
  const [startMs, endMs] = [stretches[0]?.startMs ?? NaN, stretches.at(-1)?.endMs ?? NaN];
  const facts = inventory.machineIn(cluster, node, { startMs, endMs });
  const isSpot = isSpotNode(facts);
  return {
    told: {
      type: 'Node',
      cluster,
      name: node,
      node,
      providerID: providerId,
      nodeType: pod.machine.instanceType,
      region: pod.machine.region,
      zone: pod.machine.zone,
      pool: pod.machine.nodePool,
      labels: objectJson(facts?.labels?.pairs ?? []),
      endSource: life.endSource,
      priceSource: pod.prices.source,
    },
    numbers: {
      preemptible: isSpot ? 1 : 0,
      discount: 1 - discountFactor(book, isSpot),
      endUncertaintyMs: life.endUncertaintyMs,
    },
    stretches,
    amounts: new Map(),
  };
}

/** Schemes of `spec.providerID` of nodes, and what clients call the clouds. */
const CLOUDS: Readonly<Record<string, string>> = {
  aws: 'AWS',
  gce: 'GCP',
  azure: 'Azure',
  oci: 'Oracle',
  scaleway: 'Scaleway',
  digitalocean: 'DigitalOcean',
};

function cloudOf(providerId: string | undefined): string {
  const scheme = providerId?.split('://', 1)[0] ?? '';
  return Object.hasOwn(CLOUDS, scheme) ? (CLOUDS[scheme] ?? '') : '';
}
