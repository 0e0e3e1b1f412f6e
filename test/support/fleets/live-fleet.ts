/**
 * A small cluster from two hours ago to half an hour from now, as kube-state-metrics and cAdvisor show it: what a
 * server is asked about now. It is the same all the time; no price is told. A store has its past as blocks, and
 * scrapes what is to come.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Sample } from '../../../scripts/openmetrics.ts';
import { told, type ToldSeries } from '../stores/series-file.ts';

const GIB = 2 ** 30;
const LIVE_EVERY_MS = 30_000;

const NODES = [
  { name: 'n1', cpus: 8, gib: 32, arch: 'amd64' },
  { name: 'n2', cpus: 4, gib: 16, arch: 'arm64' },
];

interface LivePod {
  readonly name: string;
  readonly namespace: string;
  readonly node: string;
  readonly workload: string;
  /** Requested and used. */
  readonly cpus: readonly [number, number];
  readonly gib: readonly [number, number];
  readonly gpus?: number;
  readonly claim?: string;
}

const PODS: readonly LivePod[] = [
  { name: 'web-1', namespace: 'shop', node: 'n1', workload: 'web', cpus: [1, 0.25], gib: [2, 1] },
  { name: 'web-2', namespace: 'shop', node: 'n2', workload: 'web', cpus: [0.5, 1.5], gib: [1, 3] },
  { name: 'db-0', namespace: 'data', node: 'n1', workload: 'db', cpus: [2, 2], gib: [4, 8], claim: 'disk' },
  { name: 'train-0', namespace: 'ml', node: 'n1', workload: 'train', cpus: [1, 1], gib: [1, 1], gpus: 1 },
]; // prettier-ignore

const CPU = 'container_cpu_allocation * on(node) group_left() node_cpu_hourly_cost';
const RAM =
  'container_memory_allocation_bytes * on(node) group_left() node_ram_hourly_cost / 1073741824';
const GPU = 'container_gpu_allocation * on(node) group_left() node_gpu_hourly_cost';
/** USD an hour of all containers, of the series that `/metrics` shows. */
export const COST_OF_HOUR: string = `sum(${CPU}) + sum(${RAM}) + sum(${GPU})`;

/** The same series where CPU and memory that are used swing between nothing and twice as much. */
export function swinging(series: readonly ToldSeries[], periodMs: number): ToldSeries[] {
  const factor = (timeMs: number): number => 1 + Math.sin((2 * Math.PI * timeMs) / periodMs);
  return series.map((one) => {
    if (one.name === 'container_memory_working_set_bytes')
      return {
        ...one,
        samples: one.samples.map(([ms, bytes]): Sample => [ms, bytes * factor(ms)]),
      };
    if (one.name !== 'container_cpu_usage_seconds_total') return one;
    let [beforeMs, before, seconds] = [NaN, NaN, 0];
    const samples = one.samples.map(([ms, counted]): Sample => {
      if (Number.isFinite(before)) seconds += (counted - before) * factor((ms + beforeMs) / 2);
      [beforeMs, before] = [ms, counted];
      return [ms, seconds];
    });
    return { ...one, samples };
  });
}

/** @param nowMs a whole second */
export function liveSeries(nowMs: number): ToldSeries[] {
  const startMs = nowMs - 2 * 3_600_000;
  const scraped = { startMs, endMs: nowMs + 30 * 60_000, everyMs: LIVE_EVERY_MS };
  const show = (
    name: string,
    labels: Readonly<Record<string, string>>,
    value: number | ((timeMs: number) => number) = 1,
    job = 'kube-state-metrics',
  ): ToldSeries => told(name, { job, instance: job, ...labels }, scraped, value);
  return [
    ...NODES.flatMap(({ name: node, cpus, gib, arch }) => [
      show('kube_node_info', { node, provider_id: `aws:///us-east-1a/i-${node}` }),
      show('kube_node_status_capacity', { node, resource: 'cpu', unit: 'core' }, cpus),
      show('kube_node_status_capacity', { node, resource: 'memory', unit: 'byte' }, gib * GIB),
      show('kube_node_labels', {
        node,
        label_node_kubernetes_io_instance_type: `type-${node}`,
        label_topology_kubernetes_io_region: 'here',
        label_kubernetes_io_arch: arch,
      }),
    ]),
    show(
      'kube_node_status_capacity',
      { node: 'n1', resource: 'nvidia_com_gpu', unit: 'integer' },
      2,
    ),
    ...PODS.flatMap((pod) => podSeries(pod, startMs, show)),
    show('kube_persistentvolume_capacity_bytes', { persistentvolume: 'pv-1' }, 100 * GIB),
    show('kube_persistentvolumeclaim_info', {
      namespace: 'data',
      persistentvolumeclaim: 'disk',
      volumename: 'pv-1',
      storageclass: 'fast',
    }),
  ];
}

