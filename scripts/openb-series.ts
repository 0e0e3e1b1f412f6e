/**
 * What kube-state-metrics, cAdvisor and a price exporter would have shown of the openb fleet, scraped
 * on a fixed grid. A pod is seen if it exists at a scrape; a completed one still shows for five
 * minutes, so that its completion time is seen; one deleted while running just stops.
 */
import { type OpenbNode, type OpenbPod, seedOf, TRACE_START_MS } from './openb-fleet.ts';
import type { Labels, OpenMetricsWriter, Sample } from './openmetrics.ts';

export interface ScrapePlan {
  /** What is written: scrapes in [startMs, endMs). */
  readonly startMs: number;
  readonly endMs: number;
  /** Interval of kube-state-metrics. */
  readonly intervalMs: number;
  /** Interval of cAdvisor. Its curves are the same whatever part of the time is written. */
  readonly usageIntervalMs: number;
  /** Interval of nodes and their prices. */
  readonly nodeIntervalMs: number;
}

/** How long after its end a completed pod's series are still shown. */
export const LINGER_MS = 300_000;

/** Scrapes come 7 s after each full interval of the trace. */
const PHASE_MS = 7_000;
const CONTAINER = 'main';

/** The first and last (exclusive) moment kube-state-metrics knows the pod. */
export function shownMs(pod: OpenbPod): readonly [startMs: number, endMs: number] {
  return [pod.createdMs, pod.endRecorded ? pod.endMs + LINGER_MS : pod.endMs];
}

/** Whether any scrape falls on the pod's life from its start on; without, nobody can know of it. */
export function isSeen(pod: OpenbPod, intervalMs: number): boolean {
  return grid(pod.startMs, shownMs(pod)[1], intervalMs).next().done !== true;
}

/** Writes all families for one part of the time. */
export async function writeOpenb(
  writer: OpenMetricsWriter,
  pods: readonly OpenbPod[],
  plan: ScrapePlan,
): Promise<void> {
  const present = pods.filter(
    (pod) => pod.createdMs < plan.endMs && shownMs(pod)[1] > plan.startMs,
  );
  for (const family of POD_FAMILIES) {
    writer.family(family.name, 'gauge', family.help);
    for (const pod of present) await writeGauges(writer, family.series(pod), plan);
  }
  await writeUsage(writer, present, plan);
  const nodes = new Set(pods.map((pod) => pod.node));
  for (const [name, value] of NODE_FAMILIES) {
    writer.family(name, 'gauge');
    for (const node of nodes)
      await writer.series(
        { job: 'node-prices', node: node.name, instance: node.name },
        constant(grid(plan.startMs, plan.endMs, plan.nodeIntervalMs), value(node)),
      );
  }
}

interface Gauge {
  readonly labels: Labels;
  readonly startMs: number;
  readonly endMs: number;
  readonly value: number;
}

interface PodFamily {
  readonly name: string;
  readonly help?: string;
  readonly series: (pod: OpenbPod) => readonly Gauge[];
}

const SYNTHETIC = 'synthetic: the trace does not hold it';

const POD_FAMILIES: readonly PodFamily[] = [
  {
    name: 'kube_pod_info',
    help: `node: ${SYNTHETIC}`,
    series: (pod) => placed(pod, { created_by_kind: pod.ownerKind }, 1),
  },
  { name: 'kube_pod_start_time', series: (pod) => [whenStarted(pod, {}, pod.startMs / 1000)] },
  {
    name: 'kube_pod_completion_time',
    series: (pod) =>
      pod.endRecorded ? [{ ...whenStarted(pod, {}, pod.endMs / 1000), startMs: pod.endMs }] : [],
  },
  {
    name: 'kube_pod_owner',
    help: SYNTHETIC,
    series: (pod) => [
      whenStarted(pod, { owner_kind: pod.ownerKind, owner_name: pod.ownerName }, 1),
    ],
  },
  {
    name: 'kube_pod_labels',
    series: (pod) => [whenStarted(pod, prefixed('label_', pod.labels), 1)],
  },
  {
    name: 'kube_pod_container_resource_requests',
    help: `node: ${SYNTHETIC}`,
    series: (pod) => [
      ...request(pod, 'cpu', 'core', pod.cpuCores),
      ...request(pod, 'memory', 'byte', pod.ramBytes),
      ...(pod.gpus > 0 ? request(pod, 'nvidia_com_gpu', 'integer', pod.gpus) : []),
    ],
  },
];

const NODE_FAMILIES: readonly (readonly [string, (node: OpenbNode) => number])[] = [
  ['kube_node_info', () => 1],
  ['node_cpu_hourly_cost', (node) => node.cpuUsdPerCoreHour],
  ['node_ram_hourly_cost', (node) => node.ramUsdPerGibHour],
  ['node_gpu_hourly_cost', (node) => node.gpuUsdPerHour],
];

