/**
 * THE table of the allocation schema (version 1.76): what is stored of a row, and what is shown.
 * JSON, CSV and tests derive from it. A new cost kind is one row of MEASURES, its rows of FIELDS,
 * and the stage that fills it.
 */
import type { Efficiency, Formula } from './formula.ts';

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
 * Averages are stored as time integrals (unit × hours), so that they add up. A row's costs include its
 * share of idle, which the columns of idle repeat.
 */
export const MEASURES: readonly Measure[] = [
  { column: 'cpuCoreHours', unit: 'core·h', fold: 'sum' },
  { column: 'cpuCoreRequestHours', unit: 'core·h', fold: 'sum' },
  { column: 'cpuCoreUsageHours', unit: 'core·h', fold: 'sum' },
  { column: 'cpuCoreUsageMax', unit: 'core', fold: 'max' },
  { column: 'cpuCost', unit: 'USD', fold: 'sum' },
  { column: 'cpuCostAdjustment', unit: 'USD', fold: 'sum' },
  { column: 'cpuCostIdle', unit: 'USD', fold: 'sum' },
  { column: 'gpuHours', unit: 'GPU·h', fold: 'sum' },
  { column: 'gpuRequestHours', unit: 'GPU·h', fold: 'sum' },
  { column: 'gpuUsageHours', unit: 'GPU·h', fold: 'sum' },
  { column: 'gpuCost', unit: 'USD', fold: 'sum' },
  { column: 'gpuCostAdjustment', unit: 'USD', fold: 'sum' },
  { column: 'gpuCostIdle', unit: 'USD', fold: 'sum' },
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
  { column: 'ramCostIdle', unit: 'USD', fold: 'sum' },
  { column: 'sharedCost', unit: 'USD', fold: 'sum' },
  { column: 'externalCost', unit: 'USD', fold: 'sum' },
  { column: 'sampledCost', unit: 'USD', fold: 'sum' },
  { column: 'sampledCostLeast', unit: 'USD', fold: 'sum' },
  { column: 'sampledCostMost', unit: 'USD', fold: 'sum' },
];

/**
 * Bytes that pods sent across zones, regions and to the internet by the network's own metrics, at
 * whatever price. The column is stored, but not shown: it proves that those metrics were there. Older
 * sets lack it.
 */
export const EGRESS_BYTES = 'networkEgressBytes';

/** Columns of codes that identify a row; code 0 is unknown. Equal values survive a merge. */
export const IDENTITY_COLUMNS = [
  'cluster',
  'node',
  'container',
  'controller',
  'controllerKind',
  'namespace',
  'pod',
  'providerID',
  'instanceType',
  'region',
  'zone',
  'nodePool',
] as const;
export type IdentityColumn = (typeof IDENTITY_COLUMNS)[number];

/**
 * Columns of codes of JSON texts: objects of names and values, and the list of services. A grouped row
 * has what all of its rows share.
 */
export const TEXT_COLUMNS = [
  'labels',
  'annotations',
  'namespaceLabels',
  'namespaceAnnotations',
  'services',
] as const;
export type TextColumn = (typeof TEXT_COLUMNS)[number];

/** Columns of codes of JSON objects: the volumes and balancers that a row pays for. Older sets lack the latter. */
export const PAID_COLUMNS = ['pvs', 'lbAllocations'] as const;

/**
 * Column of codes: where the prices of its CPU, RAM and GPUs come from, a PriceSource; code 0 where
 * nothing was priced. A row of several sources is `mixed`.
 */
export const PRICE_SOURCE = 'priceSource';

/** Ends by how sure they are; a merged row has the least sure of its rows. */
export const END_SOURCES = [
  'completionTime',
  'nextPod',
  'running',
  'nodeEnd',
  'phase',
  'staleMarker',
  'lastSample',
] as const;
/** The evidence of an end. */
export type EndSource = (typeof END_SOURCES)[number];

/** A number shown for a row. */
export interface Field {
  readonly json: string;
  readonly unit: string;
  readonly formula: Formula;
}

/** Fields whose sum is `totalCost`. */
export const COST_COLUMNS: readonly string[] = MEASURES.filter(({ column }) =>
  /^(cpu|gpu|ram|pv|network|loadBalancer)Cost(Adjustment)?$|^(shared|external)Cost$/.test(column),
).map(({ column }) => column);

const TOTAL_COST: Formula = { kind: 'sum', columns: COST_COLUMNS };

const CPU: Efficiency = {
  usage: 'cpuCoreUsageHours',
  request: 'cpuCoreRequestHours',
  cost: 'cpuCost',
};
const RAM: Efficiency = {
  usage: 'ramByteUsageHours',
  request: 'ramByteRequestHours',
  cost: 'ramCost',
};
/** Usage of GPUs costs nothing: without a request there is no efficiency. */
const GPU: Efficiency = { usage: 'gpuUsageHours', request: 'gpuRequestHours', cost: 'none' };
const TOTAL_EFFICIENCY: Formula = { kind: 'meanEfficiency', of: [CPU, RAM] };

function measure(column: string): Field {
  const unit = MEASURES.find((m) => m.column === column)?.unit ?? '';
  return { json: column, unit, formula: { kind: 'measure', column } };
}

