/** What kube-state-metrics, cAdvisor and a price exporter show of a fleet, as OpenMetrics. */
import {
  type Labels,
  type OpenMetricsWriter,
  openMetricsWriter,
  type Sample,
} from '../../../scripts/openmetrics.ts';
import {
  type Course,
  type Fleet,
  type FleetContainer,
  type FleetNode,
  type FleetPod,
  integral,
  scrapeTimes,
  type Span,
  type StatusMetrics,
  valueAt,
} from './fleet.ts';

import { eachCpu, one, sampled, type Series, type Shown } from './fleet-shown.ts';

/** How long a container that crashed is told as terminated, in ms. */
const CRASHED_MS = 30_000;

/** Writes all fleets into one file. @returns how many samples */
export async function writeFleets(file: string, fleets: readonly Fleet[]): Promise<number> {
  const writer = openMetricsWriter(file);
  const series = fleets.flatMap((fleet) => [
    ...kubeStateMetrics(fleet),
    ...cadvisor(fleet),
    ...nodes(fleet),
    ...balancers(fleet),
  ]);
  for (const name of new Set(series.map((one) => one.name))) {
    // Any name goes with `unknown`, and it does not matter what type is said.
    writer.family(name, 'unknown');
    for (const one of series) if (one.name === name) await write(writer, one);
  }
  return await writer.close();
}

async function write(writer: OpenMetricsWriter, series: Series): Promise<void> {
  if (series.samples.length > 0) await writer.series(series.labels, series.samples);
}

function kubeStateMetrics(fleet: Fleet): Series[] {
  const { lacks = [] } = fleet;
  const byPod = fleet.pods.map((pod) =>
    [
      ...podShown(pod),
      ...statusShown(fleet, pod),
      ...pod.containers.flatMap((container) => containerShown(pod, container)),
    ].filter(({ name }) => !lacks.includes(name)),
  );
  return fleet.kubeStateMetrics.flatMap((scrape, replica) => {
    const [shard, shards] = scrape.shard ?? [0, 1];
    const shown = byPod.filter((_pod, i) => i % shards === shard).flat();
    const times = scrapeTimes(scrape, fleet.scraped);
    return shown.map((one) => sampled(one, times, stateLabels(fleet, replica)));
  });
}

function podShown(pod: FleetPod): Shown[] {
  const { namespace, name, uid, node } = pod;
  const labels = { namespace, pod: name, uid };
  const goneMs = shownUntilMs(pod);
  const life: Span = [pod.startMs, goneMs];
  const created = pod.createdMs ?? pod.startMs;
  const owner = {
    owner_kind: 'StatefulSet',
    owner_name: `${name}-set`,
    owner_is_controller: 'true',
  };
  return [
    {
      name: 'kube_pod_info',
      labels: { ...labels, node: '' },
      span: [created, pod.startMs],
      value: one,
    },
    { name: 'kube_pod_info', labels: { ...labels, node }, span: life, value: one },
    { name: 'kube_pod_owner', labels: { ...labels, ...owner }, span: life, value: one },
    {
      name: 'kube_pod_labels',
      labels: { ...labels, label_app: pod.app ?? name },
      span: life,
      value: one,
    },
    { name: 'kube_pod_start_time', labels, span: life, value: () => pod.startMs / 1000 },
    { name: 'kube_pod_completion_time', labels, span: life, value: (ms) => completionOf(pod, ms) },
    ...(pod.deletion ? [deletionShown(labels, pod.deletion, goneMs)] : []),
    ...reservationShown(pod),
  ];
}

