/** Lifetimes of the pods of stored allocations, with their average allocations. */
import { numberReader, spendHeap, textReader, type Table } from '../columnar/index.ts';
import { BYTES_PER_GIB, type NodeSize } from '../pricing/index.ts';
import { HOUR_MS, type Window } from '../query/index.ts';

/** The columns of allocations that are read. */
export const POD_COLUMNS: readonly string[] = [
  'cluster',
  'node',
  'namespace',
  'pod',
  'container',
  'controller',
  'controllerKind',
  'startMs',
  'endMs',
  'cpuCoreHours',
  'ramByteHours',
  'gpuHours',
  'nodePool',
  'instanceType',
];

/** A pod in one set, clipped to the window. */
export interface PodLife extends Window {
  readonly cluster: string;
  /** The pool of its node, else the node's type; '' unknown. */
  readonly group: string;
  /** `namespace/name`. */
  readonly name: string;
  /** `namespace/name` of the daemon set or static pod, which every node has; '' for all other pods. */
  readonly daemonSet: string;
  readonly size: NodeSize;
}

interface Pod {
  readonly name: string;
  readonly daemonSet: string;
  readonly cluster: string;
  readonly group: string;
  startMs: number;
  endMs: number;
  cpuCoreHours: number;
  ramByteHours: number;
  gpuHours: number;
}

/** Heap that a pod takes while its rows are read. */
const POD_BYTES = 500;
const LIFE_BYTES = 450;

/** Rows of idle and of unmounted volumes belong to no pod. */
const OF_NO_POD = /^__\w+__$/;

/**
 * @param tables of single sets, each with rows of containers
 * @param window lifetimes are clipped to it
 * @throws {HeapFull}
 */
export function podLives(tables: readonly Table[], window: Window): PodLife[] {
  return tables.flatMap((table) => [...podsOf(table).values()].flatMap((pod) => life(pod, window)));
}

function podsOf(table: Table): ReadonlyMap<string, Pod> {
  const [cluster, node, namespace, name, container, controller, kind] = POD_COLUMNS.slice(0, 7).map(
    (column) => textReader(table, column),
  );
  const [startMs, endMs, cpu, ram, gpu] = POD_COLUMNS.slice(7, 12).map((column) =>
    numberReader(table, column),
  );
  const [pool, type] = [textReader(table, 'nodePool'), textReader(table, 'instanceType')];
  if (!cluster || !node || !namespace || !name || !container || !controller || !kind) return NONE;
  if (!startMs || !endMs || !cpu || !ram || !gpu) return NONE;
  const pods = new Map<string, Pod>();
  for (let row = 0; row < table.rows; row++) {
    if (name(row) === '' || OF_NO_POD.test(container(row))) continue;
    const key = [cluster(row), namespace(row), name(row)].join('\0');
    let pod = pods.get(key);
    if (pod === undefined) {
      const names = {
        kind: kind(row),
        controller: controller(row),
        namespace: namespace(row),
        pod: name(row),
        node: node(row),
      };
      pod = {
        ...EMPTY,
        name: `${names.namespace}/${names.pod}`,
        cluster: cluster(row),
        group: pool(row) || type(row),
        daemonSet: daemonSetOf(names),
      };
      pods.set(key, pod);
      spendHeap(POD_BYTES);
    }
    pod.startMs = Math.min(pod.startMs, startMs(row));
    pod.endMs = Math.max(pod.endMs, endMs(row));
    pod.cpuCoreHours += cpu(row);
    pod.ramByteHours += ram(row);
    pod.gpuHours += gpu(row);
  }
  return pods;
}

const NONE: ReadonlyMap<string, Pod> = new Map();
const EMPTY = {
  startMs: Infinity,
  endMs: -Infinity,
  cpuCoreHours: 0,
  ramByteHours: 0,
  gpuHours: 0,
};

interface PodNames {
  readonly kind: string;
  readonly controller: string;
  readonly namespace: string;
  readonly pod: string;
  readonly node: string;
}

/** A static pod of kubelet counts as a daemon set: each node has one, named after the node. */
function daemonSetOf({ kind, controller, namespace, pod, node }: PodNames): string {
  const isStatic = kind.toLowerCase() === 'node';
  if (isStatic) return `${namespace}/${pod.replace(`-${node}`, '')}`;
  return kind.toLowerCase() === 'daemonset' ? `${namespace}/${controller}` : '';
}

function life(pod: Pod, window: Window): PodLife[] {
  const { cluster, group, name, daemonSet } = pod;
  const startMs = Math.max(pod.startMs, window.startMs);
  const endMs = Math.min(pod.endMs, window.endMs);
  if (endMs <= startMs) return [];
  const hours = (pod.endMs - pod.startMs) / HOUR_MS;
  const size = {
    cpuCores: pod.cpuCoreHours / hours,
    ramGiB: pod.ramByteHours / BYTES_PER_GIB / hours,
    gpus: pod.gpuHours / hours,
  };
  spendHeap(LIFE_BYTES);
  return [{ cluster, group, name, daemonSet, startMs, endMs, size }];
}
