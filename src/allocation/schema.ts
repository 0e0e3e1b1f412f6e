/**
 * THE table of the allocation schema (version 1.76): what is stored of a row, and what is shown.
 * JSON, CSV and tests derive from it. A new cost kind is one row of MEASURES, its rows of FIELDS,
 * and the stage that fills it.
 */
export const SCHEMA_VERSION = '1.76';

/** How a measure of several rows becomes one. */
export type Fold = 'sum' | 'max';

export interface Measure {
  readonly column: string;
  readonly unit: string;
  readonly fold: Fold;
}

/**
 * Measures are f64 columns of a frame; a frame leaves out those that are zero in every row.
 * Averages are stored as time integrals (unit × hours), so that they add up.
 */
export const MEASURES: readonly Measure[] = [
  { column: 'cpuCoreHours', unit: 'core·h', fold: 'sum' },
  { column: 'cpuCoreRequestHours', unit: 'core·h', fold: 'sum' },
  { column: 'cpuCoreUsageHours', unit: 'core·h', fold: 'sum' },
  { column: 'cpuCoreUsageMax', unit: 'core', fold: 'max' },
  { column: 'cpuCost', unit: 'USD', fold: 'sum' },
  { column: 'cpuCostAdjustment', unit: 'USD', fold: 'sum' },
  { column: 'gpuHours', unit: 'GPU·h', fold: 'sum' },
  { column: 'gpuCost', unit: 'USD', fold: 'sum' },
  { column: 'gpuCostAdjustment', unit: 'USD', fold: 'sum' },
  { column: 'networkTransferBytes', unit: 'byte', fold: 'sum' },
  { column: 'networkReceiveBytes', unit: 'byte', fold: 'sum' },
  { column: 'networkCost', unit: 'USD', fold: 'sum' },
  { column: 'networkCrossZoneCost', unit: 'USD', fold: 'sum' },
  { column: 'networkCrossRegionCost', unit: 'USD', fold: 'sum' },
  { column: 'networkInternetCost', unit: 'USD', fold: 'sum' },
  { column: 'networkCostAdjustment', unit: 'USD', fold: 'sum' },
  { column: 'loadBalancerCost', unit: 'USD', fold: 'sum' },
  { column: 'loadBalancerCostAdjustment', unit: 'USD', fold: 'sum' },
  { column: 'pvByteHours', unit: 'byte·h', fold: 'sum' },
  { column: 'pvCost', unit: 'USD', fold: 'sum' },
  { column: 'pvCostAdjustment', unit: 'USD', fold: 'sum' },
  { column: 'ramByteHours', unit: 'byte·h', fold: 'sum' },
  { column: 'ramByteRequestHours', unit: 'byte·h', fold: 'sum' },
  { column: 'ramByteUsageHours', unit: 'byte·h', fold: 'sum' },
  { column: 'ramByteUsageMax', unit: 'byte', fold: 'max' },
  { column: 'ramCost', unit: 'USD', fold: 'sum' },
  { column: 'ramCostAdjustment', unit: 'USD', fold: 'sum' },
  { column: 'sharedCost', unit: 'USD', fold: 'sum' },
  { column: 'externalCost', unit: 'USD', fold: 'sum' },
  { column: 'sampledCostLeast', unit: 'USD', fold: 'sum' },
  { column: 'sampledCostMost', unit: 'USD', fold: 'sum' },
];

/** Columns of codes that say whose row it is; code 0 is unknown. Equal values survive a merge. */
export const IDENTITY_COLUMNS = [
  'cluster',
  'node',
  'container',
  'controller',
  'controllerKind',
  'namespace',
  'pod',
  'providerID',
] as const;
export type IdentityColumn = (typeof IDENTITY_COLUMNS)[number];

/**
 * Columns of codes of JSON texts: objects of names and values, and the list of services. Of the rows
 * of a group, what all have in common survives.
 */
export const TEXT_COLUMNS = [
  'labels',
  'annotations',
  'namespaceLabels',
  'namespaceAnnotations',
  'services',
] as const;
export type TextColumn = (typeof TEXT_COLUMNS)[number];

/** Ends by how sure they are; a merged row has the least sure of its rows. */
export const END_SOURCES = ['completionTime', 'running', 'staleMarker', 'lastSample'] as const;

/** One row's measures by column, 0 where a frame has no such column; and its running time. */
export interface RowValues {
  get(column: string): number;
  /** end - start */
  readonly hours: number;
}

/** A number shown for a row. */
export interface Field {
  readonly json: string;
  readonly unit: string;
  readonly value: (row: RowValues) => number;
}

/** Fields whose sum is `totalCost`. */
const COST_COLUMNS: readonly string[] = MEASURES.filter(({ column }) =>
  /^(cpu|gpu|ram|pv|network|loadBalancer)Cost(Adjustment)?$|^(shared|external)Cost$/.test(column),
).map(({ column }) => column);

export function totalCost(row: RowValues): number {
  return COST_COLUMNS.reduce((sum, column) => sum + row.get(column), 0);
}

const cpuCost = (row: RowValues): number => row.get('cpuCost') + row.get('cpuCostAdjustment');
const ramCost = (row: RowValues): number => row.get('ramCost') + row.get('ramCostAdjustment');