/** Overhead by kube-state-metrics, the effective request by kube-scheduler, which names no uid. */
function reservationShown({ namespace, name, uid, node, overhead, reserved, ...pod }: FleetPod): Shown[] {
  const labels = { namespace, pod: name };
  const span: Span = [pod.startMs, pod.endMs];
  const shown = (metric: string, more: Labels, value: number): Shown => ({ name: metric, labels: { ...labels, ...more }, span, value: () => value });
  return [
    ...(overhead ? [
      shown('kube_pod_overhead_cpu_cores', { uid }, overhead.cpuCores),
      shown('kube_pod_overhead_memory_bytes', { uid }, overhead.ramBytes),
    ] : []),
    ...(reserved ? [
      shown('kube_pod_resource_request', { node, scheduler: 'default-scheduler', resource: 'cpu', unit: 'cores' }, reserved.cpuCores),
      shown('kube_pod_resource_request', { node, scheduler: 'default-scheduler', resource: 'memory', unit: 'bytes' }, reserved.ramBytes),
    ] : []),
  ];
} // prettier-ignore

function deletionShown(
  labels: Labels,
  { fromMs, atMs }: NonNullable<FleetPod['deletion']>,
  goneMs: number,
): Shown {
  const value = (): number => atMs / 1000;
  return { name: 'kube_pod_deletion_timestamp', labels, span: [fromMs, goneMs], value };
}

/** The latest end of those containers that are terminated at a time, as kube-state-metrics has it: seconds. */
function completionOf(pod: FleetPod, timeMs: number): number | undefined {
  if (pod.isRejected === true) return undefined;
  if (timeMs >= pod.endMs) return pod.ends === 'completed' ? pod.endMs / 1000 : undefined;
  const finished = pod.containers.flatMap(({ finishedMs, down = [] }) => [
    ...(finishedMs === undefined ? [] : [finishedMs]),
    // A container that crashed is terminated for a moment, then waits.
    ...down.filter(([fromMs]) => timeMs < fromMs + CRASHED_MS).map(([fromMs]) => fromMs),
  ]);
  const ended = finished.filter((endMs) => endMs <= timeMs);
  return ended.length === 0 ? undefined : Math.max(...ended) / 1000;
}

function statusShown({ status = 'none' }: Fleet, pod: FleetPod): Shown[] {
  const { namespace, name, uid, isRejected = false, containers } = pod;
  const labels = { namespace, pod: name, uid };
  const span: Span = [pod.createdMs ?? pod.startMs, shownUntilMs(pod)];
  const phaseAt = (timeMs: number): string => {
    if (isRejected) return 'Failed';
    if (timeMs < pod.startMs) return 'Pending';
    if (timeMs < pod.endMs) return 'Running';
    return pod.ends === 'evicted' ? 'Failed' : 'Succeeded';
  };
  const phases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];
  const runs = (container: FleetContainer, timeMs: number): boolean =>
    timeMs >= (container.startMs ?? pod.startMs) &&
    timeMs < Math.min(pod.endMs, container.finishedMs ?? Infinity) &&
    !isDown(container, timeMs);
  const told: Readonly<Record<StatusMetrics, Shown[]>> = {
    none: [],
    phases: phases.map((phase) => ({
      name: 'kube_pod_status_phase',
      labels: { ...labels, phase },
      span,
      value: (timeMs) => Number(phaseAt(timeMs) === phase),
    })),
    'running containers': containers.map((container) => ({
      name: `kube_pod_${container.isSidecar === true ? 'init_' : ''}container_status_running`,
      labels: { ...labels, container: container.name },
      span: [pod.startMs, span[1]],
      value: (timeMs) => Number(runs(container, timeMs)),
    })),
  };
  return told[status];
}

function containerShown(pod: FleetPod, container: FleetContainer): Shown[] {
  const { namespace, name, uid, node } = pod;
  const { isSidecar = false } = container;
  const labels = { namespace, pod: name, uid, container: container.name };
  const startMs = container.startMs ?? pod.startMs;
  const starts = [startMs, ...(container.restartsMs ?? [])];
  const request = (resource: string, unit: string, value: Shown['value']): Shown => ({
    name: `kube_pod_${isSidecar ? 'init_' : ''}container_resource_requests`,
    labels: { ...labels, node, resource, unit },
    span: [pod.startMs, shownUntilMs(pod)],
    value,
  });
  const { cpuCores, ramBytes, gpus } = container;
  return [
    isSidecar
      ? sidecarShown(labels, [pod.startMs, shownUntilMs(pod)])
      : {
          name: 'kube_pod_container_state_started',
          labels,
          span: [startMs, pod.isRejected === true ? startMs : pod.endMs],
          value: (timeMs) =>
            isDown(container, timeMs)
              ? undefined
              : (starts.findLast((ms) => ms <= timeMs) ?? startMs) / 1000,
        },
    ...(cpuCores ? [request('cpu', 'core', (timeMs) => valueAt(cpuCores, timeMs))] : []),
    ...(ramBytes ? [request('memory', 'byte', (timeMs) => valueAt(ramBytes, timeMs))] : []),
    ...(gpus === undefined ? [] : [request('nvidia_com_gpu', 'integer', () => gpus)]),
  ];
}

