/** The ledger of containers: CPU, RAM and GPU of each workload. */
import type { Engine, KeyLabels, Owner } from '../../columnar/index.ts';
import { CPU_SPLIT, GPU_VARIANTS, LABEL_NAMES, RUN_LABELS } from '../../metrics/catalogue.ts';
import { createLedger, type Ledger, type LedgerOptions, type MeterSpec } from './ledger.ts';
import { ALLOCATION_MAX, type ClusterOptions, type Resource } from '../inventory/inventory.ts';
import type { RowLayout } from './row-layout.ts';
import type { Workload } from './workloads.ts';

export function containerLedger(
  engine: Engine,
  owner: Owner,
  workloads: readonly Workload[],
  layout: RowLayout,
  options: LedgerOptions & ClusterOptions,
): Ledger<Resource> {
  const subjects = workloads.map(({ pod, container, stretches, zeroMs, requests }) => ({
    key: [pod.cluster, pod.namespace, pod.name, container],
    stretches,
    zeroMs,
    requests,
    prices: pod.prices,
    capacities: { cpu: pod.capacityCores },
  }));
  const keyLabels = containerKey(options);
  const meters: Readonly<Record<Resource, MeterSpec>> = {
    cpu: {
      isCounter: true,
      maxRate: ALLOCATION_MAX.cpu,
      keyLabels: { ...keyLabels, split: CPU_SPLIT },
    },
    ram: { isCounter: false, maxRate: ALLOCATION_MAX.ram },
    // Usage is told, but never charged: a device is its pod's alone, however busy it is.
    gpu: {
      isCounter: false,
      maxRate: 1,
      keyLabels: { ...keyLabels, variants: GPU_VARIANTS },
    },
  };
  return createLedger(engine, owner, subjects, layout, meters, { ...options, keyLabels });
}

/** What names a container in a usage series. */
function containerKey(options: ClusterOptions): KeyLabels {
  const { namespace, pod, container } = LABEL_NAMES;
  return {
    parts: [options.clusterLabels, namespace, pod, container],
    fallbacks: [options.clusterId, '', '', ''],
    life: RUN_LABELS,
  };
}