/** The average of a column of unit × hours while running. */
function average(json: string, unit: string, column: string): Field {
  return { json, unit, formula: { kind: 'average', column } };
}

/** The numbers of a row, in the order clients know. */
export const FIELDS: readonly Field[] = [
  { json: 'minutes', unit: 'min', formula: { kind: 'minutes' } },
  average('cpuCores', 'core', 'cpuCoreHours'),
  average('cpuCoreRequestAverage', 'core', 'cpuCoreRequestHours'),
  average('cpuCoreUsageAverage', 'core', 'cpuCoreUsageHours'),
  measure('cpuCoreHours'),
  measure('cpuCost'),
  measure('cpuCostAdjustment'),
  measure('cpuCostIdle'),
  { json: 'cpuEfficiency', unit: '1', formula: { kind: 'efficiency', of: CPU } },
  average('gpuCount', 'GPU', 'gpuHours'),
  average('gpuRequestAverage', 'GPU', 'gpuRequestHours'),
  average('gpuUsageAverage', 'GPU', 'gpuUsageHours'),
  measure('gpuHours'),
  measure('gpuCost'),
  measure('gpuCostAdjustment'),
  measure('gpuCostIdle'),
  { json: 'gpuEfficiency', unit: '1', formula: { kind: 'efficiency', of: GPU } },
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
  measure('ramCostIdle'),
  { json: 'ramEfficiency', unit: '1', formula: { kind: 'efficiency', of: RAM } },
  measure('sharedCost'),
  measure('externalCost'),
  { json: 'totalCost', unit: 'USD', formula: TOTAL_COST },
  { json: 'totalEfficiency', unit: '1', formula: TOTAL_EFFICIENCY },
];

/** A column of the CSV that clients know. */
export interface SummaryColumn {
  readonly csv: string;
  readonly unit: string;
  readonly formula: Formula;
}

/** A cost with its adjustment, where it has one. */
function adjustedCost(column: string): Formula {
  return { kind: 'sum', columns: [column, `${column}Adjustment`] };
}

function adjusted(csv: string, column: string): SummaryColumn {
  return { csv, unit: 'USD', formula: adjustedCost(column) };
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
  { csv: 'Efficiency', unit: '1', formula: TOTAL_EFFICIENCY },
  { csv: 'Total', unit: 'USD', formula: TOTAL_COST },
];

/** A cost with its adjustment, under its own name. */
function folded(json: string): Field {
  return { json, unit: 'USD', formula: adjustedCost(json) };
}

/** The numbers of a row's summary, in the order clients know: adjustments are in the costs. */
export const SUMMARY_FIELDS: readonly Field[] = [
  average('cpuCoreRequestAverage', 'core', 'cpuCoreRequestHours'),
  average('cpuCoreUsageAverage', 'core', 'cpuCoreUsageHours'),
  folded('cpuCost'),
  measure('cpuCostIdle'),
  folded('gpuCost'),
  measure('gpuCostIdle'),
  folded('networkCost'),
  folded('loadBalancerCost'),
  folded('pvCost'),
  average('ramByteRequestAverage', 'byte', 'ramByteRequestHours'),
  average('ramByteUsageAverage', 'byte', 'ramByteUsageHours'),
  folded('ramCost'),
  measure('ramCostIdle'),
  measure('sharedCost'),
  measure('externalCost'),
  { json: 'totalEfficiency', unit: '1', formula: TOTAL_EFFICIENCY },
  { json: 'totalCost', unit: 'USD', formula: TOTAL_COST },
];

/** The costs that depend on samples; columns of what they are by all samples, at least and at most. */
export const SAMPLED_COSTS = ['cpuCost', 'ramCost', 'gpuCost'] as const;
export const SAMPLED_BOUNDS = ['sampledCost', 'sampledCostLeast', 'sampledCostMost'] as const;

/**
 * What is billed as a fraction of what was: how far the cost of CPU, RAM and GPU is off because of the
 * resolution. All samples are read, so what it was is known but for what lies between samples: the ends
 * of a life, gaps and restarts; there its usage counts as at most the largest that was seen
 * (sampled-costs.ts). Bounds of several rows add up, with those of containers that no point saw. NaN when
 * nothing was billed or nothing is known, Infinity where there is no bound.
 */
export const ACCURACY: Readonly<Record<'lower' | 'upper', Formula>> = {
  lower: { kind: 'quotient', columns: SAMPLED_COSTS, by: 'sampledCostMost' },
  upper: { kind: 'quotient', columns: SAMPLED_COSTS, by: 'sampledCostLeast' },
};

/** How far off the end can be, in seconds. */
export const END_UNCERTAINTY: Formula = {
  kind: 'quotient',
  columns: ['endUncertaintyMs'],
  by: 1000,
};

/** Maxima shown only for rows that are neither aggregated nor accumulated. */
export const RAW_FIELDS: readonly Field[] = [
  measure('cpuCoreUsageMax'),
  measure('ramByteUsageMax'),
];

/** Parts of the name of a row that is not aggregated. */
export const NAME_PARTS: readonly IdentityColumn[] = [
  'cluster',
  'node',
  'namespace',
  'pod',
  'container',
];