/** Usage over request; without a request 1 for what is used and costs, else 0. */
function efficiency(usage: number, request: number, cost: number): number {
  if (request > 0) return usage / request;
  return usage > 0 && cost > 0 ? 1 : 0;
}

function cpuEfficiency(row: RowValues): number {
  return efficiency(row.get('cpuCoreUsageHours'), row.get('cpuCoreRequestHours'), cpuCost(row));
}

function ramEfficiency(row: RowValues): number {
  return efficiency(row.get('ramByteUsageHours'), row.get('ramByteRequestHours'), ramCost(row));
}

/** ((cpuEfficiency × cpuCost) + (ramEfficiency × ramCost)) / (cpuCost + ramCost) */
function totalEfficiency(row: RowValues): number {
  const cost = cpuCost(row) + ramCost(row);
  if (cost <= 0) return 0;
  return (cpuEfficiency(row) * cpuCost(row) + ramEfficiency(row) * ramCost(row)) / cost;
}

function measure(column: string): Field {
  const unit = MEASURES.find((m) => m.column === column)?.unit ?? '';
  return { json: column, unit, value: (row) => row.get(column) };
}

/** What a column of unit × hours comes to on average while running. */
function average(json: string, unit: string, column: string): Field {
  return { json, unit, value: (row) => (row.hours > 0 ? row.get(column) / row.hours : 0) };
}

/** The numbers of a row, in the order clients know. */
export const FIELDS: readonly Field[] = [
  { json: 'minutes', unit: 'min', value: (row) => row.hours * 60 },
  average('cpuCores', 'core', 'cpuCoreHours'),
  average('cpuCoreRequestAverage', 'core', 'cpuCoreRequestHours'),
  average('cpuCoreUsageAverage', 'core', 'cpuCoreUsageHours'),
  measure('cpuCoreHours'),
  measure('cpuCost'),
  measure('cpuCostAdjustment'),
  { json: 'cpuEfficiency', unit: '1', value: cpuEfficiency },
  average('gpuCount', 'GPU', 'gpuHours'),
  measure('gpuHours'),
  measure('gpuCost'),
  measure('gpuCostAdjustment'),
  measure('networkTransferBytes'),
  measure('networkReceiveBytes'),
  measure('networkCost'),
  measure('networkCrossZoneCost'),
  measure('networkCrossRegionCost'),
  measure('networkInternetCost'),
  measure('networkCostAdjustment'),
  measure('loadBalancerCost'),
  measure('loadBalancerCostAdjustment'),
  average('pvBytes', 'byte', 'pvByteHours'),
  measure('pvByteHours'),
  measure('pvCost'),
  measure('pvCostAdjustment'),
  average('ramBytes', 'byte', 'ramByteHours'),
  average('ramByteRequestAverage', 'byte', 'ramByteRequestHours'),
  average('ramByteUsageAverage', 'byte', 'ramByteUsageHours'),
  measure('ramByteHours'),
  measure('ramCost'),
  measure('ramCostAdjustment'),
  { json: 'ramEfficiency', unit: '1', value: ramEfficiency },
  measure('sharedCost'),
  measure('externalCost'),
  { json: 'totalCost', unit: 'USD', value: totalCost },
  { json: 'totalEfficiency', unit: '1', value: totalEfficiency },
];

/** A column of the CSV that clients know. */
export interface SummaryColumn {
  readonly csv: string;
  readonly unit: string;
  readonly value: (row: RowValues) => number;
}

/** A cost with its adjustment, where it has one. */
function adjusted(csv: string, column: string): SummaryColumn {
  const value = (row: RowValues): number => row.get(column) + row.get(`${column}Adjustment`);
  return { csv, unit: 'USD', value };
}

/** The columns of the CSV that clients know, after `Name`, in their order. */
export const SUMMARY: readonly SummaryColumn[] = [
  adjusted('CPU', 'cpuCost'),
  adjusted('GPU', 'gpuCost'),
  adjusted('RAM', 'ramCost'),
  adjusted('PV', 'pvCost'),
  adjusted('Network', 'networkCost'),
  adjusted('LoadBalancer', 'loadBalancerCost'),
  adjusted('External', 'externalCost'),
  adjusted('Shared', 'sharedCost'),
  { csv: 'Efficiency', unit: '1', value: totalEfficiency },
  { csv: 'Total', unit: 'USD', value: totalCost },
];

/** What is billed as a fraction of what was: NaN when nothing was billed, Infinity unbounded. */
export interface Accuracy {
  readonly lower: number;
  readonly upper: number;
}

/**
 * How far the cost of CPU, RAM and GPU can be off because of the resolution: n points seen stand for
 * more than n - 1 and less than n + 1 resolutions of life, cut to the set (coverage.ts). Of several
 * rows each counts by its cost. Pods that no point saw are not in it.
 */
export function accuracy(row: RowValues): Accuracy {
  const billed = row.get('cpuCost') + row.get('ramCost') + row.get('gpuCost');
  return {
    lower: billed / row.get('sampledCostMost'),
    upper: billed / row.get('sampledCostLeast'),
  };
}

/** Maxima shown only for rows that are neither aggregated nor accumulated. */
export const RAW_FIELDS: readonly Field[] = [
  measure('cpuCoreUsageMax'),
  measure('ramByteUsageMax'),
];
