/** Predicts the cost of a workload from its manifest and its past. */
import { BYTES_PER_GIB, type PriceBook } from '../pricing/index.ts';
import { HOURS_PER_MONTH } from '../query/index.ts';
import type { Past, Sums } from './past.ts';
import { amountsOf, type Amounts, type Workload } from './workload.ts';

/** Costs as answered. */
export interface MonthlyCost {
  readonly totalMonthlyRate: number;
  readonly cpuMonthlyRate: number;
  readonly ramMonthlyRate: number;
  readonly gpuMonthlyRate: number;
  readonly monthlyCPUCoreHours: number;
  readonly monthlyRAMByteHours: number;
  readonly monthlyGPUHours: number;
}

export interface Prediction {
  readonly namespace: string;
  readonly controllerKind: string;
  readonly controllerName: string;
  readonly costBefore: MonthlyCost;
  readonly costAfter: MonthlyCost;
  readonly costChange: MonthlyCost;
}

export interface Known {
  /** Past usage and allocation; null: the workload is new. */
  readonly usage: Past | null;
  /** Past costs of the workload, and of its whole cluster; the first one that gives a price counts. */
  readonly costs: readonly (Sums | null)[];
  readonly book: PriceBook;
}

/**
 * Hours = replicas × the larger of request and average usage × 730; before = past allocation, scaled to
 * 730 hours. Both have the same prices, so that a change of cost is a change of amounts, as in Kubecost's
 * spec cost prediction.
 */
export function predictWorkload(workload: Workload, { usage, costs, book }: Known): Prediction {
  const prices = pricesOf(costs, book);
  const perPod = amountsOf((resource) =>
    workload.containers.reduce((sum, { name, requests }) => {
      const used = usage?.usageOf[name]?.[resource] ?? 0;
      return sum + Math.max(requests[resource], used);
    }, 0),
  );
  const before = amountsOf((resource) =>
    usage === null ? 0 : (usage.hours[resource] / usage.livedHours) * HOURS_PER_MONTH,
  );
  const after = amountsOf((resource) => workload.replicas * perPod[resource] * HOURS_PER_MONTH);
  return {
    namespace: workload.namespace,
    controllerKind: workload.kind,
    controllerName: workload.name,
    costBefore: costOf(before, prices),
    costAfter: costOf(after, prices),
    costChange: costOf(
      amountsOf((resource) => after[resource] - before[resource]),
      prices,
    ),
  };
}

/** USD for an hour of a core, a byte and a GPU. */
export function pricesOf(costs: readonly (Sums | null)[], book: PriceBook): Amounts {
  const byBook: Amounts = {
    cpuCores: book.cpuCoreHour,
    ramBytes: book.ramGiBHour / BYTES_PER_GIB,
    gpus: book.gpuHour,
  };
  return amountsOf((resource) => {
    const source = costs.find((one) => one !== null && one.hours[resource] > 0);
    return source ? source.usd[resource] / source.hours[resource] : byBook[resource];
  });
}

/** The cost of amounts for a whole month. */
export function monthlyCost(amounts: Amounts, prices: Amounts): MonthlyCost {
  return costOf(
    amountsOf((resource) => amounts[resource] * HOURS_PER_MONTH),
    prices,
  );
}

function costOf(hours: Amounts, prices: Amounts): MonthlyCost {
  const usd = amountsOf((resource) => hours[resource] * prices[resource]);
  return {
    totalMonthlyRate: usd.cpuCores + usd.ramBytes + usd.gpus,
    cpuMonthlyRate: usd.cpuCores,
    ramMonthlyRate: usd.ramBytes,
    gpuMonthlyRate: usd.gpus,
    monthlyCPUCoreHours: hours.cpuCores,
    monthlyRAMByteHours: hours.ramBytes,
    monthlyGPUHours: hours.gpus,
  };
}
