/** The rows of one set, from the ledger's sums: one for each container of a pod that ran in it. */
import {
  createFrame,
  Frame,
  mapCodes,
  mapNumbers,
  rowsOfValue,
  type Workspace,
} from '../../columnar/index.ts';
import type { Resource } from '../inventory/inventory.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Traffic } from '../ledger/network.ts';
import { fillMeasures } from './measures.ts';
import type { Members } from '../ledger/members.ts';
import { fillSampled } from './sampled-costs.ts';
import { fillNetwork } from './pod-traffic.ts';
import {
  CHARGE_COLUMNS,
  NETWORK_COLUMNS,
  SAMPLED_COLUMNS,
  SET_COLUMNS,
} from '../row/set-columns.ts';
import { runningMembers, type Running, type SetOfLedger } from './running.ts';
import { IDENTITY_COLUMNS, PAID_COLUMNS, PRICE_SOURCE, TEXT_COLUMNS } from '../row/schema.ts';

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
  const columns = set.resolutionMs > 0 ? [...SET_COLUMNS, ...SAMPLED_COLUMNS] : SET_COLUMNS;
  const frame = createFrame(arena, columns, running.members.length, space.owner);
  for (const name of [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, PRICE_SOURCE, 'endSource']) {
    mapCodes(space, running.members, members.frame.u32(name), frame.u32(name));
  }
  const uncertaintiesMs = members.frame.f64('endUncertaintyMs');
  mapNumbers(space, running.members, uncertaintiesMs, frame.f64('endUncertaintyMs'));
  frame.f64('startMs').set(running.startsMs);
  frame.f64('endMs').set(running.endsMs);
  const allocated = mapCodes(space, running.members, members.frame.u32('allocated'));
  fillMeasures(space, ledger, frame, running.rows, allocated);
  scaleGpuUsage(space, members, frame, running);
  if (network) fillNetwork(space, network, members, frame, running.members, set);
  else for (const name of NETWORK_COLUMNS) frame.f64(name).fill(0);
  fillCharges(space, charged, frame, running.rows);
  if (charged) fillChargedTimes(space, charged, members, frame, running);
  if (set.resolutionMs > 0) fillSampled(space, ledger, members, frame, running);
  arena.free(allocated.byteOffset, allocated.byteLength);
  running.free();
  return frame;
}

/** A share of a device has that share of the device's usage: all shares together have all of it. */
function scaleGpuUsage(
  space: Workspace,
  members: Members,
  frame: Frame,
  { members: places }: Running,
): void {
  const { arena, kernels } = space.engine;
  const bytes = 8 * frame.rows;
  const address = arena.allocate(bytes, space.owner);
  mapNumbers(space, places, members.frame.f64('gpuPart'), arena.f64(address, frame.rows));
  kernels.multiplyColumn(address, frame.rows, frame.f64('gpuUsageHours').byteOffset);
  arena.free(address, bytes);
}

/** Rows of what no pod uses last as long as something was charged to them, not as long as the set. */
function fillChargedTimes(
  space: Workspace,
  charged: Frame,
  members: Members,
  frame: Frame,
  { members: places, rows }: Running,
): void {
  const { arena } = space.engine;
  const isUnmounted = mapCodes(space, places, members.frame.u32('isUnmounted'));
  const [startsMs, endsMs] = [frame.f64('startMs'), frame.f64('endMs')];
  for (const row of rowsOfValue(space, isUnmounted, 1)) {
    const at = rows[row] ?? 0;
    startsMs[row] = charged.f64('chargedStartMs')[at] ?? NaN;
    endsMs[row] = charged.f64('chargedEndMs')[at] ?? NaN;
  }
  arena.free(isUnmounted.byteOffset, isUnmounted.byteLength);
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
  for (const name of PAID_COLUMNS) {
    if (charged) mapCodes(space, rows, charged.u32(name), frame.u32(name));
    else frame.u32(name).fill(0);
  }
}
