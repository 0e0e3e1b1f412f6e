/** Pods of stored allocations over several days, with their traffic, requests, usage and cost. */
import { spendHeap, numberReader, textReader, type RowSet, type Table } from '../columnar/index.ts';
import { HOUR_MS } from '../query/index.ts';

const TEXTS = ['cluster', 'node', 'namespace', 'pod', 'container', 'controller', 'controllerKind'] as const; // prettier-ignore
const SUMS = [
  'cpuCoreHours',
  'ramByteHours',
  'cpuCoreRequestHours',
  'ramByteRequestHours',
  'cpuCoreUsageHours',
  'ramByteUsageHours',
  'networkReceiveBytes',
  'networkTransferBytes',
  'cpuCost',
  'ramCost',
  'gpuCost',
] as const;
export type PodSum = (typeof SUMS)[number];

/** The columns of allocations that are read. */
export const POD_COLUMNS: readonly string[] = [...TEXTS, ...SUMS, 'startMs', 'endMs'];

export interface Pod {
  readonly cluster: string;
  readonly node: string;
  readonly namespace: string;
  readonly name: string;
  readonly controller: string;
  readonly controllerKind: string;
  readonly sums: Record<PodSum, number>;
  /** For how long it ran, over all days. */
  hours: number;
  /** Its end in the newest day that has it. */
  endMs: number;
}

/** Heap that a pod takes. */
const POD_BYTES = 900;
/** Rows of idle and of unmounted volumes are of no pod. */
const OF_NO_POD = /^__\w+__$/;

/**
 * @param tables of single days, newest first
 * @param select rows that count; undefined: all
 * @throws {HeapFull}
 */
export function podsOf(
  tables: readonly Table[],
  select: (table: Table) => RowSet | undefined,
): Pod[] {
  const pods = new Map<string, Pod>();
  for (const table of tables) {
    const ran = new Map<string, { startMs: number; endMs: number }>();
    const rows = select(table);
    const text = textsOf(table);
    const sums = SUMS.map((name) => [name, numberReader(table, name)] as const);
    const [startMs, endMs] = [numberReader(table, 'startMs'), numberReader(table, 'endMs')];
    for (let row = 0; row < table.rows; row++) {
      if (rows?.has(row) === false) continue;
      if (text.pod(row) === '' || OF_NO_POD.test(text.container(row))) continue;
      const key = [text.cluster(row), text.namespace(row), text.pod(row)].join('\0');
      const pod = pods.get(key) ?? podAt(text, row);
      if (!pods.has(key)) spendHeap(POD_BYTES);
      pods.set(key, pod);
      for (const [name, read] of sums) pod.sums[name] += read(row);
      const life = ran.get(key) ?? { startMs: Infinity, endMs: -Infinity };
      life.startMs = Math.min(life.startMs, startMs(row));
      life.endMs = Math.max(life.endMs, endMs(row));
      ran.set(key, life);
    }
    for (const [key, life] of ran) {
      const pod = pods.get(key);
      if (!pod) continue;
      pod.hours += (life.endMs - life.startMs) / HOUR_MS;
      pod.endMs = Math.max(pod.endMs, life.endMs);
    }
  }
  return [...pods.values()];
}

type PodTexts = Readonly<Record<(typeof TEXTS)[number], (row: number) => string>>;

function textsOf(table: Table): PodTexts {
  const readers = TEXTS.map((name) => [name, textReader(table, name)]);
  return Object.fromEntries(readers) as PodTexts;
}

function podAt(text: PodTexts, row: number): Pod {
  return {
    cluster: text.cluster(row),
    node: text.node(row),
    namespace: text.namespace(row),
    name: text.pod(row),
    controller: text.controller(row),
    controllerKind: text.controllerKind(row),
    sums: Object.fromEntries(SUMS.map((name) => [name, 0])) as Record<PodSum, number>,
    hours: 0,
    endMs: -Infinity,
  };
}

/** A pod that was seen within this time of its cluster's last moment is there still. */
const SAME_MS = 10 * 60_000;

/** The last moment of each cluster, whichever rows are asked for: Unix ms. */
export function lastMoments(tables: readonly Table[]): ReadonlyMap<string, number> {
  const lastMs = new Map<string, number>();
  for (const table of tables) {
    const [cluster, endMs] = [textReader(table, 'cluster'), numberReader(table, 'endMs')];
    for (let row = 0; row < table.rows; row++)
      lastMs.set(cluster(row), Math.max(lastMs.get(cluster(row)) ?? -Infinity, endMs(row)));
  }
  return lastMs;
}

/** Pods that are there at the last moment of their cluster. */
export function livingPods(pods: readonly Pod[], lastMs: ReadonlyMap<string, number>): Pod[] {
  return pods.filter(
    ({ cluster, endMs, hours }) => hours > 0 && endMs > (lastMs.get(cluster) ?? 0) - SAME_MS,
  );
}

/** The dollars of a pod, as recommendations claim them. */
export function podKey({ cluster, namespace, name }: Pod): string {
  return ['pod', cluster, namespace, name].join('\0');
}

/** The workload that a pod is of; pods of a namespace without controllers are one. */
export function workloadOf(pod: Pod): string {
  return workloadKey(pod.cluster, pod.namespace, pod.controllerKind, pod.controller);
}

export function workloadKey(
  cluster: string,
  namespace: string,
  kind: string,
  name: string,
): string {
  const of = name === '' ? [] : [kind.toLowerCase(), name];
  return ['workload', cluster, namespace, ...of].join('\0');
}
