/**
 * The catalogue of metrics: which are read for allocations, and which of their labels matter. The
 * names are those of kube-state-metrics v2, cAdvisor and, where present, the OpenCost exporter.
 */
import type { Matcher, Selection } from './source.ts';

/**
 * A label by meaning: the first of its names that a series has. `exported_…` is what Prometheus
 * makes of an exporter's own label that a scrape label hides; without it the scrape label would be
 * taken for the workload's.
 */
export const LABEL_NAMES: Readonly<
  Record<'namespace' | 'pod' | 'container' | 'node', readonly string[]>
> = {
  namespace: ['exported_namespace', 'namespace'],
  pod: ['exported_pod', 'pod', 'pod_name'],
  container: ['exported_container', 'container', 'container_name'],
  node: ['exported_node', 'node'],
};

/** Labels of cAdvisor's series that change when a container is started again. */
export const RUN_LABELS: readonly string[] = ['id', 'name', 'container_id'];

/** A metric whose series are facts about pods and nodes; their values rarely change. */
export interface FactMetric {
  readonly selection: Selection;
  /** Labels to keep; `label_*` keeps all that begin so. */
  readonly keep: readonly string[];
}

const POD = [...LABEL_NAMES.namespace, ...LABEL_NAMES.pod, 'uid'];
const CONTAINER = [...POD, ...LABEL_NAMES.container];
const NODE = [...LABEL_NAMES.node];

function fact(metric: string, keep: readonly string[], ...matchers: Matcher[]): FactMetric {
  return { selection: { metric, matchers }, keep };
}

/** GPU resources of device plugins, as kube-state-metrics writes them. */
const GPU_RESOURCES = ['nvidia_com_gpu', 'amd_com_gpu', 'gpu_intel_com_i915', 'gpu_intel_com_xe'];

export const RESOURCE_OF_LABEL: Readonly<Record<string, 'cpu' | 'ram' | 'gpu'>> = Object.assign(
  Object.create(null) as Record<string, 'cpu' | 'ram' | 'gpu'>,
  { cpu: 'cpu', memory: 'ram' },
  Object.fromEntries(GPU_RESOURCES.map((name) => [name, 'gpu'])),
);

/** Facts about pods, their containers and their nodes, by what they tell. */
export type FactName =
  | 'requests'
  | 'podInfo'
  | 'podStart'
  | 'podCompletion'
  | 'podOwner'
  | 'podLabels'
  | 'containerInfo'
  | 'containerStart'
  | 'replicaSetOwner'
  | 'jobOwner'
  | 'nodeCpuPrice'
  | 'nodeRamPrice'
  | 'nodeGpuPrice'
  | 'nodeIsSpot';

export const FACTS: Readonly<Record<FactName, FactMetric>> = {
  requests: fact('kube_pod_container_resource_requests', [...CONTAINER, ...NODE, 'resource'], {
    label: 'resource',
    operator: '=~',
    value: ['cpu', 'memory', ...GPU_RESOURCES].join('|'),
  }),
  podInfo: fact('kube_pod_info', [...POD, ...NODE, 'created_by_kind', 'created_by_name']),
  podStart: fact('kube_pod_start_time', POD),
  podCompletion: fact('kube_pod_completion_time', POD),
  podOwner: fact('kube_pod_owner', [...POD, 'owner_kind', 'owner_name', 'owner_is_controller']),
  podLabels: fact('kube_pod_labels', [...POD, 'label_*']),
  containerInfo: fact('kube_pod_container_info', CONTAINER),
  containerStart: fact('kube_pod_container_state_started', CONTAINER),
  replicaSetOwner: fact('kube_replicaset_owner', [
    ...LABEL_NAMES.namespace, 'replicaset', 'owner_kind', 'owner_name',
  ]), // prettier-ignore
  jobOwner: fact('kube_job_owner', [
    ...LABEL_NAMES.namespace, 'job_name', 'exported_job_name', 'owner_kind', 'owner_name',
  ]), // prettier-ignore
  nodeCpuPrice: fact('node_cpu_hourly_cost', NODE),
  nodeRamPrice: fact('node_ram_hourly_cost', NODE),
  nodeGpuPrice: fact('node_gpu_hourly_cost', NODE),
  nodeIsSpot: fact('kubecost_node_is_spot', NODE),
};

const RUNNING: readonly Matcher[] = [
  { label: 'container', operator: '!=', value: '' },
  { label: 'container', operator: '!=', value: 'POD' },
];

/** Usage of containers: read after the facts, and never kept. */
export const USAGE: Readonly<Record<'cpu' | 'ram', Selection>> = {
  cpu: { metric: 'container_cpu_usage_seconds_total', matchers: RUNNING },
  ram: { metric: 'container_memory_working_set_bytes', matchers: RUNNING },
};
