/**
 * Requests that fit what containers used, and what a month of them saves.
 *
 *   request   max(need / target utilization, floor), CPU up to whole millicores, RAM to whole MiB
 *   savings   (allocated - request) x hours x price over all runs, x 730 h / hours with data
 *
 * Hours with data are those in which the cluster was seen: so a job that ran for an hour of a day
 * saves what an hour a day costs. Negative where the request is raised.
 */
import {
  createFrame,
  sketchQuantiles,
  type ColumnSpec,
  type Engine,
  type Owner,
  type Table,
} from '../columnar/index.ts';
import type { Filter } from '../query/index.ts';
import { select } from '../allocation/stored-rows.ts';
import type { DemandAt, DemandNumber } from './demand-columns.ts';
import { inOrder } from './order.ts';
import { RECOMMENDED_NUMBERS, type Recommended, type RecommendedNumber } from './recommended.ts';
import { columnOf, type Rule, type Sizing } from './sizing.ts';
import { openDemand, sketchesOf } from './sum-demand.ts';

const MONTH_HOURS = 730;
const MIB = 2 ** 20;
/** Quotients such as 0.1 / 0.8 may be a rounding error above a whole number. */
const ROUNDING = 1 - 1e-12;

export interface RecommendInput {
  readonly demand: DemandAt;
  readonly sizing: Sizing;
  /** Of columns of demand; null: all. */
  readonly filter: Filter | null;
  /** Hours with data of each cluster. */
  readonly dataHours: readonly (readonly [cluster: string, hours: number])[];
  readonly owner: Owner;
  readonly keeper: Owner;
}

/** @throws {ArenaFull} */
export function recommend(engine: Engine, input: RecommendInput): Recommended {
  const { demand, sizing, filter, keeper } = input;
  const table = openDemand(engine, demand);
  const needs = {
    cpu: needOf(engine, input, table, 'cpu'),
    ram: needOf(engine, input, table, 'ram'),
  };
  const isMeant = table.numbers('isMeant')?.values;
  const rows = filter && select(table, filter);
  const places: number[] = [];
  let withoutUsage = 0;
  for (let row = 0; row < table.rows; row++) {
    if (isMeant?.[row] === 0 || rows?.has(row) === false) continue;
    if (Number.isNaN(needs.cpu[row]) || Number.isNaN(needs.ram[row])) withoutUsage++;
    else places.push(row);
  }
  const all = numbersOf(table, places, needs, input);
  const { page, byName } = inOrder(table, Uint32Array.from(places), all, sizing);
  const specs = [
    ...['place', 'byName'].map((name): ColumnSpec => ({ name, type: 'u32' })),
    ...RECOMMENDED_NUMBERS.map((name): ColumnSpec => ({ name, type: 'f64' })),
  ];
  const frame = createFrame(engine.arena, specs, page.length, keeper);
  frame.u32('place').set(page.map((i) => places[i] ?? 0));
  frame.u32('byName').set(byName);
  for (const name of RECOMMENDED_NUMBERS) {
    const [from, to] = [all[name], frame.f64(name)];
    page.forEach((i, row) => (to[row] = from[i] ?? 0));
  }
  const totalMonthlyUsd = all.totalMonthlyUsd.reduce((sum, usd) => sum + usd, 0);
  const { address } = frame;
  return { frame: address, rows: page.length, count: places.length, totalMonthlyUsd, withoutUsage };
}

/** Cores or bytes a row; NaN where nothing is known. */
function needOf(
  engine: Engine,
  { demand, sizing, owner }: RecommendInput,
  table: Table,
  resource: 'cpu' | 'ram',
): Float64Array {
  const rule = sizing[resource];
  const column = columnOf(rule, resource);
  if (column !== null) return sketchQuantiles(engine, owner, sketchesOf(demand, column), rule.q);
  const name: DemandNumber = resource === 'cpu' ? 'cpuCoreUsageMax' : 'ramByteUsageMax';
  return table.numbers(name)?.values ?? new Float64Array(table.rows).fill(NaN);
}

type Numbers = Record<RecommendedNumber, Float64Array>;

