/** Each container's share of its pod's traffic. */
import {
  addShared,
  createFrame,
  METER_ROW,
  sharePods,
  type ColumnSpec,
  type Frame,
  type Workspace,
} from '../../columnar/index.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Members } from '../ledger/members.ts';
import { EGRESS, type Traffic } from '../ledger/network.ts';
import type { SetOfLedger } from './running.ts';
import { EGRESS_BYTES } from '../row/schema.ts';
import { NETWORK_COLUMNS } from '../row/set-columns.ts';
import { HOUR_MS } from '../../query/index.ts';

/** Traffic is metered as usage above a request of 0. */
const { excess: USED, excessCost: CHARGED } = METER_ROW.f64;

/** The row of sums of each row's pod, -1 without one, and the row's share of them. */
const SHARES: readonly ColumnSpec[] = [
  { name: 'rows', type: 'i32' },
  { name: 'shares', type: 'f64' },
];

/**
 * A pod's bytes and costs, divided evenly among its containers that ran in the set.
 * @param running rows of the members' frame, in the order of the frame's rows
 */
export function fillNetwork(
  space: Workspace,
  network: Ledger<Traffic>,
  members: Members,
  frame: Frame,
  running: Uint32Array,
  set: SetOfLedger,
): void {
  const { arena, kernels } = space.engine;
  const own = createFrame(arena, SHARES, running.length, space.owner);
  const [rows, shares] = [own.i32('rows'), own.f64('shares')];
  const pods = {
    place: members.frame.u32('podPlace'),
    row: members.frame.u32('podRow'),
    firstSet: members.frame.u32('podFirstSet'),
    sets: members.frame.u32('podSets'),
  };
  sharePods(space, pods, running, set.index, { rows, shares });
  // Rates are per second, times in milliseconds, prices an hour (network.ts).
  const add = (name: string, of: Traffic, field: number, divisor: number): void => {
    const records = { rows, shares, address: network.rows[of], bytes: METER_ROW.bytes };
    addShared(space, records, { field, divisor }, frame.f64(name));
  };
  for (const name of NETWORK_COLUMNS) frame.f64(name).fill(0);
  for (const of of EGRESS) add(EGRESS_BYTES, of, USED, 1000);
  add('networkTransferBytes', 'transmit', USED, 1000);
  add('networkReceiveBytes', 'receive', USED, 1000);
  add('networkCrossZoneCost', 'zoneEgress', CHARGED, HOUR_MS);
  add('networkCrossRegionCost', 'regionEgress', CHARGED, HOUR_MS);
  add('networkInternetCost', 'internetEgress', CHARGED, HOUR_MS);
  const total = frame.f64('networkCost').byteOffset;
  for (const name of ['networkCrossZoneCost', 'networkCrossRegionCost', 'networkInternetCost']) {
    kernels.addColumn(frame.f64(name).byteOffset, frame.rows, total);
  }
  arena.free(own.address, own.bytes);
}