function sidecarShown(labels: Labels, span: Span): Shown {
  const restarts = { ...labels, restart_policy: 'Always' };
  return { name: 'kube_pod_init_container_info', labels: restarts, span, value: one };
}

/** Containers, and the traps that come with them: the whole pod as `container=""`, and `POD`. */
function cadvisor(fleet: Fleet): Series[] {
  const times = scrapeTimes(fleet.cadvisor, fleet.scraped);
  const taken = fleet.pods.filter(({ isRejected }) => isRejected !== true);
  return taken.flatMap((pod) => {
    const { namespace, name, node, uid } = pod;
    const from = { cluster_id: fleet.cluster, job: 'cadvisor', instance: `${node}:10250`, node };
    const labels = { ...from, namespace, pod: name };
    const runs = pod.containers.flatMap((container) => containerRuns(pod, container));
    const containers = runs.flatMap((run, i) =>
      runSeries(run, times, {
        ...labels,
        container: run.container.name,
        id: `/kubepods/${uid}/${i}`,
      }),
    );
    const traps = runs
      .slice(0, 1)
      .flatMap((run) => [
        ...runSeries(run, times, { ...labels, container: '', id: `/kubepods/${uid}` }),
        ...runSeries(run, times, { ...labels, container: 'POD', id: `/kubepods/${uid}/pause` }),
      ]);
    return [...containers, ...traps].flatMap((series) => eachCpu(series, fleet.cpusShown));
  });
}

/** One run of a container: one series of cAdvisor, whose counter begins at 0 at each of `zeros`. */
interface Run {
  readonly container: FleetContainer;
  readonly span: Span;
  readonly zerosMs: readonly number[];
}

function containerRuns(pod: FleetPod, container: FleetContainer): Run[] {
  const starts = [container.startMs ?? pod.startMs, ...(container.restartsMs ?? [])];
  return starts.map((startMs, i) => ({
    container,
    span: [startMs, starts[i + 1] ?? container.finishedMs ?? pod.endMs],
    zerosMs: [startMs, ...(container.resetsMs ?? [])],
  }));
}

/** The sample at the very moment of a restart or reset still belongs to what was before. */
function runSeries(run: Run, times: readonly number[], labels: Labels): Series[] {
  const { container, zerosMs, span } = run;
  const cpu: Sample[] = [];
  const ram: Sample[] = [];
  for (const timeMs of times) {
    if (timeMs <= span[0] || timeMs > span[1] || isDown(container, timeMs)) continue;
    const zeroMs = zerosMs.findLast((ms) => ms < timeMs) ?? span[0];
    const used = integral(container.cpuUsageCores, [zeroMs, timeMs]) / 1000;
    // Less than at the scrape before, and more than half of it.
    const before = cpu.at(-1)?.[1] ?? 0;
    cpu.push([timeMs, container.dipsMs?.includes(timeMs) === true ? 0.9 * before : used]);
    ram.push([timeMs, valueAt(container.ramUsageBytes, timeMs)]);
  }
  return [
    {
      name: 'container_cpu_usage_seconds_total',
      labels: { ...labels, cpu: 'total' },
      samples: cpu,
    },
    { name: 'container_memory_working_set_bytes', labels, samples: ram },
  ];
}

const SPIKE_FACTOR = 50;

