/** Requests that fit what containers used: chosen, ordered and ready to be written, in a worker. */
import {
  createFrame,
  DEMAND,
  DEMAND_FIELDS,
  sketchQuantiles,
  spendHeap,
  type ColumnSpec,
  type Engine,
  type Frame,
  type Owner,
} from '../../columnar/index.ts';
import { HOURS_PER_MONTH, type Filter } from '../../query/index.ts';
import { select } from '../../allocation/stored-rows.ts';
import {
  KEYS,
  openDemand,
  sketchesOf,
  textTable,
  METADATA,
  type Demand,
  type DemandAt,
} from '../demand/demand-at.ts';
import { inOrder } from './order.ts';
import {
  recommendations,
  RECOMMENDED_NUMBERS,
  type RecommendedNumbers,
} from './requests-and-savings.ts';
import { compileForms, type Forms, type RowForm } from './row-forms.ts';
import { columnOf, type Sizing } from './sizing-rules.ts';

export interface RecommendInput {
  readonly demand: DemandAt;
  readonly sizing: Sizing;
  /** Filter by columns of demand; null: all. */
  readonly filter: Filter | null;
  /** Whether demand tells which rows are meant. */
  readonly isFiltered: boolean;
  /** Hours with data of each cluster. */
  readonly dataHours: readonly (readonly [cluster: string, hours: number])[];
  readonly forms: readonly RowForm[];
  readonly isLabelled: boolean;
  readonly owner: Owner;
  readonly keeper: Owner;
}

export interface RecommendedPage {
  /** Programs that write the rows of the page. */
  readonly forms: Forms;
  readonly rows: number;
  /** Recommendations of all pages. */
  readonly count: number;
  readonly totalMonthlyUsd: number;
  readonly gpuMonthlyUsd: number;
  /** Containers without known usage. */
  readonly withoutUsage: number;
  /** Containers that request GPUs of which no usage is known. */
  readonly withoutGpuUsage: number;
}

/** What is needed to recommend, without pages of it. */
export type RecommendedInput = Pick<RecommendInput, 'demand' | 'sizing' | 'filter' | 'isFiltered' | 'dataHours' | 'owner'>; // prettier-ignore

interface Recommended {
  readonly demand: Demand;
  /** Rows of demand with a recommendation. */
  readonly places: Uint32Array;
  readonly withoutUsage: number;
  readonly all: RecommendedNumbers;
}

function recommendedOf(engine: Engine, input: RecommendedInput): Recommended {
  const demand = openDemand(engine, input.demand);
  const cpu = needOf(engine, input, demand, 'cpu');
  const ram = needOf(engine, input, demand, 'ram');
  const { places, withoutUsage } = placesOf(demand, input, cpu, ram);
  const months = monthsOf(demand, new Map(input.dataHours));
  const all = recommendations(demand.records, places, { cpu, ram, months }, input.sizing);
  return { demand, places, withoutUsage, all };
}

/** What the requests of a controller save together. */
export interface ControllerSavings {
  readonly cluster: string;
  readonly namespace: string;
  readonly controllerKind: string;
  readonly controllerName: string;
  /** USD a month, of GPUs too; below 0 where requests are raised. */
  readonly usdPerMonth: number;
}

const CONTROLLER_BYTES = 400;

/** @throws {HeapFull} */
export function savingsByController(engine: Engine, input: RecommendedInput): ControllerSavings[] {
  const { demand, places, all } = recommendedOf(engine, input);
  const columns = ['cluster', 'namespace', 'controllerKind', 'controller'].map((name) =>
    demand.codes(name),
  );
  const sums = new Map<string, { readonly codes: readonly number[]; usd: number }>();
  places.forEach((place, i) => {
    const codes = columns.map((column) => column[place] ?? 0);
    const key = codes.join();
    const sum = sums.get(key) ?? { codes, usd: 0 };
    if (!sums.has(key)) spendHeap(CONTROLLER_BYTES);
    sums.set(key, sum);
    const [total = NaN, gpu = NaN] = [all.totalMonthlyUsd[i], all.gpuMonthlyUsd[i]];
    sum.usd += (Number.isNaN(total) ? 0 : total) + (Number.isNaN(gpu) ? 0 : gpu);
  });
  return Array.from(sums.values(), ({ codes, usd: usdPerMonth }) => {
    const [cluster = '', namespace = '', controllerKind = '', controllerName = ''] = codes.map(
      (code) => demand.texts.text(code),
    );
    return { cluster, namespace, controllerKind, controllerName, usdPerMonth };
  });
}

