/** Rows of stored sets as demand. */
import type { BytesColumn, Table } from '../columnar/index.ts';
import { kindsOf, ROW_KINDS, type UsageColumn } from '../allocation/stored-rows.ts';
import type { ClusterSpan, DemandNumber } from './demand-columns.ts';
import type { DemandRows } from './demand-sum.ts';

const HOUR_MS = 3_600_000;

/** Columns of the sets of allocations that are read. */
export const ALLOCATION_NUMBERS: readonly string[] = [
  'startMs',
  'endMs',
  'cpuCoreHours',
  'cpuCoreRequestHours',
  'cpuCoreUsageHours',
  'cpuCost',
  'cpuCostAdjustment',
  'ramByteHours',
  'ramByteRequestHours',
  'ramByteUsageHours',
  'ramCost',
  'ramCostAdjustment',
];

/**
 * Of allocations: containers count; when a cluster was there is told by all rows.
 * @param meant rows that a filter means; null: all
 */
export function allocationDemand(
  table: Table,
  meant: { has(row: number): boolean } | null,
): DemandRows {
  const column = (name: string): Float64Array =>
    table.numbers(name)?.values ?? new Float64Array(table.rows);
  const [starts, ends] = [column('startMs'), column('endMs')];
  const hours = starts.map((startMs, row) => ((ends[row] ?? 0) - startMs) / HOUR_MS);
  const perHour = (values: Float64Array): Float64Array =>
    values.map((value, row) => quotient(value, hours[row] ?? 0));
  const costs = { cpu: costOf(table, 'cpu'), ram: costOf(table, 'ram') };
  const priceHours = (cost: Float64Array, amounts: Float64Array): Float64Array =>
    cost.map((usd, row) => (hours[row] ?? 0) * quotient(usd, amounts[row] ?? 0));
  const made: Partial<Record<DemandNumber, () => Float64Array | undefined>> = {
    hours: () => hours,
    cpuCost: () => costs.cpu,
    ramCost: () => costs.ram,
    cpuPriceHours: () => priceHours(costs.cpu, column('cpuCoreHours')),
    ramPriceHours: () => priceHours(costs.ram, column('ramByteHours')),
    latestEndMs: () => ends,
    latestStartMs: () => starts,
    cpuCoreRequest: () => perHour(column('cpuCoreRequestHours')),
    ramByteRequest: () => perHour(column('ramByteRequestHours')),
    isMeant: () => Float64Array.from(starts, (_, row) => (meant?.has(row) === false ? 0 : 1)),
    // Largest usage is taken from the sets of usage, where it is told from none.
    cpuCoreUsageMax: () => undefined,
    ramByteUsageMax: () => undefined,
  };
  return {
    table,
    kept: Uint8Array.from(kindsOf(table), (kind) => (kind === ROW_KINDS.workload ? 1 : 0)),
    numbers: (name) => (made[name] ?? (() => table.numbers(name)?.values))(),
    clusters: clustersOf(table, starts, ends),
  };
}

/**
 * Of usage: the largest, where it is known.
 * @param counted the column of sketches by which a largest usage of 0 is told from none
 */
export function usageDemand(
  table: Table,
  counted: (column: UsageColumn) => BytesColumn | undefined,
): DemandRows {
  const known = (name: DemandNumber, column: UsageColumn): Float64Array => {
    const values = table.numbers(name)?.values ?? new Float64Array(table.rows);
    if (values.every((value) => value > 0)) return values;
    const offsets = counted(column)?.offsets;
    return values.map((value, row) =>
      value > 0 || (offsets?.[row + 1] ?? 0) > (offsets?.[row] ?? 0) ? value : NaN,
    );
  };
  return {
    table,
    kept: null,
    numbers(name) {
      if (name === 'cpuCoreUsageMax') return known(name, 'cpuCoreHourlyMax');
      return name === 'ramByteUsageMax' ? known(name, 'ramByteHourlyMax') : undefined;
    },
    clusters: [],
  };
}

/** Of demand itself. */
export function sameDemand(table: Table, clusters: readonly ClusterSpan[]): DemandRows {
  return { table, kept: null, numbers: (name) => table.numbers(name)?.values, clusters };
}

function quotient(value: number, by: number): number {
  return by > 0 ? value / by : 0;
}

function costOf(table: Table, resource: 'cpu' | 'ram'): Float64Array {
  const cost = table.numbers(`${resource}Cost`)?.values ?? new Float64Array(table.rows);
  const adjustment = table.numbers(`${resource}CostAdjustment`)?.values;
  return adjustment ? cost.map((usd, row) => usd + (adjustment[row] ?? 0)) : cost;
}

function clustersOf(table: Table, starts: Float64Array, ends: Float64Array): ClusterSpan[] {
  const column = table.text('cluster');
  const spans = new Map<number, { startMs: number; endMs: number }>();
  for (let row = 0; row < table.rows; row++) {
    const code = column?.codes[row] ?? 0;
    const span = spans.get(code) ?? { startMs: Infinity, endMs: -Infinity };
    span.startMs = Math.min(span.startMs, starts[row] ?? Infinity);
    span.endMs = Math.max(span.endMs, ends[row] ?? -Infinity);
    spans.set(code, span);
  }
  return Array.from(spans, ([code, span]) => ({
    cluster: column?.texts.text(code) ?? '',
    ...span,
  }));
}
