/**
 * What a node's kubelet shows at a time, of cgroups and of resources, as a real one: samples carry the
 * time of the housekeeping that took them, cgroups of pods and sandboxes stand beside those of containers,
 * and one that ended is shown for a while longer.
 * https://kubernetes.io/docs/concepts/cluster-administration/system-metrics/
 */
import {
  isRunningAt,
  lifeEndMs,
  PULL_MS,
  type PlannedContainer,
  type PlannedNode,
  type PlannedPod,
} from './plan.ts';
import { containerId } from './pod-object.ts';
import { integral } from './usage-curves.ts';

/** Between two looks of cAdvisor at a container. */
export const HOUSEKEEPING_MS = 10_000;
/** How long it shows a container that ended. */
export const LINGER_MS = 15_000;

export interface NodeView {
  readonly node: PlannedNode;
  /** Those of the node, whenever they live. */
  readonly pods: readonly PlannedPod[];
  /** So many further metrics of each cgroup, as a real one has dozens that nobody needs here. */
  readonly furtherMetrics?: number;
}

interface Shown {
  readonly pod: PlannedPod;
  readonly container: PlannedContainer;
  /** When its last sample was taken. */
  readonly timeMs: number;
  /** When it began, which its counter counts from. */
  readonly sinceMs: number;
  readonly id: string;
}

/** Every container that it shows; one that restarted may be there twice. */
function shownContainers({ pods }: NodeView, nowMs: number): Shown[] {
  return pods.flatMap((pod) => {
    if (nowMs < pod.startMs + PULL_MS || nowMs >= lifeEndMs(pod) + LINGER_MS) return [];
    return pod.containers.flatMap((container) => {
      const begunMs = [pod.startMs + PULL_MS, ...container.restartsMs];
      return begunMs.flatMap((sinceMs, i): Shown[] => {
        const untilMs = Math.min(begunMs[i + 1] ?? Infinity, lifeEndMs(pod));
        if (nowMs < sinceMs || nowMs >= untilMs + LINGER_MS || sinceMs >= untilMs) return [];
        const lookedMs = housekeepingMs(pod, Math.min(nowMs, untilMs - 1));
        const id = containerId(pod, container, sinceMs);
        return [{ pod, container, sinceMs, id, timeMs: Math.max(sinceMs, lookedMs) }];
      });
    });
  });
}

/** The last one up to a time; every pod has its own phase. */
function housekeepingMs({ startMs, name }: PlannedPod, timeMs: number): number {
  const letter = name.codePointAt(name.length - 1) ?? 0;
  const phaseMs = (startMs / 1000 + 37 * name.length * letter) % 9973;
  return Math.floor((timeMs - phaseMs) / HOUSEKEEPING_MS) * HOUSEKEEPING_MS + phaseMs;
}

function cpuSeconds({ container: { cpu }, sinceMs, timeMs }: Shown): number {
  return integral(cpu, sinceMs, timeMs) / 1000;
}

/** `/metrics/cadvisor` */
export function cadvisorText(view: NodeView, nowMs: number): string {
  const shown = shownContainers(view, nowMs);
  const pods = view.pods.filter((pod) => isRunningAt(pod, nowMs));
  const lines: string[] = [];
  const family = (name: string, type: string, more: string, values: Values): void => {
    const { root, pod: ofPod, sandbox, container } = values;
    const show = (labels: string, value: number, timeMs: number): void =>
      void lines.push(`${name}{${labels}} ${value} ${timeMs}`);
    lines.push(`# HELP ${name} ${name.replaceAll('_', ' ')}.`, `# TYPE ${name} ${type}`);
    if (root !== undefined) show(cgroup('', more, '/', '', ''), root, nowMs - 1000);
    for (const pod of pods) {
      const lookedMs = housekeepingMs(pod, nowMs);
      if (ofPod) show(podLabels(pod, more), ofPod(pod), lookedMs);
      if (sandbox) show(sandboxLabels(pod, more), sandbox(pod), lookedMs);
    }
    if (container)
      for (const one of shown) show(containerLabels(one, more), container(one), one.timeMs);
  };
  const sumOf = (value: (one: Shown) => number) => (pod: PlannedPod) =>
    shown.filter((one) => one.pod === pod).reduce((sum, one) => sum + value(one), 0.01);
  family('container_cpu_usage_seconds_total', 'counter', 'cpu="total",', {
    root: nowMs / 1e6,
    pod: sumOf(cpuSeconds),
    container: cpuSeconds,
  });
  for (let i = 0; i < (view.furtherMetrics ?? 0); i++) {
    const values = { root: i, pod: () => i * 1e6, container: () => i * 1e6 };
    family(`container_further_${String(i).padStart(2, '0')}_total`, 'counter', '', values);
  }
  family('container_fs_limit_bytes', 'gauge', 'device="/dev/nvme0n1p1",', { root: DISK_BYTES });
  family('container_memory_working_set_bytes', 'gauge', '', {
    root: view.node.ramBytes / 2,
    pod: sumOf(ramBytes),
    container: ramBytes,
  });
  for (const way of ['receive', 'transmit']) {
    const sandbox = (pod: PlannedPod): number => networkBytes(pod, nowMs);
    family(`container_network_${way}_bytes_total`, 'counter', 'interface="eth0",', { sandbox });
  }
  family('container_start_time_seconds', 'gauge', '', {
    container: ({ sinceMs }) => sinceMs / 1000,
  });
  return `${lines.join('\n')}\nmachine_memory_bytes{machine_id=""} ${view.node.ramBytes}\n`;
}

