/** The columns that rows of a set have before they are asked about, and the bytes that a row takes. */
import type { ColumnSpec } from '../../columnar/index.ts';
import { EGRESS_BYTES, IDENTITY_COLUMNS, TEXT_COLUMNS } from './schema.ts';

/** Measures that a pod's traffic fills. */
export const NETWORK_COLUMNS: readonly string[] = [
  'networkTransferBytes',
  'networkReceiveBytes',
  'networkCost',
  'networkCrossZoneCost',
  'networkCrossRegionCost',
  'networkInternetCost',
  EGRESS_BYTES,
];

/** The columns of a ledger's row that are not metered. */
export const CHARGE_COLUMNS = ['pvByteHours', 'pvCost', 'loadBalancerCost'] as const;

/** Measures that are sums over time of CPU, RAM and GPU. */
export const INTEGRATED = [
  'cpuCoreHours',
  'cpuCost',
  'cpuCoreRequestHours',
  'cpuCoreUsageHours',
  'ramByteHours',
  'ramCost',
  'ramByteRequestHours',
  'ramByteUsageHours',
  'gpuHours',
  'gpuCost',
] as const;

/** Measures that samples of CPU, RAM and GPU fill. */
export const MEASURED_COLUMNS: readonly ColumnSpec[] = [
  ...INTEGRATED,
  'cpuCoreUsageMax',
  'ramByteUsageMax',
].map((name) => ({ name, type: 'f64' }));

/** Columns of every row. */
export const SET_COLUMNS: readonly ColumnSpec[] = [
  ...IDENTITY_COLUMNS.map((name): ColumnSpec => ({ name, type: 'u32' })),
  ...TEXT_COLUMNS.map((name): ColumnSpec => ({ name, type: 'u32' })),
  { name: 'endSource', type: 'u32' },
  { name: 'endUncertaintyMs', type: 'f64' },
  { name: 'startMs', type: 'f64' },
  { name: 'endMs', type: 'f64' },
  ...MEASURED_COLUMNS,
  ...[...NETWORK_COLUMNS, ...CHARGE_COLUMNS].map((name): ColumnSpec => ({ name, type: 'f64' })),
  { name: 'pvs', type: 'u32' },
];

/** What CPU, RAM and GPU cost by all samples, and what they cost at least and at most; on a grid only. */
export const SAMPLED_COLUMNS: readonly ColumnSpec[] = [
  { name: 'sampledCost', type: 'f64' },
  { name: 'sampledCostLeast', type: 'f64' },
  { name: 'sampledCostMost', type: 'f64' },
];

/** Bytes of a row of a set's frame. */
export const BYTES_PER_SET_ROW: number = [...SET_COLUMNS, ...SAMPLED_COLUMNS].reduce(
  (sum, { type }) => sum + (type === 'f64' ? 8 : 4),
  0,
);
