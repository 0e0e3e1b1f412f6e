/**
 * The rows of one set: what ran in it, from the ledger's sums. One row a container of a pod.
 */
import {
  createFrame,
  Frame,
  mapCodes,
  mapNumbers,
  type ColumnSpec,
  type Workspace,
} from '../columnar/index.ts';
import type { Resource } from './inventory.ts';
import { CHARGE_COLUMNS } from './disks.ts';
import type { Ledger } from './ledger.ts';
import type { Traffic } from './network.ts';
import { fillMeasures } from './measures.ts';
import type { Members } from './members.ts';
import { fillNetwork, NETWORK_COLUMNS } from './pod-traffic.ts';
import { runningMembers, type Running, type SetOfLedger } from './running.ts';
import { IDENTITY_COLUMNS, TEXT_COLUMNS } from './schema.ts';

/** Measures that samples of CPU, RAM and GPU fill. */
const MEASURED = [
  'cpuCoreHours',
  'cpuCost',
  'cpuCoreRequestHours',
  'cpuCoreUsageHours',
  'cpuCoreUsageMax',
  'ramByteHours',
  'ramCost',
  'ramByteRequestHours',
  'ramByteUsageHours',
  'ramByteUsageMax',
  'gpuHours',
  'gpuCost',
] as const;

const COLUMNS: readonly ColumnSpec[] = [
  ...IDENTITY_COLUMNS.map((name): ColumnSpec => ({ name, type: 'u32' })),
  ...TEXT_COLUMNS.map((name): ColumnSpec => ({ name, type: 'u32' })),
  { name: 'endSource', type: 'u32' },
  { name: 'endUncertaintyMs', type: 'f64' },
  { name: 'startMs', type: 'f64' },
  { name: 'endMs', type: 'f64' },
  ...[...MEASURED, ...NETWORK_COLUMNS, ...CHARGE_COLUMNS].map((name): ColumnSpec => ({
    name,
    type: 'f64',
  })),
  { name: 'pvs', type: 'u32' },
];

/** What the cost of CPU, RAM and GPU could have been, given the points seen; on a grid only. */
const SAMPLED: readonly ColumnSpec[] = [
  { name: 'sampledCostLeast', type: 'f64' },
  { name: 'sampledCostMost', type: 'f64' },
];

/** Bytes of a row of a set's frame. */
export const BYTES_PER_SET_ROW: number = [...COLUMNS, ...SAMPLED].reduce(
  (sum, { type }) => sum + (type === 'f64' ? 8 : 4),
  0,
);

export interface Tables {
  readonly ledger: Ledger<Resource>;
  readonly network: Ledger<Traffic> | null;
  /** Address of the frame of charges, or 0. */
  readonly charges: number;
}

/** @returns a frame with one row for each workload that ran in the set */
export function setRows(
  space: Workspace,
  { ledger, network, charges }: Tables,
  members: Members,
  set: SetOfLedger,
): Frame {
  const { arena } = space.engine;
  const charged = charges === 0 ? undefined : new Frame(arena, charges);
  const isBilled = (row: number): boolean =>
    CHARGE_COLUMNS.some((name) => (charged?.f64(name)[row] ?? 0) !== 0);
  const running = runningMembers(space, members, set, isBilled);
  const columns = set.resolutionMs > 0 ? [...COLUMNS, ...SAMPLED] : COLUMNS;
  const frame = createFrame(arena, columns, running.members.length, space.owner);
  for (const name of [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, 'endSource']) {
    mapCodes(space, running.members, members.frame.u32(name), frame.u32(name));
  }
  const uncertaintiesMs = members.frame.f64('endUncertaintyMs');
  mapNumbers(space, running.members, uncertaintiesMs, frame.f64('endUncertaintyMs'));
  frame.f64('startMs').set(running.startsMs);
  frame.f64('endMs').set(running.endsMs);
  const allocated = mapCodes(space, running.members, members.frame.u32('allocated'));
  fillMeasures(space, ledger, frame, running.rows, allocated);
  if (network) fillNetwork(space, network, members, frame, running.members, set);
  else for (const name of NETWORK_COLUMNS) frame.f64(name).fill(0);
  fillCharges(space, charged, frame, running.rows);
  if (set.resolutionMs > 0) fillSampled(space, frame, running);
  arena.free(allocated.byteOffset, allocated.byteLength);
  running.free();
  return frame;
}

/** As if each moment of the life had cost the same. */
function fillSampled(
  { engine: { kernels } }: Workspace,
  frame: Frame,
  { least, most }: Running,
): void {
  const { rows } = frame;
  const leastCost = frame.f64('sampledCostLeast').fill(0);
  const mostCost = frame.f64('sampledCostMost');
  for (const name of ['cpuCost', 'ramCost', 'gpuCost']) {
    kernels.addColumn(frame.f64(name).byteOffset, rows, leastCost.byteOffset);
  }
  mostCost.set(leastCost);
  kernels.multiplyColumn(least.byteOffset, rows, leastCost.byteOffset);
  kernels.multiplyColumn(most.byteOffset, rows, mostCost.byteOffset);
}

function fillCharges(
  space: Workspace,
  charged: Frame | undefined,
  frame: Frame,
  rows: Uint32Array,
): void {
  for (const name of CHARGE_COLUMNS) {
    if (charged) mapNumbers(space, rows, charged.f64(name), frame.f64(name));
    else frame.f64(name).fill(0);
  }
  if (charged) mapCodes(space, rows, charged.u32('pvs'), frame.u32('pvs'));
  else frame.u32('pvs').fill(0);
}