function numbersOf(
  table: Table,
  places: readonly number[],
  needs: Readonly<Record<'cpu' | 'ram', Float64Array>>,
  { sizing, dataHours }: RecommendInput,
): Numbers {
  const months = monthsOf(table, new Map(dataHours));
  const of = (resource: 'cpu' | 'ram', unit: 'Core' | 'Byte', perUnit: number): Resource =>
    resourceOf(table, places, { resource, unit, perUnit, sizing, months, need: needs[resource] });
  const cpu = of('cpu', 'Core', 1000);
  const ram = of('ram', 'Byte', 1 / MIB);
  const usd = (i: number): number => (cpu.monthlyUsd[i] ?? 0) + (ram.monthlyUsd[i] ?? 0);
  const cost = (i: number): number => (cpu.cost[i] ?? 0) + (ram.cost[i] ?? 0);
  const weighted = (i: number, { efficiency, cost: own }: Resource): number =>
    (efficiency[i] ?? 0) * (own[i] ?? 0);
  const each = (value: (i: number) => number): Float64Array =>
    Float64Array.from(places, (_, i) => value(i));
  return {
    cpuMillicores: cpu.recommended,
    ramMib: ram.recommended,
    cpuLatestMillicores: cpu.latest,
    ramLatestMib: ram.latest,
    cpuAverageMillicores: cpu.average,
    ramAverageMib: ram.average,
    cpuMaxMillicores: cpu.max,
    ramMaxMib: ram.max,
    cpuEfficiency: cpu.efficiency,
    ramEfficiency: ram.efficiency,
    totalEfficiency: each((i) => quotient(weighted(i, cpu) + weighted(i, ram), cost(i))),
    cpuMonthlyUsd: cpu.monthlyUsd,
    ramMonthlyUsd: ram.monthlyUsd,
    totalMonthlyUsd: each(usd),
  };
}

/** What of a month the data of each row's cluster is a sample of: 730 h over its hours. */
function monthsOf(table: Table, dataHours: ReadonlyMap<string, number>): Float64Array {
  const column = table.text('cluster');
  const byCode = new Map<number, number>();
  return Float64Array.from({ length: table.rows }, (_, row) => {
    const code = column?.codes[row] ?? 0;
    const known = byCode.get(code);
    if (known !== undefined) return known;
    const months = quotient(MONTH_HOURS, dataHours.get(column?.texts.text(code) ?? '') ?? 0);
    byCode.set(code, months);
    return months;
  });
}

interface ResourceInput {
  readonly resource: 'cpu' | 'ram';
  readonly unit: 'Core' | 'Byte';
  /** What is shown of a core or byte: millicores, MiB. */
  readonly perUnit: number;
  readonly sizing: Sizing;
  readonly months: Float64Array;
  readonly need: Float64Array;
}

interface Resource {
  readonly recommended: Float64Array;
  readonly latest: Float64Array;
  readonly average: Float64Array;
  readonly max: Float64Array;
  readonly efficiency: Float64Array;
  readonly cost: Float64Array;
  readonly monthlyUsd: Float64Array;
}

function resourceOf(
  table: Table,
  places: readonly number[],
  { resource, unit, perUnit, sizing, months, need }: ResourceInput,
): Resource {
  const column = (name: string): Float64Array =>
    table.numbers(name)?.values ?? new Float64Array(table.rows);
  const each = (value: (row: number) => number): Float64Array => Float64Array.from(places, value);
  const hours = column('hours');
  const allocated = column(`${resource}${unit}Hours`);
  const used = column(`${resource}${unit}UsageHours`);
  const requested = column(`${resource}${unit}RequestHours`);
  const costs = column(`${resource}Cost`);
  const priceHours = column(`${resource}PriceHours`);
  const latest = column(`${resource}${unit}Request`);
  const largest = column(`${resource}${unit}UsageMax`);
  const recommended = each((row) => requestFor(need[row] ?? 0, sizing[resource], perUnit));
  const saved = (row: number, i: number): number => {
    const request = (recommended[i] ?? 0) / perUnit;
    const cost = costs[row] ?? 0;
    if (sizing.savings === 'byRun') return cost - request * (priceHours[row] ?? 0);
    return cost - request * (hours[row] ?? 0) * quotient(cost, allocated[row] ?? 0);
  };
  return {
    recommended,
    latest: each((row) => Math.round((latest[row] ?? 0) * perUnit)),
    average: each((row) => Math.round(quotient(used[row] ?? 0, hours[row] ?? 0) * perUnit)),
    max: each((row) => Math.round((largest[row] ?? 0) * perUnit)),
    efficiency: each((row) => {
      if ((requested[row] ?? 0) > 0) return (used[row] ?? 0) / (requested[row] ?? 0);
      return (used[row] ?? 0) > 0 && (costs[row] ?? 0) > 0 ? 1 : 0;
    }),
    cost: each((row) => costs[row] ?? 0),
    monthlyUsd: Float64Array.from(places, (row, i) => saved(row, i) * (months[row] ?? 0)),
  };
}

/** In millicores or MiB, whole. */
function requestFor(need: number, rule: Rule, perUnit: number): number {
  const wanted = Math.max(need / rule.targetUtilization, rule.floor);
  return Math.ceil(wanted * perUnit * ROUNDING);
}

function quotient(value: number, by: number): number {
  return by > 0 ? value / by : 0;
}
