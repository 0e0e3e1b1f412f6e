/**
 * A fleet for the on-demand query: containers of one pod each that run all the time and stay below
 * their requests, so that what is allocated follows from the requests alone, and what is used from
 * the samples at the window's edges. Every number is the same on every run.
 */
import type { SampledSeries, SeriesLabels } from './store-block.ts';
import { seededRandom } from './random.ts';

export interface FleetOptions {
  readonly containers: number;
  readonly hours: number;
  /** Interval of usage and requests; a divisor of ten minutes. */
  readonly intervalMs: number;
  /** Only usage and requests: no pods, owners, labels and prices. */
  readonly isFourOnly: boolean;
}

/** Sums over all containers and the window. */
export interface Totals {
  readonly cpuCoreHours: number;
  readonly totalCost: number;
  readonly cpuUsageCoreHours: number;
  readonly ramUsageByteHours: number;
}

export interface UsageFleet {
  readonly series: readonly SampledSeries[];
  /** Complete once every series was asked for its samples. */
  readonly totals: () => Totals;
}

export const WINDOW_START_MS: number = Date.UTC(2024, 2, 10);
/** Samples begin so long before the window and end so long after it: as far as queries read. */
export const MARGIN_MS = 600_000;
const HOUR_MS = 3_600_000;
const FACT_INTERVAL_MS = 300_000;
const GIB = 2 ** 30;
const PAGE_BYTES = 4096;

const NODES = 50;
const NAMESPACES = 40;
const CONTROLLERS = 200;
const CPU_CORES = [0.1, 0.25, 0.5, 1, 2];
const RAM_GIB = [0.25, 0.5, 1, 3, 8];
/** USD an hour: those of the nodes, and those of the price book where no node tells one. */
const NODE_PRICES = { core: 0.0417, gib: 0.0051 };
const BOOK_PRICES = { core: 0.031611, gib: 0.004237 };

interface Container {
  readonly place: number;
  readonly labels: Readonly<Record<'namespace' | 'pod' | 'uid' | 'node', string>>;
  readonly controller: string;
  readonly cores: number;
  readonly ramBytes: number;
}

export function usageFleet(options: FleetOptions): UsageFleet {
  const containers = Array.from({ length: options.containers }, (_, i) => containerAt(i));
  const used = { coreSeconds: 0, byteMs: 0 };
  const often = clock(options, options.intervalMs);
  const series = containers.flatMap((container) => [
    cpuUsage(container, often, used),
    ramUsage(container, often, used),
    ...requests(container, often),
  ]);
  if (!options.isFourOnly) {
    const seldom = clock(options, FACT_INTERVAL_MS);
    for (const container of containers) series.push(...podFacts(container, seldom));
    series.push(...nodeFacts(Math.min(NODES, options.containers), seldom));
  }
  return {
    series,
    totals: () => ({
      ...allocated(containers, options),
      cpuUsageCoreHours: used.coreSeconds / 3600,
      ramUsageByteHours: used.byteMs / HOUR_MS,
    }),
  };
}

/** All samples, in ms. */
export function fleetRange({ hours }: FleetOptions): { startMs: number; endMs: number } {
  const endMs = WINDOW_START_MS + hours * HOUR_MS + MARGIN_MS + 1;
  return { startMs: WINDOW_START_MS - MARGIN_MS, endMs };
}

/** Sample times, and which of them are the window's first and last. */
interface Clock {
  readonly timesMs: Float64Array;
  readonly intervalMs: number;
  readonly first: number;
  readonly last: number;
}

function clock({ hours }: FleetOptions, intervalMs: number): Clock {
  const first = MARGIN_MS / intervalMs;
  const last = first + (hours * HOUR_MS) / intervalMs;
  const startMs = WINDOW_START_MS - MARGIN_MS;
  const timesMs = Float64Array.from(
    { length: last + first + 1 },
    (_, i) => startMs + i * intervalMs,
  );
  return { timesMs, intervalMs, first, last };
}

function containerAt(place: number): Container {
  const controller = `service-${place % CONTROLLERS}`;
  const random = seededRandom(Math.imul(place + 1, 2654435761));
  const suffix = Math.floor(random() * 36 ** 5).toString(36);
  return {
    place,
    controller,
    labels: {
      namespace: `team-${place % NAMESPACES}`,
      pod: `${controller}-6f7d9c5b8-${suffix}-${place}`,
      uid: `4c1d2e3f-0000-4000-8000-${String(place).padStart(12, '0')}`,
      node: `ip-10-0-0-${place % NODES}.internal`,
    },
    cores: CPU_CORES[place % CPU_CORES.length] ?? 0,
    ramBytes: (RAM_GIB[(place >> 2) % RAM_GIB.length] ?? 0) * GIB,
  };
}

function allocated(
  containers: readonly Container[],
  { hours, isFourOnly }: FleetOptions,
): Pick<Totals, 'cpuCoreHours' | 'totalCost'> {
  const prices = isFourOnly ? BOOK_PRICES : NODE_PRICES;
  let [cpuCoreHours, totalCost] = [0, 0];
  for (const { cores, ramBytes } of containers) {
    cpuCoreHours += cores * hours;
    totalCost += hours * (cores * prices.core + (ramBytes / GIB) * prices.gib);
  }
  return { cpuCoreHours, totalCost };
}

