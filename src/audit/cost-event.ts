/** Cost event of the audit: a workload that was added or deleted, and its cost a month. */
import { monthlyCost, type Amounts, type MonthlyCost } from '../prediction/index.ts';
import { formatQuantity } from '../query/index.ts';
import type { AuditedWorkload } from './workload.ts';

export type EventType = 'add' | 'delete';
export type ResourceType = 'deployment' | 'statefulset';

export interface CostEvent {
  readonly eventType: EventType;
  readonly resourceType: ResourceType;
  /** RFC 3339 in UTC, with nanoseconds. */
  readonly timestamp: string;
  readonly properties: {
    readonly cluster: string;
    readonly name: string;
    readonly namespace: string;
  };
  /** Quantities of all replicas. */
  readonly totalRequests: { readonly cpu: string; readonly memory: string };
  readonly resourceCosts: {
    readonly costPerCPUCoreHour: number;
    readonly costPerRAMByteHour: number;
    readonly costPerGPUHour: number;
  };
  /** USD a month of the workload; not negative when it was deleted. */
  readonly costPrediction: Pick<
    MonthlyCost,
    'totalMonthlyRate' | 'cpuMonthlyRate' | 'ramMonthlyRate' | 'gpuMonthlyRate'
  >;
}

const NANOS = 1e9;
const MILLI = 1_000_000n;
const MIB = 2n ** 20n * 1_000_000_000n;

export interface Observed {
  readonly eventType: EventType;
  readonly resourceType: ResourceType;
  /** Unix nanoseconds. */
  readonly atNs: bigint;
  readonly cluster: string;
  readonly workload: AuditedWorkload;
}

/** @param prices USD for an hour of a core, a byte and a GPU */
export function costEvent(
  { eventType, resourceType, atNs, cluster, workload }: Observed,
  prices: Amounts,
): CostEvent {
  const { namespace, name, cpuNanos, ramNanos, gpus } = workload;
  const amounts = { cpuCores: Number(cpuNanos) / NANOS, ramBytes: Number(ramNanos) / NANOS, gpus };
  const { totalMonthlyRate, cpuMonthlyRate, ramMonthlyRate, gpuMonthlyRate } = monthlyCost(
    amounts,
    prices,
  );
  return {
    eventType,
    resourceType,
    timestamp: timestampOf(atNs),
    properties: { cluster, name, namespace },
    totalRequests: { cpu: cpuText(cpuNanos), memory: memoryText(ramNanos) },
    resourceCosts: {
      costPerCPUCoreHour: prices.cpuCores,
      costPerRAMByteHour: prices.ramBytes,
      costPerGPUHour: prices.gpus,
    },
    costPrediction: { totalMonthlyRate, cpuMonthlyRate, ramMonthlyRate, gpuMonthlyRate },
  };
}

/** In whole millicores where that is exact, as `1500m`. */
function cpuText(nanos: bigint): string {
  return nanos % MILLI === 0n ? `${nanos / MILLI}m` : formatQuantity(nanos, 'decimal');
}

/** In whole mebibytes where that is exact, as `32Mi`. */
function memoryText(nanos: bigint): string {
  return nanos % MIB === 0n ? `${nanos / MIB}Mi` : formatQuantity(nanos, 'binary');
}

function timestampOf(ns: bigint): string {
  const seconds = new Date(Number(ns / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(ns % 1_000_000_000n).padStart(9, '0')}Z`;
}
