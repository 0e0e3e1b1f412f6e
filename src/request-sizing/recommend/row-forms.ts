/** Recommendations as text: the parts of a row, which kernels write. */
import {
  compileRow,
  createFrame,
  DictionaryBuilder,
  type Engine,
  type RowPart,
} from '../../columnar/index.ts';
import { csvNumbers, csvRow } from '../../export/index.ts';
import { controllers } from './controllers-form.ts';
import { GPU_NUMBERS } from './gpus.ts';
import { KEYS, METADATA } from '../demand/demand-at.ts';
import { numbersOf, textsOf, type Page } from './page-parts.ts';
import type { RecommendedNumber } from './requests-and-savings.ts';

/** `controllers` are the same rows, those of a controller together, as members of objects. */
export type RowForm = 'recommendations' | 'controllers' | 'csv';

/** Addresses of programs. */
export type Forms = Readonly<Partial<Record<RowForm, number>>>;

export function compileForms(
  engine: Engine,
  page: Page,
  query: { readonly forms: readonly RowForm[]; readonly isLabelled: boolean },
): Forms {
  const compiled = query.forms.map((form) => [
    form,
    COMPILERS[form](engine, page, query.isLabelled),
  ]);
  return Object.fromEntries(compiled) as Forms;
}

type Compile = (engine: Engine, page: Page, isLabelled: boolean) => number;

const COMPILERS: Readonly<Record<RowForm, Compile>> = { recommendations, controllers, csv };

/** The row of Kubecost's V2. */
function recommendations(engine: Engine, page: Page, isLabelled: boolean): number {
  const { frame, keeper } = page;
  const text = textsOf(engine, page, 'json');
  const number = numbersOf(frame);
  const pair = (name: string, cpu: RecommendedNumber, ram: RecommendedNumber): RowPart[] =>
    [`,"${name}":{"cpu":"`, number(cpu), 'm","memory":"', number(ram), 'Mi"}']; // prettier-ignore
  const plain = (name: string, cpu: RecommendedNumber, ram: RecommendedNumber): RowPart[] =>
    [`,"${name}":{"cpuInMilliCores":`, number(cpu), ',"memoryInMiB":', number(ram), '}']; // prettier-ignore
  const three = (name: string, of: 'MonthlyUsd' | 'Efficiency'): RowPart[] =>
    [`,"${name}":{"cpu":`, number(`cpu${of}`), ',"memory":', number(`ram${of}`), ',"total":', number(`total${of}`), '}']; // prettier-ignore
  const { at } = page.texts;
  const metadata = METADATA.flatMap((name): RowPart[] => [
    `,"${name}":`,
    { kind: 'text', codes: frame.u32(name).byteOffset, texts: at, missing: '{}' },
  ]);
  const row: RowPart[] = [
    ...['clusterID', 'namespace', 'controllerKind', 'controllerName', 'containerName'].flatMap(
      (name, i): RowPart[] => [`${i === 0 ? '{' : ','}"${name}":`, text(KEYS[i] ?? '')],
    ),
    ...pair('recommendedRequest', 'cpuMillicores', 'ramMib'),
    ...three('monthlySavings', 'MonthlyUsd'),
    ...pair('latestKnownRequest', 'cpuLatestMillicores', 'ramLatestMib'),
    ...three('currentEfficiency', 'Efficiency'),
    ...pair('averageUsage', 'cpuAverageMillicores', 'ramAverageMib'),
    ...pair('maxUsage', 'cpuMaxMillicores', 'ramMaxMib'),
    ...plain('normalizedRecommendedRequest', 'cpuMillicores', 'ramMib'),
    ...plain('normalizedLatestKnownRequest', 'cpuLatestMillicores', 'ramLatestMib'),
    ...plain('normalizedAverageUsage', 'cpuAverageMillicores', 'ramAverageMib'),
    ...plain('normalizedMaxUsage', 'cpuMaxMillicores', 'ramMaxMib'),
    gpus(engine, page),
    ...(isLabelled ? metadata : []),
    '}',
  ];
  return compileRow(engine.arena, keeper, frame.rows, row, ',');
}

/** The member of rows with GPUs, which few have. */
function gpus({ arena }: Engine, { frame, keeper }: Page): RowPart {
  const members = new DictionaryBuilder();
  const codes = createFrame(arena, [{ name: 'gpu', type: 'u32' }], frame.rows, keeper).u32('gpu');
  const columns = GPU_NUMBERS.map((name) => frame.f64(name));
  for (let row = 0; row < frame.rows; row++) {
    const [latest, average, largestAverage, efficiency, needed, recommended, monthlyUsd] =
      columns.map((column) => column[row] ?? NaN);
    codes[row] = Number.isNaN(latest)
      ? 0
      : members.code(
          `,"gpu":${JSON.stringify({
            recommendedRequest: recommended,
            needed,
            latestKnownRequest: latest,
            averageUsage: average,
            largestAverageUsage: largestAverage,
            currentEfficiency: efficiency,
            monthlySavings: monthlyUsd,
          })}`,
        );
  }
  const texts = members.store(arena, keeper).at;
  return { kind: 'text', codes: codes.byteOffset, texts };
}

function csv(engine: Engine, page: Page): number {
  const text = textsOf(engine, page, 'csv');
  const number = numbersOf(page.frame);
  const column = (name: RecommendedNumber): number => page.frame.f64(name).byteOffset;
  const amounts: readonly RowPart[][] = [
    ['cpuMillicores', 'ramMib'] as const,
    ['cpuLatestMillicores', 'ramLatestMib'] as const,
  ].map(([cpu, ram]) => [',', number(cpu), 'm,', number(ram), 'Mi']);
  const usage: readonly RowPart[][] = [
    ['cpuAverageMillicores', 'ramAverageMib'] as const,
    ['cpuMaxMillicores', 'ramMaxMib'] as const,
  ].map(([cpu, ram]) => [',', number(cpu), 'm,', number(ram), 'Mi']);
  const plain = (
    [
      'cpuMonthlyUsd',
      'ramMonthlyUsd',
      'totalMonthlyUsd',
      'cpuEfficiency',
      'ramEfficiency',
      'totalEfficiency',
    ] as const
  ).flatMap((name): RowPart[] => [',', csvNumbers(column(name))]);
  const devices = (['gpuRecommended', 'gpuLatest', 'gpuAverage', 'gpuMonthlyUsd'] as const).flatMap(
    (name): RowPart[] => [',', csvNumbers(column(name))],
  );
  const keys = csvRow(KEYS.map(text)).slice(0, -1);
  const row = [...keys, ...amounts.flat(), ...plain, ...usage.flat(), ...devices, '\n'];
  return compileRow(engine.arena, page.keeper, page.frame.rows, row);
}
