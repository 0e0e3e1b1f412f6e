/**
 * The rows of one set: what ran in it, from the ledger's sums. One row a container of a pod.
 */
import {
  createFrame,
  ROW_BYTES,
  Frame,
  type Arena,
  type ColumnSpec,
  type Owner,
} from '../columnar/index.ts';
import type { Resource } from './inventory.ts';
import { coverage } from './coverage.ts';
import { CHARGE_COLUMNS } from './disks.ts';
import type { Ledger } from './ledger.ts';
import { EGRESS, type Traffic } from './network.ts';
import { fillMeasures } from './measures.ts';
import type { Members } from './members.ts';
import { EGRESS_BYTES, IDENTITY_COLUMNS, TEXT_COLUMNS } from './schema.ts';

const HOUR_MS = 3_600_000;
const FIELDS = ROW_BYTES / 8;

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

/** Measures that a pod's traffic fills. */
const NETWORK = [
  'networkTransferBytes',
  'networkReceiveBytes',
  'networkCost',
  'networkCrossZoneCost',
  'networkCrossRegionCost',
  'networkInternetCost',
  EGRESS_BYTES,
] as const;
type NetworkColumn = (typeof NETWORK)[number];

/** Fields of a row of sums of traffic: what came above the request, which is none, and its cost. */
const USED = 2;
const CHARGED = 3;

