/** Recommendations as text, in workers, a stretch of rows at a time. */
import type { Engine, Frame, Owner, Table } from '../columnar/index.ts';
import { csvLine, csvNumber, csvText } from '../export/index.ts';
import { KEYS, TOLD, type DemandAt } from './demand-columns.ts';
import { openRecommended, RECOMMENDED_NUMBERS, type RecommendedNumber } from './recommended.ts';
import { openDemand } from './sum-demand.ts';

/** `controllers` are the same rows in order of their names, those of a controller together. */
export type RowForm = 'recommendations' | 'controllers' | 'csv';

export interface WriteInput {
  readonly demand: DemandAt;
  /** A frame of recommendations (recommend.ts). */
  readonly recommended: number;
  readonly form: RowForm;
  /** Rows [from, to) of the page. */
  readonly from: number;
  readonly to: number;
  readonly isLabelled: boolean;
  readonly owner: Owner;
}

/** Text in the arena. */
export interface WrittenAt {
  readonly address: number;
  readonly bytes: number;
}

/** @returns UTF-8, for `owner`: members of a JSON list with commas between them, or lines */
export function writeRows(engine: Engine, input: WriteInput): WrittenAt {
  const rows = new Rows(engine, input);
  const row = WRITERS[input.form];
  let text = '';
  for (let i = input.from; i < input.to; i++) text += row(rows, i);
  const { arena } = engine;
  const bytes = Buffer.byteLength(text);
  const address = arena.allocate(bytes, input.owner);
  Buffer.from(arena.buffer, address, bytes).write(text);
  return { address, bytes };
}

class Rows {
  readonly count: number;
  readonly isLabelled: boolean;
  readonly #demand: Table;
  readonly #frame: Frame;
  readonly #numbers: Readonly<Record<RecommendedNumber, Float64Array>>;

