/** CPU, RAM and GPU of a set's rows: the ledger's sums, from unit × ms to unit × hours. */
import {
  eachNumber,
  mapField,
  mapFieldSum,
  METER_ROW,
  type Frame,
  type NumberRecords,
  type Workspace,
} from '../../columnar/index.ts';
import type { Resource } from '../inventory/inventory.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { bitOf, SIZED_BIT } from '../ledger/members.ts';
import { HOUR_MS } from '../../query/index.ts';

const { bytes, f64: SUMS } = METER_ROW;

/**
 * @param rows of the ledger, in the order of the frame's rows
 * @param allocated bits of the resources that OpenCost allocated, and SIZED_BIT, by row of the frame
 */
export function fillMeasures(
  space: Workspace,
  ledger: Ledger<Resource>,
  frame: Frame,
  rows: Uint32Array,
  allocated: Uint32Array,
): void {
  const isAny = space.engine.kernels.anyCode(allocated.byteOffset, allocated.length) === 1;
  const fill = (resource: Resource, to: ResourceColumns): void => {
    const address = ledger.rows[resource];
    fillResource(space, { address, bytes }, rows, to);
    if (!isAny) return;
    const sumOf = (place: number): Sum =>
      eachNumber(space.engine.arena, address, ledger.rowCount, METER_ROW, place);
    const [request, cost] = [sumOf(SUMS.request), sumOf(SUMS.requestCost)];
    const bit = bitOf(resource);
    rows.forEach((row, i) => {
      const bits = allocated[i] ?? 0;
      if ((bits & (bit | SIZED_BIT)) === 0) return;
      to.hours[i] = request(row) / HOUR_MS;
      to.cost[i] = cost(row) / HOUR_MS;
      // OpenCost's allocation comes as a request, but includes usage: it is no request.
      if (to.request && (bits & bit) !== 0) to.request[i] = 0;
    });
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
  fill('gpu', {
    hours: frame.f64('gpuHours'),
    cost: frame.f64('gpuCost'),
    request: frame.f64('gpuRequestHours'),
    usage: frame.f64('gpuUsageHours'),
    isUsageFree: true,
  });
}

interface ResourceColumns {
  readonly hours: Float64Array;
  readonly cost: Float64Array;
  readonly request?: Float64Array;
  readonly usage?: Float64Array;
  readonly usageMax?: Float64Array;
  /** Usage beyond the request is not charged. */
  readonly isUsageFree?: true;
}

function fillResource(
  space: Workspace,
  sums: NumberRecords,
  rows: Uint32Array,
  { hours, cost, request, usage, usageMax, isUsageFree }: ResourceColumns,
): void {
  const one = (field: number, divisor: number, to: Float64Array | undefined): void => {
    if (to) mapField(space, rows, sums, { field, divisor }, to);
  };
  const both = (field: number, other: number, to: Float64Array): void =>
    mapFieldSum(space, rows, sums, { field, other, divisor: HOUR_MS }, to);
  if (isUsageFree) {
    one(SUMS.request, HOUR_MS, hours);
    one(SUMS.requestCost, HOUR_MS, cost);
  } else {
    both(SUMS.request, SUMS.excess, hours);
    both(SUMS.requestCost, SUMS.excessCost, cost);
  }
  one(SUMS.request, HOUR_MS, request);
  one(SUMS.usage, HOUR_MS, usage);
  one(SUMS.usageMax, 1, usageMax);
}

/** By row of the ledger. */
type Sum = (row: number) => number;
