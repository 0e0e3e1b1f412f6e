/** The ledger of containers: CPU, RAM and GPU of each workload. */
import {
  Frame,
  METER_ROW,
  type Arena,
  type Engine,
  type KeyLabels,
  type Owner,
} from '../../columnar/index.ts';
import { CPU_SPLIT, GPU_VARIANTS, LABEL_NAMES, RUN_LABELS } from '../../metrics/catalogue.ts';
import { createLedger, type Ledger, type LedgerOptions, type MeterSpec } from './ledger.ts';
import { ALLOCATION_MAX, type ClusterOptions, type Resource } from '../inventory/inventory.ts';
import { bitOf, type MembersAt } from './members.ts';
import type { RowLayout } from './row-layout.ts';
import type { Workload } from './workloads.ts';

export function containerLedger(
  engine: Engine,
  owner: Owner,
  workloads: readonly Workload[],
  layout: RowLayout,
  options: LedgerOptions & ClusterOptions & { readonly onGrid: boolean },
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
      hides: options.onGrid,
      keyLabels: { ...keyLabels, split: CPU_SPLIT },
    },
    ram: { isCounter: false, maxRate: ALLOCATION_MAX.ram, hides: options.onGrid },
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

/** Containers that share what their pods reserve, and the rows of each resource. */
export interface SharedRequests {
  readonly rows: Ledger<Resource>['rows'];
  readonly members: MembersAt;
}

/**
 * Settles usage of pods whose containers share a request: one that uses more than its share takes what
 * the others leave in the same set.
 * Once, after all meters are finished.
 */
export function settleShared(arena: Arena, { rows: rowsOf, members }: SharedRequests): void {
  const frame = new Frame(arena, members.frame);
  const [bits, places] = [frame.u32('shares'), frame.u32('podPlace')];
  const [rows, firsts, counts] = [frame.u32('row'), frame.u32('firstSet'), frame.u32('sets')];
  for (const resource of ['cpu', 'ram'] as const) {
    const pods = new Map<number, number[]>();
    bits.forEach((bit, i) => {
      if ((bit & bitOf(resource)) === 0) return;
      const place = places[i] ?? 0;
      const known = pods.get(place);
      if (known) known.push(i);
      else pods.set(place, [i]);
    });
    for (const containers of pods.values()) {
      const bySet = new Map<number, number[]>();
      for (const i of containers)
        for (let k = 0; k < (counts[i] ?? 0); k++) {
          const set = (firsts[i] ?? 0) + k;
          bySet.set(set, [...(bySet.get(set) ?? []), (rows[i] ?? 0) + k]);
        }
      for (const rowsOfPod of bySet.values()) settleRows(arena, rowsOf[resource], rowsOfPod);
    }
  }
}

const { f64: FIELDS, bytes: ROW_BYTES } = METER_ROW;

/** What a container leaves of its share is for the others: not for itself at another time. */
function settleRows(arena: Arena, rowsAt: number, rows: readonly number[]): void {
  const all = rows.map((row) => {
    const values = arena.f64(rowsAt + row * ROW_BYTES, ROW_BYTES / 8);
    const of = (field: keyof typeof FIELDS): number => values[FIELDS[field] / 8] ?? 0;
    const excess = of('excess');
    return { values, excess, left: Math.max(0, of('request') - of('usage') + excess) };
  });
  const sum = (valueOf: (row: (typeof all)[number]) => number): number =>
    all.reduce((total, row) => total + valueOf(row), 0);
  const [excess, left] = [sum((row) => row.excess), sum((row) => row.left)];
  // The most that flows from each excess into what the others leave.
  const taken = Math.min(
    excess,
    left,
    ...all.map((row) => excess - row.excess + (left - row.left)),
  );
  if (!(taken > 0)) return;
  const mostOf = (row: (typeof all)[number]): number => Math.min(row.excess, left - row.left);
  const part = taken / sum(mostOf);
  for (const row of all) {
    if (row.excess === 0) continue;
    const kept = Math.max(0, 1 - (part * mostOf(row)) / row.excess);
    for (const field of ['excess', 'excessCost'] as const)
      row.values[FIELDS[field] / 8] = (row.values[FIELDS[field] / 8] ?? 0) * kept;
  }
}
