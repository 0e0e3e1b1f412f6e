/** Who pays for volumes that no pod mounts, and for load balancers without pods. */
import type { Inventory } from '../inventory/inventory.ts';
import { joined } from '../row/joined.ts';
import type { Stretch } from '../inventory/presence.ts';
import { bareLife, NO_RUNS, type PodLife, type Workload } from './workloads.ts';
import { UNMOUNTED } from '../row/row-kinds.ts';

/**
 * A workload for each cluster that has anything to charge for, load balancers without a price series
 * included, and for each namespace with claims. It is shown only in sets in which it was charged.
 */
export function unmountedWorkloads(inventory: Inventory, stretch: Stretch): Workload[] {
  const places = new Map<string, readonly [cluster: string, namespace: string]>();
  const add = (cluster: string, namespace: string): void => {
    places.set(joined(cluster, namespace), [cluster, namespace]);
  };
  const { volumes, balancers, ingresses } = inventory;
  for (const chargeable of [volumes, balancers, ingresses])
    for (const { cluster } of chargeable.values()) add(cluster, '');
  for (const { cluster, namespace } of inventory.claims.values()) {
    add(cluster, '');
    add(cluster, namespace);
  }
  return [...places.values()].map(([cluster, namespace]) => ({
    pod: podOf(cluster, namespace, stretch),
    container: UNMOUNTED,
    isUnmatched: false,
    stretches: [stretch],
    zeroMs: NaN,
    requests: NO_RUNS,
    allocated: [],
    gpuPart: 1,
    shares: [],
    isDoubted: false,
    isSized: false,
  }));
}

function podOf(cluster: string, namespace: string, stretch: Stretch): PodLife {
  const life = {
    stretches: [stretch],
    endUncertaintyMs: 0,
    startUncertaintyMs: 0,
    gapUncertaintyMs: 0,
    zeroMs: NaN,
  } as const;
  return {
    ...bareLife(cluster, { ...life, endSource: 'running' }),
    namespace: namespace || UNMOUNTED,
    name: namespace === '' ? UNMOUNTED : `${namespace}-unmounted-pvcs`,
  };
}
