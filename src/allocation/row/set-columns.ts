/** The columns of a computed set's rows, and the bytes of a row. */
import { columnSpecs, type ColumnSpec } from '../../columnar/index.ts';
import {
  EGRESS_BYTES,
  IDENTITY_COLUMNS,
  PAID_COLUMNS,
  PRICE_SOURCE,
  SAMPLED_BOUNDS,
  TEXT_COLUMNS,
} from './schema.ts';

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

/** From when to when something was charged to a row of the ledger: Infinity and -Infinity for never. */
export const CHARGED_TIMES = ['chargedStartMs', 'chargedEndMs'] as const;

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
  'gpuRequestHours',
  'gpuUsageHours',
] as const;

/** Measures that samples of CPU, RAM and GPU fill. */
export const MEASURED: readonly string[] = [...INTEGRATED, 'cpuCoreUsageMax', 'ramByteUsageMax'];

/** Columns of every row. */
export const SET_COLUMNS: readonly ColumnSpec[] = columnSpecs({
  texts: [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, PRICE_SOURCE, 'endSource', ...PAID_COLUMNS],
  numbers: [
    'endUncertaintyMs',
    'startMs',
    'endMs',
    ...MEASURED,
    ...NETWORK_COLUMNS,
    ...CHARGE_COLUMNS,
  ],
});

/** What CPU, RAM and GPU cost by all samples, and what they cost at least and at most; on a grid only. */
export const SAMPLED_COLUMNS: readonly ColumnSpec[] = columnSpecs({ numbers: SAMPLED_BOUNDS });

/** Bytes of a row of a set's frame. */
export const BYTES_PER_SET_ROW: number = [...SET_COLUMNS, ...SAMPLED_COLUMNS].reduce(
  (sum, { type }) => sum + (type === 'f64' ? 8 : 4),
  0,
);
