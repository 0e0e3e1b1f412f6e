/** What is paid for clusters beside their nodes: the nodes' own disks, and the clusters' management. */
import { rootDevices } from '../../metrics/catalogue.ts';
import { BYTES_PER_GIB } from '../../pricing/index.ts';
import type { AssetAmount, AssetLife } from './asset-rows.ts';
import type { Inventory, NodeDisk } from '../inventory/inventory.ts';
import { joined } from '../row/joined.ts';
import { chargeBalancers, mergeStretches } from './load-balancers.ts';
import { stretchesOf, type ChargeOptions } from './charge-options.ts';
import type { Stretch } from '../inventory/presence.ts';
import { believedPrices } from '../inventory/price-runs.ts';
import { chargeVolumes } from './volumes.ts';
import type { Workload } from './workloads.ts';

/** Nobody shares these: all of a life is charged to one payer. */
const ALONE = 0;

/**
 * A disk for each node: its root file systems (`rootDevices`), at the book's price of storage. Nothing tells by which id
 * its provider bills it.
 */
export function attachedDisks(
  inventory: Inventory,
  nodes: readonly Workload[],
  options: ChargeOptions,
): AssetLife[] {
  const nodeOf = nodesByHost(inventory, nodes);
  const byNode = new Map<string, NodeDisk[]>();
  for (const disk of inventory.nodeDisks.values()) {
    const key = joined(disk.cluster, nodeOf(disk));
    byNode.set(key, [...(byNode.get(key) ?? []), disk]);
  }
  return [...byNode.values()].flatMap((all) => {
    const [first] = all;
    if (!first) return [];
    const name = nodeOf(first);
    const { type = '', kind = '' } = inventory.nodeOf(first.cluster, name) ?? {};
    // A pod's size has its disk.
    if (kind !== '') return [];
    const roots = rootDevices(
      all.map(({ device }) => device),
      type,
    );
    const disks = all.filter(({ device }) => roots.has(device));
    const stretches = mergeStretches(disks.flatMap((disk) => [...stretchesOf(disk, options)]));
    return [
      {
        told: { type: 'Disk', cluster: first.cluster, name, node: name },
        numbers: { isAttached: 1 },
        stretches,
        amounts: storageAmounts(disks, options),
      },
    ];
  });
}

/** Series that name no node tell its address, perhaps with the port that was scraped. */
function nodesByHost(inventory: Inventory, nodes: readonly Workload[]): (disk: NodeDisk) => string {
  const known = new Map<string, string>();
  for (const { cluster, name, address } of inventory.allMachines) {
    if (address !== '') known.set(joined(cluster, address), name);
  }
  for (const { pod } of nodes) known.set(joined(pod.cluster, pod.node), pod.node);
  return ({ cluster, host }) => {
    const bare = host.replace(/:\d+$/, '');
    return known.get(joined(cluster, host)) ?? known.get(joined(cluster, bare)) ?? bare;
  };
}

function storageAmounts(
  disks: readonly NodeDisk[],
  options: ChargeOptions,
): Map<number, AssetAmount> {
  const prices = [0, options.book.storageGiBHour / BYTES_PER_GIB];
  const lives = disks.map((disk) => {
    const stretches = stretchesOf(disk, options);
    return { stretches, bytes: disk.bytes.merged(), prices, orphanPayer: ALONE };
  });
  const amounts = new Map<number, AssetAmount>();
  for (const { set, byteHours, cost } of chargeVolumes(lives, [], [], options.setsMs)) {
    const before = amounts.get(set) ?? { byteHours: 0, cost: 0 };
    amounts.set(set, { byteHours: before.byteHours + byteHours, cost: before.cost + cost });
  }
  return amounts;
}

/** Clouds by what provisions their clusters. */
const CLOUDS: ReadonlyMap<string, string> = new Map([
  ['EKS', 'AWS'],
  ['GKE', 'GCP'],
  ['AKS', 'Azure'],
  ['OKE', 'Oracle'],
]);

/** By series of its price; where a cluster has none, at the operator's or the list's while it has nodes. */
export function managements(
  inventory: Inventory,
  nodes: readonly Workload[],
  options: ChargeOptions,
): AssetLife[] {
  const told = [...inventory.managements.values()];
  const series = told.map((one) => {
    const { pairs } = believedPrices(one.price);
    return managementLife(one.cluster, one.provisioner, stretchesOf(one, options), pairs, options);
  });
  const untold = new Map<string, Stretch[]>();
  for (const { pod, stretches } of nodes) {
    if (told.some(({ cluster }) => cluster === pod.cluster)) continue;
    if (options.prices.management(pod.cluster) === undefined) continue;
    untold.set(pod.cluster, [...(untold.get(pod.cluster) ?? []), ...stretches]);
  }
  const others = [...untold].map(([cluster, stretches]) => {
    const { provisioner = '', prices = [0, 0] } = options.prices.management(cluster) ?? {};
    return managementLife(cluster, provisioner, mergeStretches(stretches), prices, options);
  });
  return [...series, ...others];
}

function managementLife(
  cluster: string,
  provisioner: string,
  stretches: readonly Stretch[],
  prices: readonly number[],
  { setsMs }: ChargeOptions,
): AssetLife {
  const life = { stretches, prices, payers: [], orphanPayer: ALONE };
  const charges = chargeBalancers([life], setsMs);
  const provider = CLOUDS.get(provisioner);
  return {
    told: {
      type: 'ClusterManagement',
      cluster,
      name: provisioner,
      ...(provider === undefined ? {} : { provider }),
    },
    stretches,
    amounts: new Map(charges.map(({ set, cost }) => [set, { byteHours: 0, cost }])),
  };
}