/** A counter of seconds with nanoseconds, at 10 to 90 % of the request, never twice the same. */
function cpuUsage(container: Container, at: Clock, used: { coreSeconds: number }): SampledSeries {
  const labels = cadvisorLabels('container_cpu_usage_seconds_total', container, { cpu: 'total' });
  return sampled(labels, at, () => {
    const random = seededRandom(Math.imul(2 * container.place + 1, 2246822519));
    const most = container.cores * (at.intervalMs / 1000);
    let seconds = 86_400 * 3 * container.cores * random();
    const values = at.timesMs.map(() => {
      seconds = Math.round((seconds + most * (0.1 + 0.8 * random())) * 1e9) / 1e9;
      return seconds;
    });
    used.coreSeconds += (values[at.last] ?? NaN) - (values[at.first] ?? NaN);
    return values;
  });
}

/** A gauge that walks in pages between 20 and 90 % of the request, now and then at rest. */
function ramUsage(container: Container, at: Clock, used: { byteMs: number }): SampledSeries {
  const labels = cadvisorLabels('container_memory_working_set_bytes', container, {});
  return sampled(labels, at, () => {
    const random = seededRandom(Math.imul(2 * container.place + 2, 3266489917));
    const [least, most] = [0.2 * container.ramBytes, 0.9 * container.ramBytes];
    let bytes = 0.5 * container.ramBytes;
    const values = at.timesMs.map(() => {
      const isAtRest = random() < 0.2;
      const wanted = bytes + (random() - 0.5) * 0.02 * container.ramBytes;
      const next = Math.min(most, Math.max(least, wanted));
      if (!isAtRest) bytes = Math.floor(next / PAGE_BYTES) * PAGE_BYTES;
      return bytes;
    });
    const inWindow = values.subarray(at.first, at.last);
    used.byteMs += inWindow.reduce((sum, value) => sum + value, 0) * at.intervalMs;
    return values;
  });
}

function requests(container: Container, at: Clock): SampledSeries[] {
  const ask = (resource: string, unit: string, value: number): SampledSeries => {
    const labels = { ...container.labels, container: 'app', resource, unit };
    return constant('kube_pod_container_resource_requests', labels, at, value);
  };
  return [ask('cpu', 'core', container.cores), ask('memory', 'byte', container.ramBytes)];
}

function podFacts({ labels, controller }: Container, at: Clock): SampledSeries[] {
  const { node, ...pod } = labels;
  const owner = `${controller}-6f7d9c5b8`;
  const ownerLabels = { ...pod, owner_kind: 'ReplicaSet', owner_name: owner };
  const startS = (WINDOW_START_MS - 3 * 24 * HOUR_MS) / 1000;
  return [
    constant('kube_pod_info', { ...pod, node, created_by_kind: 'ReplicaSet' }, at, 1),
    constant('kube_pod_start_time', pod, at, startS),
    constant('kube_pod_owner', { ...ownerLabels, owner_is_controller: 'true' }, at, 1),
    constant('kube_pod_labels', { ...pod, label_app: controller }, at, 1),
    constant('kube_pod_container_info', { ...pod, container: 'app' }, at, 1),
  ];
}

function nodeFacts(nodes: number, at: Clock): SampledSeries[] {
  return Array.from({ length: nodes }, (_, i) => ({ node: `ip-10-0-0-${i}.internal` })).flatMap(
    (node) => [
      constant('node_cpu_hourly_cost', node, at, NODE_PRICES.core),
      constant('node_ram_hourly_cost', node, at, NODE_PRICES.gib),
    ],
  );
}

/** As many labels as cAdvisor's series have. */
function cadvisorLabels(
  metric: string,
  { labels, controller, place }: Container,
  more: Readonly<Record<string, string>>,
): SeriesLabels {
  const { namespace, pod, uid, node } = labels;
  return sortedLabels(metric, {
    ...more,
    container: 'app',
    endpoint: 'https-metrics',
    id: `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${uid}.slice`,
    image: `registry.internal/${controller}@sha256:${String(place % CONTROLLERS).padStart(64, '0')}`,
    instance: `${node}:10250`,
    job: 'kubelet',
    metrics_path: '/metrics/cadvisor',
    name: String(place).padStart(64, 'c'),
    namespace,
    node,
    pod,
  });
}

function constant(
  metric: string,
  labels: Readonly<Record<string, string>>,
  at: Clock,
  value: number,
): SampledSeries {
  const all = { ...labels, instance: '10.0.0.1:8080', job: 'kube-state-metrics' };
  return sampled(sortedLabels(metric, all), at, () => at.timesMs.map(() => value));
}

function sortedLabels(metric: string, labels: Readonly<Record<string, string>>): SeriesLabels {
  const names = Object.keys(labels).sort();
  return [['__name__', metric], ...names.map((name) => [name, labels[name] ?? ''] as const)];
}

function sampled(
  labels: SeriesLabels,
  { timesMs }: Clock,
  values: () => Float64Array,
): SampledSeries {
  return { labels, samples: () => ({ timesMs, values: values() }) };
}