function identity(pod: OpenbPod): Labels {
  return {
    job: 'kube-state-metrics',
    instance: 'kube-state-metrics:8080',
    namespace: pod.namespace,
    pod: pod.name,
    uid: pod.uid,
  };
}

function whenStarted(pod: OpenbPod, labels: Labels, value: number): Gauge {
  const endMs = shownMs(pod)[1];
  return { labels: { ...identity(pod), ...labels }, startMs: pod.startMs, endMs, value };
}

/** A series that names the node: another one, with an empty name, shows while the pod waits for it. */
function placed(pod: OpenbPod, labels: Labels, value: number): Gauge[] {
  const started = whenStarted(pod, { ...labels, node: pod.node.name }, value);
  const waiting = { ...identity(pod), ...labels, node: '' };
  return [{ labels: waiting, startMs: pod.createdMs, endMs: pod.startMs, value }, started];
}

function request(pod: OpenbPod, resource: string, unit: string, value: number): Gauge[] {
  return placed(pod, { container: CONTAINER, resource, unit }, value);
}

function prefixed(prefix: string, labels: Labels): Labels {
  return Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [`${prefix}${name}`, value]),
  );
}

async function writeGauges(
  writer: OpenMetricsWriter,
  gauges: readonly Gauge[],
  plan: ScrapePlan,
): Promise<void> {
  for (const gauge of gauges) {
    const startMs = Math.max(gauge.startMs, plan.startMs);
    const endMs = Math.min(gauge.endMs, plan.endMs);
    const times = grid(startMs, endMs, plan.intervalMs);
    await writer.series(gauge.labels, constant(times, gauge.value));
  }
}

async function writeUsage(
  writer: OpenMetricsWriter,
  pods: readonly OpenbPod[],
  plan: ScrapePlan,
): Promise<void> {
  writer.family('container_cpu_usage_seconds_total', 'counter', SYNTHETIC);
  for (const pod of pods) await writer.series(cadvisor(pod), cpuSeconds(pod, plan));
  writer.family('container_memory_working_set_bytes', 'gauge', SYNTHETIC);
  for (const pod of pods) await writer.series(cadvisor(pod), workingSet(pod, plan));
}

function cadvisor(pod: OpenbPod): Labels {
  return {
    job: 'cadvisor',
    instance: pod.node.name,
    node: pod.node.name,
    namespace: pod.namespace,
    pod: pod.name,
    container: CONTAINER,
    id: `/kubepods/pod${pod.uid}/${CONTAINER}`,
  };
}

/** Between two scrapes a pod uses 10 to 90 % of its request. */
function* cpuSeconds(pod: OpenbPod, plan: ScrapePlan): Generator<Sample> {
  const share = shares(pod.uid);
  let atMs = pod.startMs;
  let seconds = 0;
  for (const timestampMs of grid(pod.startMs, pod.endMs, plan.usageIntervalMs)) {
    seconds += share() * pod.cpuCores * ((timestampMs - atMs) / 1000);
    atMs = timestampMs;
    if (timestampMs >= plan.endMs) return;
    if (timestampMs >= plan.startMs) yield [timestampMs, seconds];
  }
}

function* workingSet(pod: OpenbPod, plan: ScrapePlan): Generator<Sample> {
  const share = shares(`${pod.uid} memory`);
  for (const timestampMs of grid(pod.startMs, pod.endMs, plan.usageIntervalMs)) {
    const bytes = Math.floor(share() * pod.ramBytes);
    if (timestampMs >= plan.endMs) return;
    if (timestampMs >= plan.startMs) yield [timestampMs, bytes];
  }
}

/** An endless repeatable series of numbers in [0.1, 0.9). */
function shares(seed: string): () => number {
  let state = seedOf(seed) | 1;
  return () => {
    // xorshift32, Marsaglia 2003.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return 0.1 + (0.8 * (state >>> 0)) / 2 ** 32;
  };
}

/** Scrape times in [startMs, endMs). */
function* grid(startMs: number, endMs: number, intervalMs: number): Generator<number> {
  const phaseMs = TRACE_START_MS + PHASE_MS;
  const firstMs = phaseMs + Math.ceil((startMs - phaseMs) / intervalMs) * intervalMs;
  for (let timestampMs = firstMs; timestampMs < endMs; timestampMs += intervalMs) yield timestampMs;
}

function* constant(times: Iterable<number>, value: number): Generator<Sample> {
  for (const timestampMs of times) yield [timestampMs, value];
}
