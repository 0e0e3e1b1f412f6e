/** CPU, RAM and GPU of a set's rows: the ledger's sums, from unit × ms to unit × hours. */
import { ROW_BYTES, type Arena, type Frame } from '../columnar/index.ts';
import type { Resource } from './inventory.ts';
import type { Ledger } from './ledger.ts';
import { bitOf } from './members.ts';

const HOUR_MS = 3_600_000;
const FIELDS = ROW_BYTES / 8;

/**
 * @param rows of the ledger, in the order of the frame's rows
 * @param allocated by row of the frame, the bits of resources that OpenCost allocated
 */
export function fillMeasures(
  arena: Arena,
  ledger: Ledger<Resource>,
  frame: Frame,
  rows: readonly number[],
  allocated: readonly number[],
): void {
  const fill = (resource: Resource, to: ResourceColumns): void => {
    const sums = arena.f64(ledger.rows[resource], ledger.rowCount * FIELDS);
    fillResource(sums, rows, to);
    const bit = bitOf(resource);
    const isAllocated = (_: number, i: number): boolean => ((allocated[i] ?? 0) & bit) !== 0;
    if (allocated.some(isAllocated)) leaveAllocated(sums, rows, to, isAllocated);
  };
  fill('cpu', {
    hours: frame.f64('cpuCoreHours'),
    cost: frame.f64('cpuCost'),
    request: frame.f64('cpuCoreRequestHours'),
    usage: frame.f64('cpuCoreUsageHours'),
    usageMax: frame.f64('cpuCoreUsageMax'),
  });
  fill('ram', {
    hours: frame.f64('ramByteHours'),
    cost: frame.f64('ramCost'),
    request: frame.f64('ramByteRequestHours'),
    usage: frame.f64('ramByteUsageHours'),
    usageMax: frame.f64('ramByteUsageMax'),
  });
  fill('gpu', { hours: frame.f64('gpuHours'), cost: frame.f64('gpuCost') });
}

interface ResourceColumns {
  readonly hours: Float64Array;
  readonly cost: Float64Array;
  readonly request?: Float64Array;
  readonly usage?: Float64Array;
  readonly usageMax?: Float64Array;
}

/** @param sums rows of request, requestCost, excess, excessCost, usage, usageMax (meter.ts) */
function fillResource(sums: Float64Array, rows: readonly number[], to: ResourceColumns): void {
  rows.forEach((row, i) => {
    const at = row * FIELDS;
    to.hours[i] = ((sums[at] ?? 0) + (sums[at + 2] ?? 0)) / HOUR_MS;
    to.cost[i] = ((sums[at + 1] ?? 0) + (sums[at + 3] ?? 0)) / HOUR_MS;
    if (to.request) to.request[i] = (sums[at] ?? 0) / HOUR_MS;
    if (to.usage) to.usage[i] = (sums[at + 4] ?? 0) / HOUR_MS;
    if (to.usageMax) to.usageMax[i] = sums[at + 5] ?? 0;
  });
}

/** What OpenCost allocated stands in the request's place: it holds usage, and is no request. */
function leaveAllocated(
  sums: Float64Array,
  rows: readonly number[],
  to: ResourceColumns,
  isAllocated: (row: number, i: number) => boolean,
): void {
  rows.forEach((row, i) => {
    if (!isAllocated(row, i)) return;
    to.hours[i] = (sums[row * FIELDS] ?? 0) / HOUR_MS;
    to.cost[i] = (sums[row * FIELDS + 1] ?? 0) / HOUR_MS;
    if (to.request) to.request[i] = 0;
  });
}