/** @throws {ArenaFull} */
export function recommend(engine: Engine, input: RecommendInput): RecommendedPage {
  const { sizing, keeper, owner } = input;
  const { demand, places, withoutUsage, all } = recommendedOf(engine, input);
  const page = inOrder(all, sizing);
  const frame = pageFrame(engine, keeper, page.length);
  for (const name of [...KEYS, ...METADATA]) {
    const [codes, to] = [demand.codes(name), frame.u32(name)];
    page.forEach((i, row) => (to[row] = codes[places[i] ?? 0] ?? 0));
  }
  for (const name of RECOMMENDED_NUMBERS) {
    const [from, to] = [all[name], frame.f64(name)];
    page.forEach((i, row) => (to[row] = from[i] ?? 0));
  }
  const totals = {
    totalMonthlyUsd: sumOf(all.totalMonthlyUsd),
    gpuMonthlyUsd: sumOf(all.gpuMonthlyUsd),
  };
  const withoutGpuUsage = all.gpuLatest.reduce(
    (sum, devices, i) => (devices > 0 && Number.isNaN(all.gpuAverage[i]) ? sum + 1 : sum),
    0,
  );
  const count = places.length;
  const forms = compileForms(engine, { frame, texts: demand.texts, owner, keeper }, input);
  return { forms, rows: page.length, count, ...totals, withoutUsage, withoutGpuUsage };
}

/** NaN is none. */
function sumOf(usd: Float64Array): number {
  return usd.reduce((sum, each) => (Number.isNaN(each) ? sum : sum + each), 0);
}

function pageFrame({ arena }: Engine, keeper: Owner, rows: number): Frame {
  const specs = [
    ...[...KEYS, ...METADATA].map((name): ColumnSpec => ({ name, type: 'u32' })),
    ...RECOMMENDED_NUMBERS.map((name): ColumnSpec => ({ name, type: 'f64' })),
  ];
  return createFrame(arena, specs, rows, keeper);
}

/** Cores or bytes a row; NaN where nothing is known. */
function needOf(
  engine: Engine,
  { demand: at, sizing, owner }: RecommendedInput,
  { rows, records }: Demand,
  resource: 'cpu' | 'ram',
): Float64Array {
  const rule = sizing[resource];
  const column = columnOf(rule, resource);
  if (column !== null) return sketchQuantiles(engine, owner, sketchesOf(at, column), rule.q);
  const { largest } = DEMAND[resource];
  const need = new Float64Array(rows);
  for (let row = 0; row < rows; row++) need[row] = records[row * DEMAND_FIELDS + largest] ?? NaN;
  return need;
}

/** Selected rows with known usage. */
function placesOf(
  demand: Demand,
  { filter, isFiltered }: RecommendedInput,
  cpu: Float64Array,
  ram: Float64Array,
): { places: Uint32Array; withoutUsage: number } {
  const selected = filter && select(textTable(demand), filter);
  const places = new Uint32Array(demand.rows);
  let count = 0;
  let withoutUsage = 0;
  for (let row = 0; row < demand.rows; row++) {
    if (isFiltered && demand.records[row * DEMAND_FIELDS + DEMAND.isSelected] !== 1) continue;
    if (selected !== null && !selected.has(row)) continue;
    if (Number.isNaN(cpu[row]) || Number.isNaN(ram[row])) withoutUsage++;
    else places[count++] = row;
  }
  return { places: places.subarray(0, count), withoutUsage };
}

/** Months per hour of data of each row's cluster: 730 h over its hours. */
function monthsOf(demand: Demand, dataHours: ReadonlyMap<string, number>): Float64Array {
  const codes = demand.codes('cluster');
  const byCode = new Map<number, number>();
  return Float64Array.from(codes, (code) => {
    const known = byCode.get(code);
    if (known !== undefined) return known;
    const hours = dataHours.get(demand.texts.text(code)) ?? 0;
    const months = hours > 0 ? HOURS_PER_MONTH / hours : 0;
    byCode.set(code, months);
    return months;
  });
}
