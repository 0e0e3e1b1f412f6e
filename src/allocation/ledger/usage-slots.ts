/**
 * Where the usage of containers is counted: a slot for each container of a controller and set, which
 * replicas share. Slots of a set are neighbours.
 */
import {
  sampleUsage,
  type Arena,
  type Owner,
  type SampledRows,
  type Sketches,
} from '../../columnar/index.ts';
import type { Resource } from '../inventory/inventory.ts';
import { joined } from '../row/joined.ts';
import type { Ledger } from './ledger.ts';
import type { RowLayout } from './row-layout.ts';
import type { Workload } from './workloads.ts';

/** Addresses and plain data, so that any thread can go on. */
export interface UsageAt {
  /** Slots of set s are [firsts[s], firsts[s + 1]). */
  readonly firsts: readonly number[];
  /** Address of the slot of each row of the ledger, u32. */
  readonly slots: number;
  /** Address of one of the workloads of each slot, u32: its place among members. */
  readonly members: number;
  /** As SAMPLED of columnar/samples.ts, slot after slot. */
  readonly sketches: Readonly<Record<'cpu' | 'ram', Sketches>>;
}

/** Has the ledger's meters of CPU and RAM count usage, before any was absorbed. */
export function keepUsage(
  arena: Arena,
  owner: Owner,
  workloads: readonly Workload[],
  layout: RowLayout,
  ledger: Ledger<Resource>,
): UsageAt {
  const { setCount } = ledger.tables;
  const { rowCount } = layout;
  const slots = arena.allocateZeroed(4 * Math.max(1, rowCount), owner);
  const { members, firsts } = laySlots(workloads, layout, arena.u32(slots, rowCount), setCount);
  const membersAt = arena.allocate(4 * Math.max(1, members.length), owner);
  arena.u32(membersAt, members.length).set(members);
  const rows: SampledRows = { slots, slotCount: members.length, rowCount };
  const sketches = {
    cpu: sampleUsage(arena, owner, ledger.meters.cpu, rows),
    ram: sampleUsage(arena, owner, ledger.meters.ram, rows),
  };
  return { firsts, slots, members: membersAt, sketches };
}

/** @param slotOfRow filled */
function laySlots(
  workloads: readonly Workload[],
  { ranges }: RowLayout,
  slotOfRow: Uint32Array,
  setCount: number,
): { members: number[]; firsts: number[] } {
  const bySet: { member: number; row: number }[][] = Array.from({ length: setCount }, () => []);
  ranges.forEach(({ row, firstSet, sets }, member) => {
    for (let i = 0; i < sets; i++) bySet[firstSet + i]?.push({ member, row: row + i });
  });
  const keys = workloads.map(({ pod, container }) =>
    joined(pod.cluster, pod.namespace, pod.controllerKind, pod.controller, container),
  );
  const members: number[] = [];
  const firsts = [0];
  for (const rows of bySet) {
    const known = new Map<string, number>();
    for (const { member, row } of rows) {
      const key = keys[member] ?? '';
      const slot = known.get(key) ?? members.push(member) - 1;
      known.set(key, slot);
      slotOfRow[row] = slot;
    }
    firsts.push(members.length);
  }
  return { members, firsts };
}
