/** What workloads were allocated, used and cost so far, from tables of stored allocations. */
import { numbersOf, textColumn, type Table } from '../columnar/index.ts';
import type { Window } from '../query/index.ts';
import { NO_AMOUNTS, type Amounts, type Workload } from './workload.ts';

/** Columns of allocations that are read. */
export const PAST_COLUMNS: readonly string[] = [
  'cluster',
  'namespace',
  'controllerKind',
  'controller',
  'pod',
  'container',
  'startMs',
  'endMs',
  'cpuCoreHours',
  'cpuCoreUsageHours',
  'cpuCost',
  'ramByteHours',
  'ramByteUsageHours',
  'ramCost',
  'gpuHours',
  'gpuCost',
];

/** Whose past is asked for. */
export type WorkloadName = Pick<Workload, 'namespace' | 'kind' | 'name'>;

/** Sums over rows. */
export interface Sums {
  /** Amounts × hours. */
  readonly hours: Amounts;
  /** Used, likewise; of GPUs nothing is known. */
  readonly used: Amounts;
  /** USD. */
  readonly usd: Amounts;
}

export interface Past extends Sums {
  /** Of the time from the first start to the last end. */
  readonly livedHours: number;
  /** By the container's name: what one of them used on average while it ran. */
  readonly usageOf: Readonly<Record<string, Amounts>>;
}

const HOUR_MS = 3_600_000;
/** Idle and its kin. */
const OF_NO_POD = /^__\w+__$/;

/** What is added up, in the order of the sums below. */
const SUMMED = [
  'cpuCoreHours',
  'ramByteHours',
  'gpuHours',
  'cpuCoreUsageHours',
  'ramByteUsageHours',
  'cpuCost',
  'ramCost',
  'gpuCost',
] as const;
const [CPU_USED, RAM_USED] = [3, 4];

/** A workload, as its rows come. */
class Growing {
  startMs: number = Infinity;
  endMs: number = -Infinity;
  readonly sums: Float64Array = new Float64Array(SUMMED.length);
  /** By name: hours, and what of CPU and RAM was used in them. */
  readonly containers: Map<string, { hours: number; cpu: number; ram: number }> = new Map();
}

/**
 * One pass over the rows of a cluster.
 * @returns what all pods of the cluster came to, and each of the workloads that has a past
 */
export function pastOf(
  tables: readonly Table[],
  cluster: string,
  workloads: readonly WorkloadName[],
): { readonly whole: Sums; readonly pasts: readonly (Past | null)[] } {
  const growing = workloads.map(() => new Growing());
  const byKey = new Map(workloads.map((workload, i) => [keyOf(workload), growing[i]]));
  const names = new Set(workloads.map(({ name }) => name));
  const whole = new Float64Array(SUMMED.length);
  for (const table of tables) {
    const { isOfPod, isNamed, key, container } = rowsOf(table, cluster, names);
    const columns = SUMMED.map((name) => numbers(table, name));
    const [starts, ends] = [numbers(table, 'startMs'), numbers(table, 'endMs')];
    for (let row = 0; row < table.rows; row++) {
      if (!isOfPod(row)) continue;
      addRow(whole, columns, row);
      const one = isNamed(row) ? byKey.get(key(row)) : undefined;
      if (one === undefined) continue;
      addRow(one.sums, columns, row);
      const life = { startMs: starts?.[row] ?? 0, endMs: ends?.[row] ?? 0 };
      const used = [columns[CPU_USED]?.[row] ?? 0, columns[RAM_USED]?.[row] ?? 0] as const;
      addLife(one, container(row), life, used);
    }
  }
  return { whole: sumsOf(whole), pasts: growing.map(finished) };
}

type Numbers = Float64Array | undefined;

function numbers(table: Table, name: string): Numbers {
  return table.numbers(name)?.values;
}

function addRow(sums: Float64Array, columns: readonly Numbers[], row: number): void {
  for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + (columns[i]?.[row] ?? 0);
}

function addLife(
  one: Growing,
  container: string,
  { startMs, endMs }: Window,
  [cpu, ram]: readonly [cpu: number, ram: number],
): void {
  one.startMs = Math.min(one.startMs, startMs);
  one.endMs = Math.max(one.endMs, endMs);
  const before = one.containers.get(container) ?? { hours: 0, cpu: 0, ram: 0 };
  before.hours += (endMs - startMs) / HOUR_MS;
  before.cpu += cpu;
  before.ram += ram;
  one.containers.set(container, before);
}

/** Pods without a controller are their own. */
function keyOf({ namespace, kind, name }: WorkloadName): string {
  return [namespace, kind, name].join('\0');
}

interface Rows {
  /** Of a pod of the cluster. */
  readonly isOfPod: (row: number) => boolean;
  /** By a name of those asked for: others need no key. */
  readonly isNamed: (row: number) => boolean;
  readonly key: (row: number) => string;
  readonly container: (row: number) => string;
}

/** Texts are looked at once each, whatever rows have them. */
function rowsOf(table: Table, cluster: string, names: ReadonlySet<string>): Rows {
  const flags = (column: string, isSo: (text: string) => boolean): Uint32Array =>
    numbersOf(textColumn(table, column), (text) => (isSo(text) ? 1 : 0));
  const texts = (column: string): ((row: number) => string) => {
    const { codes, texts: known } = textColumn(table, column);
    return (row) => known.text(codes[row] ?? 0);
  };
  const inCluster = flags('cluster', (text) => text === cluster);
  const isPod = flags('pod', (text) => text !== '');
  const isNone = flags('container', (text) => OF_NO_POD.test(text));
  const isAlone = flags('controller', (text) => text === '');
  const [byController, byPod] = [flags('controller', (text) => names.has(text)), flags('pod', (text) => names.has(text))]; // prettier-ignore
  const [namespace, kind, controller] = [texts('namespace'), texts('controllerKind'), texts('controller')]; // prettier-ignore
  const pod = texts('pod');
  return {
    isOfPod: (row) => inCluster[row] === 1 && isPod[row] === 1 && isNone[row] === 0,
    isNamed: (row) => (isAlone[row] === 1 ? byPod : byController)[row] === 1,
    key(row) {
      const own =
        isAlone[row] === 1
          ? { kind: 'pod', name: pod(row) }
          : { kind: kind(row).toLowerCase(), name: controller(row) };
      return keyOf({ namespace: namespace(row), ...own });
    },
    container: texts('container'),
  };
}

function sumsOf(sums: Float64Array): Sums {
  const at = (place: number): number => sums[place] ?? 0;
  return {
    hours: { cpuCores: at(0), ramBytes: at(1), gpus: at(2) },
    used: { cpuCores: at(CPU_USED), ramBytes: at(RAM_USED), gpus: 0 },
    usd: { cpuCores: at(5), ramBytes: at(6), gpus: at(7) },
  };
}

function finished({ startMs, endMs, sums, containers }: Growing): Past | null {
  if (endMs <= startMs) return null;
  const usage = [...containers].map(([name, { hours, cpu, ram }]): [string, Amounts] => [
    name,
    hours > 0 ? { cpuCores: cpu / hours, ramBytes: ram / hours, gpus: 0 } : NO_AMOUNTS,
  ]);
  return {
    ...sumsOf(sums),
    livedHours: (endMs - startMs) / HOUR_MS,
    usageOf: Object.fromEntries(usage),
  };
}