/** The value of each kind of cgroup that a metric is shown of. */
interface Values {
  readonly root?: number;
  readonly pod?: (pod: PlannedPod) => number;
  readonly sandbox?: (pod: PlannedPod) => number;
  readonly container?: (one: Shown) => number;
}

const DISK_BYTES = 100 * 2 ** 30;

/** Labels that every cgroup has, empty where they tell nothing. */
function cgroup(container: string, more: string, id: string, image: string, name: string): string {
  return `container="${container}",${more}id="${id}",image="${image}",name="${name}"`;
}

function podLabels(pod: PlannedPod, more: string): string {
  return `${cgroup('', more, podSlice(pod), '', '')},${named(pod)}`;
}

function sandboxLabels(pod: PlannedPod, more: string): string {
  const id = Buffer.from(`sandbox-${pod.uid}`).toString('hex').padStart(64, '0').slice(-64);
  const scope = `${podSlice(pod)}/cri-containerd-${id}.scope`;
  return `${cgroup('', more, scope, 'registry.k8s.io/pause:3.10', id)},${named(pod)}`;
}

function containerLabels({ pod, container: { name }, id }: Shown, more: string): string {
  const image = `registry.example.com/${pod.owner.name}/${name}:1.4.2`;
  const scope = `${podSlice(pod)}/cri-containerd-${id}.scope`;
  return `${cgroup(name, more, scope, image, id)},${named(pod)}`;
}

function named({ namespace, name }: PlannedPod): string {
  return `namespace="${namespace}",pod="${name}"`;
}

function podSlice({ uid }: PlannedPod): string {
  const id = uid.replaceAll('-', '_');
  return `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${id}.slice`;
}

/** `/metrics/resource`: less, and of each container only the newest. */
export function resourceText(view: NodeView, nowMs: number): string {
  const all = shownContainers(view, nowMs).filter(({ pod }) => isRunningAt(pod, nowMs));
  const shown = [
    ...new Map(all.map((one) => [`${one.pod.uid}/${one.container.name}`, one])).values(),
  ];
  const labels = ({ pod, container }: Shown): string =>
    `container="${container.name}",${named(pod)}`;
  const family = (name: string, type: string, value: (one: Shown) => number): string[] => [
    `# HELP ${name} [STABLE] ${name.replaceAll('_', ' ')}`,
    `# TYPE ${name} ${type}`,
    ...shown.map((one) => `${name}{${labels(one)}} ${value(one)} ${one.timeMs}`),
  ];
  return `${[
    ...family('container_cpu_usage_seconds_total', 'counter', cpuSeconds),
    ...family('container_memory_working_set_bytes', 'gauge', ramBytes),
    ...family('container_start_time_seconds', 'gauge', ({ sinceMs }) => sinceMs / 1000),
    '# HELP node_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the node in core-seconds',
    '# TYPE node_cpu_usage_seconds_total counter',
    `node_cpu_usage_seconds_total ${nowMs / 1e6} ${nowMs - 1000}`,
    '# HELP resource_scrape_error [STABLE] 1 if there was an error while getting container metrics, 0 otherwise',
    '# TYPE resource_scrape_error gauge',
    'resource_scrape_error 0',
  ].join('\n')}\n`;
}

/** Bytes a second both ways, since the sandbox began. */
function networkBytes(pod: PlannedPod, nowMs: number): number {
  return Math.round(housekeepingMs(pod, nowMs) - pod.startMs);
}

function ramBytes({ container: { ram }, timeMs }: Shown): number {
  return ram.at(timeMs);
}
