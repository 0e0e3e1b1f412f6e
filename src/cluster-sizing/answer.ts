/** A recommendation as JSON; fields that Kubecost's interface does not have come last. */
import { BYTES_PER_GIB, typeRates, type NodeType, type PriceBook } from '../pricing/index.ts';
import { HOURS_PER_MONTH } from '../query/index.ts';
import { gapOf, nodesOf, type Choice, type NodePool } from './choice.ts';
import { RESOURCES, type Demand, type NodeResource } from './demand.ts';

interface Context {
  readonly demand: Demand;
  readonly monthlyRate: number;
  /** Its prices give the ratio by which a machine's price is divided. */
  readonly book: PriceBook;
}

/** A recommendation as clients read it. */
export interface RecommendedNodes {
  /** USD. */
  readonly monthlySavings: number;
  readonly [field: string]: unknown;
}

/** @returns null without a choice */
export function recommendationJson(
  choice: Choice | undefined,
  context: Context,
): RecommendedNodes | null {
  if (choice === undefined) return null;
  const { pools } = choice;
  const { total, perNode } = context.demand;
  const nodes = nodesOf(pools);
  const required = (resource: NodeResource): number =>
    total[resource] + perNode[resource] * nodes.length;
  const provided = (resource: NodeResource): number =>
    pools.reduce((sum, { machine, count }) => sum + count * machine.type[resource], 0);
  const overhead = (resource: NodeResource): number =>
    nodes.reduce((sum, machine) => sum + machine.overhead[resource], 0);
  const [cpu, ram, gpu] = RESOURCES.map((resource) => {
    const all = provided(resource);
    const part = all > 0 ? required(resource) / all : 0;
    return { required: required(resource), total: all, part, overhead: overhead(resource) };
  });
  const totalMonthlyCost = pools.reduce((sum, pool) => sum + monthly(pool), 0);
  const gap = gapOf(choice);
  return {
    pools: pools.map((pool) => poolJson(pool, context.book)),
    nodeCount: nodes.length,
    monthlySavings: context.monthlyRate - totalMonthlyCost,
    totalMonthlyCost,
    requiredRAMGB: ram?.required,
    totalRAMGB: ram?.total,
    utilizationRAMGB: ram?.part,
    requiredVCPUs: cpu?.required,
    totalVCPUs: cpu?.total,
    utilizationVCPUs: cpu?.part,
    ...(gpu && gpu.required > 0 ? { requiredGPUs: gpu.required, totalGPUs: gpu.total } : {}),
    overheadRAMGB: ram?.overhead,
    overheadVCPUs: cpu?.overhead,
    isOptimal: gap === 0,
    optimalityGap: gap,
  };
}

function monthly({ machine, count }: NodePool): number {
  return count * machine.type.usdPerHour * HOURS_PER_MONTH;
}

function poolJson(pool: NodePool, book: PriceBook): object {
  const { machine, count } = pool;
  const { type, overhead, podsMax } = machine;
  return {
    type: typeJson(type, book),
    count,
    totalMonthlyCost: monthly(pool),
    totalRAMGB: count * type.ramGiB,
    totalVCPUs: count * type.cpuCores,
    podsPerNode: podsMax,
    overheadRAMGBPerNode: overhead.ramGiB,
    overheadVCPUsPerNode: overhead.cpuCores,
  };
}

/** Spot fields are null where no spot price is known. */
function typeJson(type: NodeType, book: PriceBook): object {
  const rates = typeRates(type, false, book);
  const spot = typeRates(type, true, book);
  return {
    provider: type.provider,
    name: type.name,
    vCPUs: type.cpuCores,
    RAMGB: type.ramGiB,
    hourlyPrice: type.usdPerHour,
    spotHourlyPrice: spot === undefined ? null : type.spotUsdPerHour,
    sharedCore: type.isSharedCore,
    architecture: type.architecture,
    region: type.region,
    pricePerRAMByteHr: rates === undefined ? null : rates.ramGiBHour / BYTES_PER_GIB,
    pricePerCPUCoreHr: rates === undefined ? null : rates.cpuCoreHour,
    spotPricePerRAMByteHr: spot === undefined ? null : spot.ramGiBHour / BYTES_PER_GIB,
    spotPricePerCPUCoreHr: spot === undefined ? null : spot.cpuCoreHour,
    ...(type.gpus > 0 ? { GPUs: type.gpus } : {}),
  };
}
