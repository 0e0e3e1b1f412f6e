/** What a number is made of: lines that add up to the total of a row. */

import { own } from './own.ts';

/** A row as the API tells it: the numbers that the lines are made of. */
export interface DetailRow {
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly minutes: number;
  readonly cpuCoreHours: number;
  readonly cpuCoreRequestAverage: number;
  readonly cpuCoreUsageAverage: number;
  readonly cpuCost: number;
  readonly cpuCostAdjustment: number;
  readonly cpuCostIdle: number;
  readonly gpuHours: number;
  readonly gpuCost: number;
  readonly gpuCostAdjustment: number;
  readonly gpuCostIdle: number;
  readonly ramByteHours: number;
  readonly ramByteRequestAverage: number;
  readonly ramByteUsageAverage: number;
  readonly ramCost: number;
  readonly ramCostAdjustment: number;
  readonly ramCostIdle: number;
  readonly pvByteHours: number;
  readonly pvCost: number;
  readonly pvCostAdjustment: number;
  readonly networkCost: number;
  readonly networkCrossZoneCost: number;
  readonly networkCrossRegionCost: number;
  readonly networkInternetCost: number;
  readonly networkCostAdjustment: number;
  readonly loadBalancerCost: number;
  readonly loadBalancerCostAdjustment: number;
  readonly sharedCost: number;
  readonly externalCost: number;
  readonly totalCost: number;
  readonly totalEfficiency: number;
  readonly priceSource: string | null;
  readonly endSource: string;
  readonly endUncertaintySeconds: number;
  readonly accuracy?: { readonly lower: number | null; readonly upper: number | null };
  /** Null where nothing is shared. */
  readonly sharedCostBreakdown?: Readonly<
    Record<string, { readonly name: string; readonly totalCost: number }>
  > | null;
}

export interface Line {
  readonly what: string;
  /** Hours of the unit; absent: not counted by hours. */
  readonly hours?: number;
  readonly unit?: string;
  /** USD of an hour of the unit. */
  readonly price?: number;
  readonly cost: number;
  /** A part of the line before it, which does not count again. */
  readonly isPart?: boolean;
}

export const GIB: number = 2 ** 30;

/** Lines of a row; those that are no parts add up to its total. */
export function linesOf(row: DetailRow): Line[] {
  return [
    ...metered('CPU', row.cpuCoreHours, 'core h', row.cpuCost, row.cpuCostIdle),
    ...metered('RAM', row.ramByteHours / GIB, 'GiB h', row.ramCost, row.ramCostIdle),
    ...metered('GPU', row.gpuHours, 'GPU h', row.gpuCost, row.gpuCostIdle),
    ...metered('Disks', row.pvByteHours / GIB, 'GiB h', row.pvCost, 0),
    ...plain('Network', row.networkCost),
    ...partsOf([
      ['across zones', row.networkCrossZoneCost],
      ['across regions', row.networkCrossRegionCost],
      ['to the internet', row.networkInternetCost],
    ]),
    ...plain('Load balancers', row.loadBalancerCost),
    ...plain('Shared by others', row.sharedCost),
    ...partsOf(sharers(row)),
    ...plain('External', row.externalCost),
    ...plain('Adjusted to the bill', adjustmentOf(row)),
  ];
}

/** Who shares what with the row. */
function sharers({ sharedCostBreakdown }: DetailRow): [what: string, cost: number][] {
  const all = Object.values(sharedCostBreakdown ?? {});
  return all.map(({ name, totalCost }) => [own(SHARED, name) ?? name, totalCost]);
}

const SHARED: Readonly<Record<string, string>> = {
  clusterManagement: 'management of the cluster',
  attachedDisks: 'disks of nodes',
};

function adjustmentOf(row: DetailRow): number {
  return (
    row.cpuCostAdjustment +
    row.gpuCostAdjustment +
    row.ramCostAdjustment +
    row.pvCostAdjustment +
    row.networkCostAdjustment +
    row.loadBalancerCostAdjustment
  );
}

/** Idle that the row is charged is in its cost, not in its hours. */
function metered(what: string, hours: number, unit: string, cost: number, idle: number): Line[] {
  const used = cost - idle;
  if (cost === 0 && hours === 0) return [];
  const price = hours > 0 ? used / hours : undefined;
  const line: Line = { what, hours, unit, cost: used, ...(price === undefined ? {} : { price }) };
  return idle === 0 ? [line] : [line, { what: `Idle ${what} of its nodes`, cost: idle }];
}

function plain(what: string, cost: number): Line[] {
  return cost === 0 ? [] : [{ what, cost }];
}

function partsOf(parts: readonly (readonly [what: string, cost: number])[]): Line[] {
  return parts
    .filter(([, cost]) => cost !== 0)
    .map(([what, cost]) => ({ what, cost, isPart: true }));
}

/** What the lines come to. */
export function sumOfLines(lines: readonly Line[]): number {
  return lines.reduce((sum, { cost, isPart }) => (isPart === true ? sum : sum + cost), 0);
}
