/** Rows of allocations as the API tells them, made for tests: their total is the sum of what they cost. */
import fc from 'fast-check';
import type { DetailRow } from '../../src/web/costs/made-of.ts';

const EMPTY: DetailRow = {
  name: 'a',
  start: '2026-11-01T00:00:00Z',
  end: '2026-11-08T00:00:00Z',
  minutes: 0,
  cpuCoreHours: 0,
  cpuCoreRequestAverage: 0,
  cpuCoreUsageAverage: 0,
  cpuCost: 0,
  cpuCostAdjustment: 0,
  cpuCostIdle: 0,
  gpuHours: 0,
  gpuCost: 0,
  gpuCostAdjustment: 0,
  gpuCostIdle: 0,
  ramByteHours: 0,
  ramByteRequestAverage: 0,
  ramByteUsageAverage: 0,
  ramCost: 0,
  ramCostAdjustment: 0,
  ramCostIdle: 0,
  pvByteHours: 0,
  pvCost: 0,
  pvCostAdjustment: 0,
  networkCost: 0,
  networkCrossZoneCost: 0,
  networkCrossRegionCost: 0,
  networkInternetCost: 0,
  networkCostAdjustment: 0,
  loadBalancerCost: 0,
  loadBalancerCostAdjustment: 0,
  sharedCost: 0,
  externalCost: 0,
  totalCost: 0,
  totalEfficiency: 0,
  priceSource: 'series',
  endSource: 'running',
  endUncertaintySeconds: 30,
};

const COSTS = ['cpu', 'gpu', 'ram', 'pv', 'network', 'loadBalancer'] as const;

/** @param fields its total is worked out of the others */
export function rowOf(fields: Partial<DetailRow>): DetailRow {
  const row = { ...EMPTY, ...fields };
  const own = COSTS.reduce(
    (sum, kind) => sum + row[`${kind}Cost`] + row[`${kind}CostAdjustment`],
    0,
  );
  return { ...row, totalCost: own + row.sharedCost + row.externalCost };
}

const usd = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true }));
const amount = fc.oneof(fc.constant(0), fc.double({ min: 1e-3, max: 1e7, noNaN: true }));
const part = fc.double({ min: 0, max: 1, noNaN: true });
const adjustment = fc.oneof(fc.constant(0), fc.double({ min: -1e4, max: 1e4, noNaN: true }));

export const anyRow: fc.Arbitrary<DetailRow> = fc
  .record({
    minutes: fc.oneof(fc.constant(0), fc.double({ min: 1, max: 1e5, noNaN: true })),
    cpuCoreHours: amount,
    cpuCoreRequestAverage: fc.double({ min: 0, max: 1000, noNaN: true }),
    cpuCost: usd,
    cpuCostAdjustment: adjustment,
    gpuHours: amount,
    gpuCost: usd,
    gpuCostAdjustment: adjustment,
    ramByteHours: amount.map((gib) => gib * 2 ** 30),
    ramByteRequestAverage: fc.double({ min: 0, max: 1e13, noNaN: true }),
    ramCost: usd,
    ramCostAdjustment: adjustment,
    pvByteHours: amount,
    pvCost: usd,
    networkCost: usd,
    networkCostAdjustment: adjustment,
    loadBalancerCost: usd,
    sharedCost: usd,
    externalCost: usd,
    idle: part,
  })
  .map(({ idle, ...fields }) =>
    rowOf({
      ...fields,
      cpuCostIdle: fields.cpuCost * idle,
      ramCostIdle: fields.ramCost * idle,
      gpuCostIdle: fields.gpuCost * idle,
    }),
  );
