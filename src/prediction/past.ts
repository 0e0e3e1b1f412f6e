/** Past allocation, usage and cost of workloads, from tables of stored allocations. */
import { numbersOf, textColumn, type RowSet, type Table } from '../columnar/index.ts';
import { HOUR_MS, type Window } from '../query/index.ts';
import { NO_AMOUNTS, type Amounts, type Workload } from './workload.ts';

/** The columns of allocations that are read. */
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

/** Rows of one set. */
export interface PastTable {
  readonly table: Table;
  /** The rows that count; null: all. */
  readonly matched: RowSet | null;
}

/** Identifies a workload. */
export type WorkloadName = Pick<Workload, 'namespace' | 'kind' | 'name'>;

/** Sums over rows. */
export interface Sums {
  /** Amounts × hours. */
  readonly hours: Amounts;
  /** Used amounts × hours; nothing is known of GPUs. */
  readonly used: Amounts;
  /** USD. */
  readonly usd: Amounts;
}

export interface Past extends Sums {
  /** Hours from the first start to the last end. */
  readonly livedHours: number;
  /** Average usage of a container while it ran, by the container's name. */
  readonly usageOf: Readonly<Record<string, Amounts>>;
}

/** Rows of idle and unmounted volumes. */
const OF_NO_POD = /^__\w+__$/;

/** The summed columns, in the order of the sums below. */
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

/** Sums of a workload while its rows are read. */
class Growing {
  startMs: number = Infinity;
  endMs: number = -Infinity;
  readonly sums: Float64Array = new Float64Array(SUMMED.length);
  /** By name: hours, and usage of CPU and RAM in them. */
  readonly containers: Map<string, { hours: number; cpu: number; ram: number }> = new Map();
}

/**
 * One pass over the rows of a cluster.
 * @returns sums of all pods of the cluster, and of each workload that has rows
 */
export function pastOf(
  tables: readonly PastTable[],
  cluster: string,
  workloads: readonly WorkloadName[],
): { readonly whole: Sums; readonly pasts: readonly (Past | null)[] } {
  const growing = workloads.map(() => new Growing());
  const byKey = new Map(workloads.map((workload, i) => [keyOf(workload), growing[i]]));
  const names = new Set(workloads.map(({ name }) => name));
  const whole = new Float64Array(SUMMED.length);
  for (const { table, matched } of tables) {
    const { isOfPod, isNamed, key, container } = rowsOf(table, cluster, names);
    const columns = SUMMED.map((name) => numbers(table, name));
    const [starts, ends] = [numbers(table, 'startMs'), numbers(table, 'endMs')];
    for (let row = 0; row < table.rows; row++) {
      if (!isOfPod(row) || matched?.has(row) === false) continue;
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

/** A pod without a controller is its own workload. */
function keyOf({ namespace, kind, name }: WorkloadName): string {
  return [namespace, kind, name].join('\0');
}

interface Rows {
  /** Whether a row belongs to a pod of the cluster. */
  readonly isOfPod: (row: number) => boolean;
  /** Whether a row has a requested name: others need no key. */
  readonly isNamed: (row: number) => boolean;
  readonly key: (row: number) => string;
  readonly container: (row: number) => string;
}

/** Tests each different text once. */
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
  const [byController, byPod] = [
    flags('controller', (text) => names.has(text)),
    flags('pod', (text) => names.has(text)),
  ];
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

/** The names of clusters in the rows that count. */
export function clustersIn(tables: readonly PastTable[]): string[] {
  const names = new Set<string>();
  for (const { table, matched } of tables) {
    const { codes, texts } = textColumn(table, 'cluster');
    const known = new Set<number>();
    if (matched === null) for (let code = 0; code < texts.size; code++) known.add(code);
    else
      for (let row = 0; row < table.rows; row++) if (matched.has(row)) known.add(codes[row] ?? 0);
    for (const code of known) names.add(texts.text(code));
  }
  names.delete('');
  return [...names].sort();
}
