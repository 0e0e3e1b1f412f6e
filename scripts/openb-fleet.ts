/**
 * The pods of the openb trace as a Kubernetes fleet, and what each costs in closed form. Real are
 * the pods: shapes, times, phases. Ours are the nodes they stand on (the trace does not say; each pod
 * gets the first of the trace's nodes with room, in an order drawn from their names), their prices
 * (by model), controllers, uids, and usage, which stays below the request and so never costs.
 */
import { createHash } from 'node:crypto';

/** Second 0 of the trace. */
export const TRACE_START_MS: number = Date.UTC(2024, 0, 1);

export interface OpenbNode {
  readonly name: string;
  readonly cpuCores: number;
  readonly ramBytes: number;
  readonly gpus: number;
  readonly model: string;
  readonly cpuUsdPerCoreHour: number;
  readonly ramUsdPerGibHour: number;
  readonly gpuUsdPerHour: number;
}

export interface OpenbPod {
  readonly name: string;
  /** The trace's quality of service: `LS`, `BE`, `Burstable`, `Guaranteed`. */
  readonly namespace: string;
  readonly uid: string;
  readonly node: OpenbNode;
  readonly createdMs: number;
  readonly startMs: number;
  readonly endMs: number;
  /** False for pods deleted while running: the store never learns when they ended. */
  readonly endRecorded: boolean;
  readonly phase: string;
  readonly cpuCores: number;
  readonly ramBytes: number;
  readonly gpus: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly ownerKind: string;
  readonly ownerName: string;
}

/** Core-hours, byte-hours, GPU-hours and US dollars. */
export interface Amounts {
  readonly cpuCoreHours: number;
  readonly ramByteHours: number;
  readonly gpuHours: number;
  readonly cpuCost: number;
  readonly ramCost: number;
  readonly gpuCost: number;
}

/** Synthetic $/core·h, $/GiB·h and $/GPU·h by model of GPU; '' is a node without one. */
const PRICES: Readonly<Record<string, readonly [number, number, number]>> = {
  '': [0.031611, 0.004237, 0],
  A10: [0.0371, 0.00498, 0.9],
  G2: [0.03418, 0.00457, 0.71],
  G3: [0.03894, 0.00523, 1.24],
  P100: [0.02875, 0.00385, 1.46],
  T4: [0.03301, 0.00442, 0.35],
  V100M16: [0.03562, 0.00478, 2.12],
  V100M32: [0.03679, 0.00493, 2.48],
};

const GIB = 2 ** 30;
const MS_PER_HOUR = 3_600_000;

/**
 * @param podsCsv,nodesCsv the text of the trace's `pods.csv` and `nodes.csv`
 * @returns the pods that were scheduled, in order of start
 */
export function openbFleet(podsCsv: string, nodesCsv: string): readonly OpenbPod[] {
  const nodes = rows(nodesCsv).map(toNode);
  const place = firstFit(nodes);
  return rows(podsCsv)
    .filter((row) => field(row, 'scheduled_time') !== '')
    .sort((a, b) => count(a, 'scheduled_time') - count(b, 'scheduled_time'))
    .map((row) => toPod(row, place));
}

/** What the pod costs within the window: request × hours × price, as usage stays below the request. */
export function openbAmounts(pod: OpenbPod, startMs: number, endMs: number): Amounts {
  const runMs = Math.min(pod.endMs, endMs) - Math.max(pod.startMs, startMs);
  const hours = Math.max(0, runMs) / MS_PER_HOUR;
  return {
    cpuCoreHours: pod.cpuCores * hours,
    ramByteHours: pod.ramBytes * hours,
    gpuHours: pod.gpus * hours,
    cpuCost: pod.cpuCores * hours * pod.node.cpuUsdPerCoreHour,
    ramCost: (pod.ramBytes / GIB) * hours * pod.node.ramUsdPerGibHour,
    gpuCost: pod.gpus * hours * pod.node.gpuUsdPerHour,
  };
}

