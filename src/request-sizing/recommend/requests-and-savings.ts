/**
 * The recommended request of a container, and its savings:
 *
 *   request   max(need / target utilization, floor), CPU up to whole millicores, RAM to whole MiB
 *   savings   (allocated - request) x hours x price over all runs, x 730 h / hours with data
 *
 * Hours with data are those in which the cluster was seen: so a job that ran for an hour of a day
 * saves what an hour a day costs. Negative where the request is raised.
 */
import { DEMAND, DEMAND_FIELDS } from '../../columnar/index.ts';
import { GPU_NUMBERS, gpusOf } from './gpus.ts';
import type { Rule, Sizing } from './sizing-rules.ts';

export const RECOMMENDED_NUMBERS = [
  'cpuMillicores',
  'cpuLatestMillicores',
  'cpuAverageMillicores',
  'cpuMaxMillicores',
  'cpuEfficiency',
  'cpuMonthlyUsd',
  'ramMib',
  'ramLatestMib',
  'ramAverageMib',
  'ramMaxMib',
  'ramEfficiency',
  'ramMonthlyUsd',
  'totalEfficiency',
  'totalMonthlyUsd',
  'gpuLatest',
  'gpuAverage',
  'gpuLargestAverage',
  'gpuEfficiency',
  'gpuNeeded',
  'gpuRecommended',
  'gpuMonthlyUsd',
] as const;
export type RecommendedNumber = (typeof RECOMMENDED_NUMBERS)[number];
export type RecommendedNumbers = Readonly<Record<RecommendedNumber, Float64Array>>;

/** Shown units of a core, and of a byte. */
const MILLICORES = 1000;
const MIB = 2 ** -20;
/** Quotients such as 0.1 / 0.8 may be a rounding error above a whole number. */
const ROUNDING = 1 - 1e-12;

export interface Need {
  /** Cores and bytes of each row of demand. */
  readonly cpu: Float64Array;
  readonly ram: Float64Array;
  /** How many times the data of its cluster make a month. */
  readonly months: Float64Array;
}

/**
 * @param records of demand
 * @param places rows of demand
 * @returns a number for each place
 */
export function recommendations(
  records: Float64Array,
  places: Uint32Array,
  { cpu, ram, months }: Need,
  sizing: Sizing,
): RecommendedNumbers {
  const columns = RECOMMENDED_NUMBERS.map((name) => [name, new Float64Array(places.length)]);
  const out = Object.fromEntries(columns) as RecommendedNumbers;
  for (let i = 0; i < places.length; i++) {
    const row = places[i] ?? 0;
    const at = row * DEMAND_FIELDS;
    const month = months[row] ?? 0;
    const isByRun = sizing.savings === 'byRun';
    const cores = requestFor(cpu[row] ?? 0, sizing.cpu, MILLICORES);
    const bytes = requestFor(ram[row] ?? 0, sizing.ram, MIB);
    const cpuUsd = month * saved(records, at, DEMAND.cpu, cores / MILLICORES, isByRun);
    const ramUsd = month * saved(records, at, DEMAND.ram, bytes / MIB, isByRun);
    const cpuEfficiency = efficiency(records, at, DEMAND.cpu);
    const ramEfficiency = efficiency(records, at, DEMAND.ram);
    const cpuCost = records[at + DEMAND.cpu.cost] ?? 0;
    const ramCost = records[at + DEMAND.ram.cost] ?? 0;
    out.cpuMillicores[i] = cores;
    out.cpuLatestMillicores[i] = Math.round((records[at + DEMAND.cpu.latest] ?? 0) * MILLICORES);
    out.cpuAverageMillicores[i] = Math.round(average(records, at, DEMAND.cpu) * MILLICORES);
    out.cpuMaxMillicores[i] = Math.round((records[at + DEMAND.cpu.largest] ?? 0) * MILLICORES);
    out.cpuEfficiency[i] = cpuEfficiency;
    out.cpuMonthlyUsd[i] = cpuUsd;
    out.ramMib[i] = bytes;
    out.ramLatestMib[i] = Math.round((records[at + DEMAND.ram.latest] ?? 0) * MIB);
    out.ramAverageMib[i] = Math.round(average(records, at, DEMAND.ram) * MIB);
    out.ramMaxMib[i] = Math.round((records[at + DEMAND.ram.largest] ?? 0) * MIB);
    out.ramEfficiency[i] = ramEfficiency;
    out.ramMonthlyUsd[i] = ramUsd;
    const weighted = cpuEfficiency * cpuCost + ramEfficiency * ramCost;
    out.totalEfficiency[i] = quotient(weighted, cpuCost + ramCost);
    out.totalMonthlyUsd[i] = cpuUsd + ramUsd;
    const gpus = gpusOf(
      records,
      row,
      sizing.gpuTargetUtilization,
      (devices) => month * saved(records, at, DEMAND.gpu, devices, isByRun),
    );
    for (const name of GPU_NUMBERS) out[name][i] = gpus?.[name] ?? NaN;
  }
  return out;
}

/** Places of a resource's fields in a record. */
type Fields = (typeof DEMAND)['cpu'];

/** In millicores or MiB, whole. */
function requestFor(need: number, rule: Rule, perUnit: number): number {
  const wanted = Math.max(need / rule.targetUtilization, rule.floor);
  return Math.ceil(wanted * perUnit * ROUNDING);
}

/** USD over the data, were the request another; at the price of each run, or the average one. */
function saved(
  records: Float64Array,
  at: number,
  fields: Fields,
  request: number,
  isByRun: boolean,
): number {
  const cost = records[at + fields.cost] ?? 0;
  if (isByRun) return cost - request * (records[at + fields.priceHours] ?? 0);
  const price = quotient(cost, records[at + fields.amount] ?? 0);
  return cost - request * (records[at + DEMAND.hours] ?? 0) * price;
}

/** Usage over request; without a request 1 for what is used and costs, else 0. */
function efficiency(records: Float64Array, at: number, fields: Fields): number {
  const used = records[at + fields.usage] ?? 0;
  const requested = records[at + fields.request] ?? 0;
  if (requested > 0) return used / requested;
  return used > 0 && (records[at + fields.cost] ?? 0) > 0 ? 1 : 0;
}

function average(records: Float64Array, at: number, fields: Fields): number {
  return quotient(records[at + fields.usage] ?? 0, records[at + DEMAND.hours] ?? 0);
}

function quotient(value: number, by: number): number {
  return by > 0 ? value / by : 0;
}