const COLUMNS: readonly ColumnSpec[] = [
  ...IDENTITY_COLUMNS.map((name): ColumnSpec => ({ name, type: 'u32' })),
  ...TEXT_COLUMNS.map((name): ColumnSpec => ({ name, type: 'u32' })),
  { name: 'endSource', type: 'u32' },
  { name: 'endUncertaintyMs', type: 'f64' },
  { name: 'startMs', type: 'f64' },
  { name: 'endMs', type: 'f64' },
  ...[...MEASURED, ...NETWORK, ...CHARGE_COLUMNS].map((name): ColumnSpec => ({
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

export interface SetOfLedger {
  readonly startMs: number;
  readonly endMs: number;
  /** Its place among the ledger's sets. */
  readonly index: number;
  /** 0 exact, else the grid's distance. */
  readonly resolutionMs: number;
}

export interface Tables {
  readonly ledger: Ledger<Resource>;
  readonly network: Ledger<Traffic> | null;
  /** Address of the frame of charges, or 0. */
  readonly charges: number;
}

/** @returns a frame with one row for each workload that ran in the set */
export function setRows(
  arena: Arena,
  owner: Owner,
  { ledger, network, charges }: Tables,
  members: Members,
  set: SetOfLedger,
): Frame {
  const charged = charges === 0 ? undefined : new Frame(arena, charges);
  const runs = runningIn(members, set, charged);
  const columns = set.resolutionMs > 0 ? [...COLUMNS, ...SAMPLED] : COLUMNS;
  const frame = createFrame(arena, columns, runs.members.length, owner);
  for (const name of [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, 'endSource']) {
    gather(members.frame.u32(name), runs.members, frame.u32(name));
  }
  gather(members.frame.f64('endUncertaintyMs'), runs.members, frame.f64('endUncertaintyMs'));
  frame.f64('startMs').set(runs.startsMs);
  frame.f64('endMs').set(runs.endsMs);
  const allocated = members.frame.u32('allocated');
  const allocatedOfRows = runs.members.map((member) => allocated[member] ?? 0);
  fillMeasures(arena, ledger, frame, runs.rows, allocatedOfRows);
  if (network) fillNetwork(arena, network, members, frame, runs, set);
  else for (const name of NETWORK) frame.f64(name).fill(0);
  fillCharges(charged, frame, runs.rows);
  if (set.resolutionMs > 0) fillSampled(frame, runs);
  return frame;
}

interface Running {
  readonly members: number[];
  /** Rows of the ledger. */
  readonly rows: number[];
  readonly startsMs: number[];
  readonly endsMs: number[];
  /** Shortest and longest possible life over what is billed. */
  readonly least: number[];
  readonly most: number[];
}

function runningIn(members: Members, set: SetOfLedger, charged: Frame | undefined): Running {
  const running: Running = {
    members: [],
    rows: [],
    startsMs: [],
    endsMs: [],
    least: [],
    most: [],
  };
  const { frame, stretches } = members;
  const row = frame.u32('row');
  const firstSet = frame.u32('firstSet');
  const sets = frame.u32('sets');
  const stretch = frame.u32('stretch');
  const count = frame.u32('stretches');
  const uncertaintyMs = frame.f64('endUncertaintyMs');
  const isUnmounted = frame.u32('isUnmounted');
  for (let i = 0; i < frame.rows; i++) {
    const place = set.index - (firstSet[i] ?? 0);
    if (place < 0 || place >= (sets[i] ?? 0)) continue;
    const first = stretch[i] ?? 0;
    const own = stretches.subarray(2 * first, 2 * (first + (count[i] ?? 0)));
    const span = coverage(own, set, uncertaintyMs[i]);
    if (!(span.startMs < span.endMs)) continue;
    if (isUnmounted[i] === 1 && !isCharged(charged, (row[i] ?? 0) + place)) continue;
    running.members.push(i);
    running.rows.push((row[i] ?? 0) + place);
    running.startsMs.push(span.startMs);
    running.endsMs.push(span.endMs);
    running.least.push(span.leastMs / span.coveredMs);
    running.most.push(span.mostMs / span.coveredMs);
  }
  return running;
}

/** As if each moment of the life had cost the same. */
function fillSampled(frame: Frame, { least, most }: Running): void {
  const costs = ['cpuCost', 'ramCost', 'gpuCost'].map((name) => frame.f64(name));
  const leastCost = frame.f64('sampledCostLeast');
  const mostCost = frame.f64('sampledCostMost');
  for (let row = 0; row < frame.rows; row++) {
    const cost = costs.reduce((sum, column) => sum + (column[row] ?? 0), 0);
    leastCost[row] = cost * (least[row] ?? 0);
    mostCost[row] = cost * (most[row] ?? 0);
  }
}

function isCharged(charged: Frame | undefined, row: number): boolean {
  return CHARGE_COLUMNS.some((name) => (charged?.f64(name)[row] ?? 0) !== 0);
}

function fillCharges(charged: Frame | undefined, frame: Frame, rows: readonly number[]): void {
  for (const name of CHARGE_COLUMNS) {
    if (charged) gather(charged.f64(name), rows, frame.f64(name));
    else frame.f64(name).fill(0);
  }
  if (charged) gather(charged.u32('pvs'), rows, frame.u32('pvs'));
  else frame.u32('pvs').fill(0);
}

/** A pod's bytes and costs, divided evenly among its containers that ran in the set. */
function fillNetwork(
  arena: Arena,
  network: Ledger<Traffic>,
  members: Members,
  frame: Frame,
  runs: Running,
  set: SetOfLedger,
): void {
  const podPlace = members.frame.u32('podPlace');
  const podRow = members.frame.u32('podRow');
  const podFirstSet = members.frame.u32('podFirstSet');
  const podSets = members.frame.u32('podSets');
  const containers = new Uint32Array(members.frame.rows);
  for (const member of runs.members) {
    const pod = podPlace[member] ?? 0;
    containers[pod] = (containers[pod] ?? 0) + 1;
  }
  const sums = (traffic: Traffic): Float64Array =>
    arena.f64(network.rows[traffic], network.rowCount * FIELDS);
  /** Of each row its place among the sums of its pod, -1 without one, and its share of them. */
  const places = runs.members.map((member) => {
    const place = set.index - (podFirstSet[member] ?? 0);
    const isThere = place >= 0 && place < (podSets[member] ?? 0);
    return isThere ? ((podRow[member] ?? 0) + place) * FIELDS : -1;
  });
  const shares = runs.members.map((member) => 1 / (containers[podPlace[member] ?? 0] ?? 1));
  // Rates are per second, times in milliseconds, prices an hour (network.ts).
  const fill = (name: NetworkColumn, of: Traffic, field: number, divisor: number): void => {
    const column = frame.f64(name);
    const values = sums(of);
    places.forEach((at, i) => {
      column[i] = at < 0 ? 0 : ((shares[i] ?? 0) * (values[at + field] ?? 0)) / divisor;
    });
  };
  const bytes = frame.f64(EGRESS_BYTES).fill(0);
  for (const values of EGRESS.map(sums)) {
    places.forEach((at, i) => {
      if (at < 0) return;
      bytes[i] = (bytes[i] ?? 0) + ((shares[i] ?? 0) * (values[at + USED] ?? 0)) / 1000;
    });
  }
  fill('networkTransferBytes', 'transmit', USED, 1000);
  fill('networkReceiveBytes', 'receive', USED, 1000);
  fill('networkCrossZoneCost', 'zoneEgress', CHARGED, HOUR_MS);
  fill('networkCrossRegionCost', 'regionEgress', CHARGED, HOUR_MS);
  fill('networkInternetCost', 'internetEgress', CHARGED, HOUR_MS);
  const zone = frame.f64('networkCrossZoneCost');
  const region = frame.f64('networkCrossRegionCost');
  const internet = frame.f64('networkInternetCost');
  const total = frame.f64('networkCost');
  for (let i = 0; i < frame.rows; i++) {
    total[i] = (zone[i] ?? 0) + (region[i] ?? 0) + (internet[i] ?? 0);
  }
}

function gather(
  from: Uint32Array | Float64Array,
  rows: readonly number[],
  to: Uint32Array | Float64Array,
): void {
  rows.forEach((row, i) => {
    to[i] = from[row] ?? 0;
  });
}