/** A number in [0, 2³²) that depends on the text alone. */
export function seedOf(text: string): number {
  return createHash('sha1').update(text).digest().readUInt32BE(0);
}

type Row = ReadonlyMap<string, string>;

function rows(csv: string): Row[] {
  const [head = '', ...lines] = csv.trim().split(/\r?\n/);
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return new Map(names.map((name, i) => [name, cells[i] ?? '']));
  });
}

function field(row: Row, name: string): string {
  const value = row.get(name);
  if (value === undefined) throw new Error(`cannot read the trace: it has no column '${name}'`);
  return value;
}

function count(row: Row, name: string): number {
  return Number(field(row, name));
}

function toNode(row: Row): OpenbNode {
  const model = field(row, 'model');
  const prices = PRICES[model];
  if (prices === undefined) throw new Error(`cannot price nodes of the unknown model '${model}'`);
  return {
    name: field(row, 'sn'),
    cpuCores: count(row, 'cpu_milli') / 1000,
    ramBytes: count(row, 'memory_mib') * 2 ** 20,
    gpus: count(row, 'gpu'),
    model,
    cpuUsdPerCoreHour: prices[0],
    ramUsdPerGibHour: prices[1],
    gpuUsdPerHour: prices[2],
  };
}

type Load = Pick<OpenbPod, 'startMs' | 'endMs' | 'cpuCores' | 'ramBytes' | 'gpus'>;
type Place = (load: Load) => OpenbNode;

/** Loads are placed in order of start, pods that ask for GPUs on nodes that have some. */
function firstFit(nodes: readonly OpenbNode[]): Place {
  const order = nodes.toSorted((a, b) => seedOf(a.name) - seedOf(b.name));
  const running = new Map<OpenbNode, Load[]>();
  return (load) => {
    const node = order.find((candidate) => {
      const now = (running.get(candidate) ?? []).filter((other) => other.endMs > load.startMs);
      running.set(candidate, now);
      return candidate.gpus > 0 === load.gpus > 0 && fits(candidate, [...now, load]);
    });
    if (node === undefined) throw new Error('cannot place the trace: no node has room for a pod');
    running.get(node)?.push(load);
    return node;
  };
}

function fits(node: OpenbNode, loads: readonly Load[]): boolean {
  const sum = (of: (load: Load) => number): number =>
    loads.reduce((total, load) => total + of(load), 0);
  return (
    sum((load) => load.cpuCores) <= node.cpuCores &&
    sum((load) => load.ramBytes) <= node.ramBytes &&
    sum((load) => load.gpus) <= node.gpus
  );
}

function toPod(row: Row, place: Place): OpenbPod {
  const load = {
    startMs: TRACE_START_MS + count(row, 'scheduled_time') * 1000,
    endMs: TRACE_START_MS + count(row, 'deletion_time') * 1000,
    cpuCores: count(row, 'cpu_milli') / 1000,
    ramBytes: count(row, 'memory_mib') * 2 ** 20,
    gpus: count(row, 'num_gpu'),
  };
  const phase = field(row, 'pod_phase');
  const name = field(row, 'name');
  const ended = phase === 'Succeeded' || phase === 'Failed';
  const shape = `${field(row, 'cpu_milli')}m-${field(row, 'memory_mib')}mi-${load.gpus}`;
  return {
    ...load,
    name,
    namespace: field(row, 'qos'),
    uid: uuidOf(name),
    node: place(load),
    createdMs: TRACE_START_MS + count(row, 'creation_time') * 1000,
    endRecorded: ended,
    phase,
    labels: { num_gpu: field(row, 'num_gpu'), gpu_milli: field(row, 'gpu_milli') },
    ownerKind: ended ? 'Job' : 'StatefulSet',
    ownerName: `${ended ? 'batch' : 'serve'}-${shape}`,
  };
}

/** The form of RFC 9562 version 5 over the name alone. */
function uuidOf(name: string): string {
  const hex = createHash('sha1').update(name).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`];
  return [...parts, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