  constructor(engine: Engine, { demand, recommended, isLabelled }: WriteInput) {
    this.#demand = openDemand(engine, demand);
    this.#frame = openRecommended(engine, recommended);
    this.count = this.#frame.rows;
    this.isLabelled = isLabelled;
    const columns = RECOMMENDED_NUMBERS.map((name) => [name, this.#frame.f64(name)]);
    this.#numbers = Object.fromEntries(columns) as Record<RecommendedNumber, Float64Array>;
  }

  number(name: RecommendedNumber, row: number): number {
    return this.#numbers[name][row] ?? 0;
  }

  /** A quantity of Kubernetes, such as `125m` or `64Mi`. */
  cpu(name: RecommendedNumber, row: number): string {
    return `${this.number(name, row)}m`;
  }

  ram(name: RecommendedNumber, row: number): string {
    return `${this.number(name, row)}Mi`;
  }

  text(name: string, row: number): string {
    const column = this.#demand.text(name);
    const place = this.#frame.u32('place')[row] ?? 0;
    return column?.texts.text(column.codes[place] ?? 0) ?? '';
  }

  /** Of its place by name. */
  byName(i: number): number {
    return this.#frame.u32('byName')[i] ?? 0;
  }
}

const WRITERS: Readonly<Record<RowForm, (rows: Rows, i: number) => string>> = {
  recommendations: (rows, i) => `${i > 0 ? ',' : ''}${recommendation(rows, i)}`,
  controllers: containerOf,
  csv: csvRow,
};

/** As Kubecost's V2 has it. */
function recommendation(rows: Rows, row: number): string {
  const pair = (cpu: RecommendedNumber, ram: RecommendedNumber): string =>
    `{"cpu":"${rows.cpu(cpu, row)}","memory":"${rows.ram(ram, row)}"}`;
  const plain = (cpu: RecommendedNumber, ram: RecommendedNumber): string =>
    `{"cpuInMilliCores":${rows.number(cpu, row)},"memoryInMiB":${rows.number(ram, row)}}`;
  const three = (names: readonly [RecommendedNumber, RecommendedNumber, RecommendedNumber]): string => {
    const [cpu, memory, total] = names.map((name) => String(rows.number(name, row)));
    return `{"cpu":${cpu},"memory":${memory},"total":${total}}`;
  }; // prettier-ignore
  const [cluster, namespace, kind, controller, container] = KEYS.map((name) =>
    JSON.stringify(rows.text(name, row)),
  );
  const told = rows.isLabelled
    ? TOLD.map((name) => `,"${name}":${rows.text(name, row) || '{}'}`).join('')
    : '';
  return (
    `{"clusterID":${cluster},"namespace":${namespace},"controllerKind":${kind}` +
    `,"controllerName":${controller},"containerName":${container}` +
    `,"recommendedRequest":${pair('cpuMillicores', 'ramMib')}` +
    `,"monthlySavings":${three(['cpuMonthlyUsd', 'ramMonthlyUsd', 'totalMonthlyUsd'])}` +
    `,"latestKnownRequest":${pair('cpuLatestMillicores', 'ramLatestMib')}` +
    `,"currentEfficiency":${three(['cpuEfficiency', 'ramEfficiency', 'totalEfficiency'])}` +
    `,"averageUsage":${pair('cpuAverageMillicores', 'ramAverageMib')}` +
    `,"maxUsage":${pair('cpuMaxMillicores', 'ramMaxMib')}` +
    `,"normalizedRecommendedRequest":${plain('cpuMillicores', 'ramMib')}` +
    `,"normalizedLatestKnownRequest":${plain('cpuLatestMillicores', 'ramLatestMib')}` +
    `,"normalizedAverageUsage":${plain('cpuAverageMillicores', 'ramAverageMib')}` +
    `,"normalizedMaxUsage":${plain('cpuMaxMillicores', 'ramMaxMib')}${told}}`
  );
}

/** What is before the containers of a controller, and after them, is written with them. */
function containerOf(rows: Rows, i: number): string {
  const row = rows.byName(i);
  const controllerOf = (at: number): string =>
    KEYS.slice(0, -1)
      .map((name) => rows.text(name, rows.byName(at)))
      .join('\0');
  const own = controllerOf(i);
  const isFirst = i === 0 || controllerOf(i - 1) !== own;
  const isLast = i + 1 === rows.count || controllerOf(i + 1) !== own;
  const [cluster, namespace, kind, controller, container] = KEYS.map((name) =>
    JSON.stringify(rows.text(name, row)),
  );
  const head =
    `${i > 0 ? ',' : ''}{"name":${controller},"kind":${kind},"namespace":${namespace}` +
    `,"clusterId":${cluster},"containers":{`;
  const pair = (cpu: RecommendedNumber, ram: RecommendedNumber): string =>
    `{"cpu":"${rows.cpu(cpu, row)}","ram":"${rows.ram(ram, row)}"}`;
  return (
    `${isFirst ? head : ','}${container}:{"requests":${pair('cpuMillicores', 'ramMib')}` +
    `,"currentRequests":${pair('cpuLatestMillicores', 'ramLatestMib')}` +
    `,"monthlySavings":${rows.number('totalMonthlyUsd', row)}}${isLast ? '}}' : ''}`
  );
}

function csvRow(rows: Rows, row: number): string {
  const number = (name: RecommendedNumber): string => csvNumber(rows.number(name, row));
  return csvLine([
    ...KEYS.map((name) => csvText(rows.text(name, row))),
    rows.cpu('cpuMillicores', row),
    rows.ram('ramMib', row),
    rows.cpu('cpuLatestMillicores', row),
    rows.ram('ramLatestMib', row),
    ...(['cpuMonthlyUsd', 'ramMonthlyUsd', 'totalMonthlyUsd'] as const).map(number),
    ...(['cpuEfficiency', 'ramEfficiency', 'totalEfficiency'] as const).map(number),
    rows.cpu('cpuAverageMillicores', row),
    rows.ram('ramAverageMib', row),
    rows.cpu('cpuMaxMillicores', row),
    rows.ram('ramMaxMib', row),
  ]);
}
