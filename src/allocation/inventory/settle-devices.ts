/** Gives nodes and containers their GPUs, once all facts are read. */
import type { Inventory, Pod } from './inventory.ts';
import { settleGpus } from './node-gpus.ts';

export function settleDevices(inventory: Inventory): void {
  const { deviceClaims, partRequests, pods, unknownAccelerators } = inventory;
  for (const [pod, cluster] of partRequests) {
    const node = inventory.machineUnder(cluster, pod);
    if (node) node.hasHami = true;
  }
  const all = (): (readonly [string, Pod])[] =>
    pods.flatMap(({ cluster, byUid }) => [...byUid.values()].map((pod) => [cluster, pod] as const));
  deviceClaims.settle(inventory, all);
  for (const driver of deviceClaims.unknownDrivers) unknownAccelerators.add(driver);
  for (const node of inventory.allMachines) settleGpus(node);
}
