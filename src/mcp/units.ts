/** Names of numbers that tell their units, for readers who do not know the API. */
import { isFields } from './tool.ts';

/** Names that need another word, not only a unit behind them. */
const RENAMED: Readonly<Record<string, string>> = {
  TotalMonthlySavings: 'totalSavingsUsdPerMonth',
  totalMonthlySavings: 'totalSavingsUsdPerMonth',
  GPUMonthlySavings: 'gpuSavingsUsdPerMonth',
  monthlySavings: 'savingsUsdPerMonth',
  totalSavingsPerMonth: 'totalSavingsUsdPerMonth',
  savingsPerMonth: 'savingsUsdPerMonth',
  savingsPerMonthAlone: 'savingsAloneUsdPerMonth',
  totalMonthlyRate: 'totalUsdPerMonth',
  cpuMonthlyRate: 'cpuUsdPerMonth',
  ramMonthlyRate: 'ramUsdPerMonth',
  gpuMonthlyRate: 'gpuUsdPerMonth',
  monthlyCPUCoreHours: 'cpuCoreHoursPerMonth',
  monthlyRAMByteHours: 'ramByteHoursPerMonth',
  monthlyGPUHours: 'gpuHoursPerMonth',
  costBefore: 'before',
  costAfter: 'after',
  costChange: 'change',
  currentEfficiency: 'currentEfficiencyRatio',
  cpuInMilliCores: 'cpuMillicores',
  memoryInMiB: 'memoryMiB',
  adjustment: 'adjustmentUsd',
  cost: 'costUsd',
  list_unit_price: 'listUnitPriceUsd',
  nodeCosts: 'nodeCostsUsd',
  discount: 'discountRatio',
  preemptible: 'preemptibleRatio',
  local: 'localRatio',
  kubernetesPercent: 'kubernetesRatio',
  cpuBreakdown: 'cpuBreakdownRatio',
  ramBreakdown: 'ramBreakdownRatio',
};

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/(Cost|CostIdle|CostAdjustment)$/, 'Usd'],
  [/(Efficiency|Percent)$/, 'Ratio'],
];

/** Members that are for programs of the API's own clients alone. */
const LEFT_OUT: ReadonlySet<string> = new Set(['code', 'status']);

/** The same value, its numbers unchanged, with units in the names of members that hold them. */
export function withUnits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnits);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [nameOf(name, inner), withUnits(inner)]),
  );
}

/** The members of an answer that tell of costs. */
export function factsOf(answer: unknown, without: readonly string[] = []): Record<string, unknown> {
  if (!isFields(answer)) return {};
  const members = Object.entries(answer);
  return Object.fromEntries(
    members.filter(([name]) => !LEFT_OUT.has(name) && !without.includes(name)),
  );
}

/** Texts keep their names: names of labels and properties may be any. */
function nameOf(name: string, value: unknown): string {
  if (typeof value === 'string') return name;
  const renamed = Object.hasOwn(RENAMED, name) ? RENAMED[name] : undefined;
  if (renamed !== undefined) return renamed;
  if (typeof value !== 'number' && value !== null) return name;
  const [, unit = ''] = UNITS.find(([ending]) => ending.test(name)) ?? [];
  return name + unit;
}