/** What kube-state-metrics shows of a machine. */
function stateOf({ name, capacity }: FleetNode, id: Labels): Omit<Shown, 'span'>[] {
  const sizes = capacity ? { cpu: capacity.cpuCores, memory: capacity.ramBytes } : {};
  return [
    { name: 'kube_node_info', labels: { node: name, ...id }, value: one },
    ...Object.entries(sizes).map(([resource, size]) => ({
      name: 'kube_node_status_capacity',
      labels: { node: name, resource },
      value: () => size,
    })),
  ];
}

function stateLabels({ cluster }: Fleet, replica: number): Labels {
  const instance = `10.0.0.${replica + 1}:8080`;
  return { cluster_id: cluster, job: 'kube-state-metrics', instance };
}

function nodes(fleet: Fleet): Series[] {
  const times = scrapeTimes(fleet.prices, fleet.scraped);
  const from = { cluster_id: fleet.cluster, job: 'node-prices', instance: '10.0.0.9:9003' };
  return fleet.nodes.flatMap((node) => {
    const { name, providerId, prices, contradiction } = node;
    const id: Labels = providerId === undefined ? {} : { provider_id: providerId };
    const span: Span = [node.fromMs ?? fleet.scraped[0], node.goneMs ?? fleet.scraped[1]];
    const shown = (metric: string, value: Shown['value'], labels: Labels = {}): Series =>
      sampled({ name: metric, labels: { node: name, ...labels }, span, value }, times, from);
    const price = (metric: string, course: Course, labels: Labels = id): Series =>
      shown(metric, (timeMs) => valueAt(course, timeMs), labels);
    const cpuPrice = (timeMs: number): number =>
      valueAt(prices?.cpuUsdPerCoreHour ?? [], timeMs) *
      (node.spikesMs?.includes(timeMs) === true ? SPIKE_FACTOR : 1);
    return [
      ...fleet.kubeStateMetrics.flatMap((scrape, replica) =>
        stateOf(node, id).map((one) =>
          sampled(
            { ...one, span },
            scrapeTimes(scrape, fleet.scraped),
            stateLabels(fleet, replica),
          ),
        ),
      ),
      ...(node.spot === undefined ? [] : [shown('kubecost_node_is_spot', () => Number(node.spot))]),
      ...(prices === undefined
        ? []
        : [
            shown('node_cpu_hourly_cost', cpuPrice, id),
            price('node_ram_hourly_cost', prices.ramUsdPerGibHour),
            price('node_gpu_hourly_cost', prices.gpuUsdPerHour),
          ]),
      ...(contradiction
        ? [price('node_cpu_hourly_cost', contradiction.cpuUsdPerCoreHour, contradiction.labels)]
        : []),
    ];
  });
}

function balancers(fleet: Fleet): Series[] {
  const times = scrapeTimes(fleet.prices, fleet.scraped);
  const from = { cluster_id: fleet.cluster, job: 'node-prices', instance: '10.0.0.9:9003' };
  const { balancers: all = [] } = fleet;
  const prices = all.map(({ namespace, service, address, span, usdPerHour }) => {
    const labels = { namespace, service_name: service, ingress_ip: address };
    const value = (): number => usdPerHour;
    return sampled({ name: 'kubecost_load_balancer_cost', labels, span, value }, times, from);
  });
  const services = new Map(all.map((one) => [`${one.namespace}/${one.service}`, one]));
  const selectors = [...services.values()].map(({ namespace, service, app }) => {
    const labels = { namespace, service, label_app: app };
    return sampled({ name: 'service_selector_labels', labels, span: fleet.scraped, value: one }, times, from);
  });
  return [...prices, ...selectors];
} // prettier-ignore

function shownUntilMs(pod: FleetPod): number {
  return pod.ends === 'deleted' ? pod.endMs : pod.endMs + (pod.lingerMs ?? 300_000);
}

function isDown(container: FleetContainer, timeMs: number): boolean {
  return (container.down ?? []).some(([fromMs, toMs]) => timeMs > fromMs && timeMs < toMs);
}