type Show = (
  name: string,
  labels: Readonly<Record<string, string>>,
  value?: number | ((timeMs: number) => number),
  job?: string,
) => ToldSeries;

function podSeries(
  { name: pod, namespace, node, workload, cpus, gib, gpus = 0, claim }: LivePod,
  startMs: number,
  show: Show,
): ToldSeries[] {
  const labels = { namespace, pod, uid: `uid-${pod}` };
  const container = { ...labels, container: 'main', node };
  const requests = { ...container, resource: 'cpu', unit: 'core' };
  const cadvisor = { namespace, pod, container: 'main' };
  return [
    show('kube_pod_info', { ...labels, node }),
    show('kube_pod_container_info', { ...labels, container: 'main' }),
    show('kube_pod_container_resource_requests', requests, cpus[0]),
    show(
      'kube_pod_container_resource_requests',
      { ...container, resource: 'memory', unit: 'byte' },
      gib[0] * GIB,
    ),
    ...(gpus === 0
      ? []
      : [
          show(
            'kube_pod_container_resource_requests',
            { ...container, resource: 'nvidia_com_gpu', unit: 'integer' },
            gpus,
          ),
        ]),
    show(
      'container_cpu_usage_seconds_total',
      cadvisor,
      (timeMs) => (cpus[1] * (timeMs - startMs)) / 1000,
      'kube-system/cadvisor',
    ),
    show('container_memory_working_set_bytes', cadvisor, gib[1] * GIB, 'kube-system/cadvisor'),
    show('namespace_workload_pod:kube_pod_owner:relabel', {
      namespace,
      pod,
      workload,
      workload_type: 'deployment',
    }),
    ...(claim === undefined
      ? []
      : [
          show('kube_pod_spec_volumes_persistentvolumeclaims_info', {
            ...labels,
            persistentvolumeclaim: claim,
          }),
        ]),
  ];
}

export function pastOf(series: readonly ToldSeries[], nowMs: number): ToldSeries[] {
  return series.map((one) => ({ ...one, samples: one.samples.filter(([ms]) => ms <= nowMs) }));
}

/** Shows all samples of a span at once, each with its time. */
export async function exportTimed(
  series: readonly ToldSeries[],
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): Promise<LiveExporter & { readonly samples: number }> {
  const within = series.map((one) => ({
    ...one,
    samples: one.samples.filter(([ms]) => ms >= startMs && ms <= endMs),
  }));
  const lines = within.flatMap(({ name, labels, samples }) =>
    samples.map(([ms, value]) => `${nameOf(name, labels)} ${value} ${ms}\n`),
  );
  return { ...(await exporter(() => lines.join(''))), samples: lines.length };
}

export interface LiveExporter {
  /** Such as `127.0.0.1:9100`. */
  readonly target: string;
  close(): void;
}

/** Shows series as they are now. */
export async function exportLive(series: readonly ToldSeries[]): Promise<LiveExporter> {
  return await exporter(() => {
    const nowMs = Date.now();
    const names = [...new Set(series.map(({ name }) => name))];
    const lines = names.flatMap((name) => [
      `# TYPE ${name} untyped`,
      ...series.filter((one) => one.name === name).map((one) => lineOf(one, nowMs)),
    ]);
    return `${lines.join('\n')}\n`;
  });
}

async function exporter(text: () => string): Promise<LiveExporter> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    target: `127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function lineOf({ name, labels, samples }: ToldSeries, nowMs: number): string {
  return `${nameOf(name, labels)} ${valueAt(samples, nowMs)}`;
}

function nameOf(name: string, labels: ToldSeries['labels']): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${pairs.join(',')}}`;
}

function valueAt(samples: readonly Sample[], nowMs: number): number {
  const at = samples.findLastIndex(([ms]) => ms <= nowMs);
  const [[fromMs, from] = [NaN, NaN], [toMs, to] = [NaN, NaN]] = [samples[at], samples[at + 1]];
  return from + ((to - from) * (nowMs - fromMs)) / (toMs - fromMs);
}
