/**
 * Queries of costs, of the series that `/metrics` shows under OpenCost's names. Series of another exporter, such as
 * OpenCost itself, lack `cost_source="prorata"`, and are never counted. USD an hour, unless a name says otherwise.
 */
import type { Variable } from './panels.ts';

const GIB = 1_073_741_824;
/** Hours of a month, as clouds count them. */
const HOURS_A_MONTH = 730;

const OWN = 'cost_source="prorata", cluster=~"$cluster"';
/** Labels of a container, as cAdvisor and kube-state-metrics name them. */
const CONTAINER = 'cluster, namespace, pod, container';

export const CLUSTER: Variable = {
  name: 'cluster',
  label: 'Cluster',
  values: 'label_values(node_total_hourly_cost{cost_source="prorata"}, cluster)',
  isMany: true,
};

/** @param filter further matchers */
export function own(name: string, filter = ''): string {
  return `${name}{${OWN}${filter === '' ? '' : `, ${filter}`}}`;
}

/** One price for each node or volume, however often it is scraped. */
function priced(name: string, by: string): string {
  return `on (${by}) group_left () max by (${by}) (${own(name)})`;
}

const as = (resource: string, query: string): string =>
  `label_replace(${query}, "resource", "${resource}", "", "")`;

/** What pods cost: their containers and claims, with what it is for in the label `resource`. */
export function podCosts(filter = ''): string {
  const cpu = `${own('container_cpu_allocation', filter)} * ${priced('node_cpu_hourly_cost', 'cluster, node')}`;
  const ram = `${own('container_memory_allocation_bytes', filter)} / ${GIB} * ${priced('node_ram_hourly_cost', 'cluster, node')}`;
  const gpu = `${own('container_gpu_allocation', filter)} * ${priced('node_gpu_hourly_cost', 'cluster, node')}`;
  return [as('CPU', cpu), as('memory', ram), as('GPU', gpu), volumes(filter)].join(' or ');
}

/** The same, and load balancers: a label `pod` that they may have is that of prorata, which was scraped. */
export function costs(filter = ''): string {
  return `${podCosts(filter)} or ${as('load balancers', own('kubecost_load_balancer_cost', filter))}`;
}

function volumes(filter = ''): string {
  const bytes = own('pod_pvc_allocation', filter);
  return as(
    'volumes',
    `${bytes} / ${GIB} * ${priced('pv_hourly_cost', 'cluster, persistentvolume')}`,
  );
}

/** What is paid, whether it is used or not. */
export function paid(): string {
  return [
    as('nodes', own('node_total_hourly_cost')),
    volumes(),
    as('load balancers', own('kubecost_load_balancer_cost')),
    as('management', own('kubecost_cluster_management_cost')),
  ].join(' or ');
}

export const NODES: string = `sum(${own('node_total_hourly_cost')})`;
/** The part of nodes that containers are charged for, by node. */
export function allocatedOnNodes(by = ''): string {
  const cpu = `${own('container_cpu_allocation')} * ${priced('node_cpu_hourly_cost', 'cluster, node')}`;
  const ram = `${own('container_memory_allocation_bytes')} / ${GIB} * ${priced('node_ram_hourly_cost', 'cluster, node')}`;
  const gpu = `${own('container_gpu_allocation')} * ${priced('node_gpu_hourly_cost', 'cluster, node')}`;
  return `sum${by} (${as('CPU', cpu)} or ${as('memory', ram)} or ${as('GPU', gpu)})`;
}

/** USD over the range of the dashboard: hours without samples count as nothing. @param perHour a sum */
export function overRange(perHour: string): string {
  return `sum_over_time((${perHour})[$__range:$__interval]) * $__interval_ms / 3600000`;
}

export function perMonth(perHour: string): string {
  return `${perHour} * ${HOURS_A_MONTH}`;
}

const once = (series: string): string => `max by (${CONTAINER}) (${series})`;

/** Cores that each container used, once, though cAdvisor and the kubelet may both tell. */
export function cpuUsed(filter = ''): string {
  return once(`rate(container_cpu_usage_seconds_total{${inCluster(filter)}}[$__rate_interval])`);
}

export function ramUsed(filter = ''): string {
  return once(`container_memory_working_set_bytes{${inCluster(filter)}}`);
}

/** What containers requested that are allocated something: those that ended count no more. */
export function requested(resource: 'cpu' | 'memory', filter = ''): string {
  const requests = `kube_pod_container_resource_requests{${inClusterOnly(filter)}, resource="${resource}"}`;
  return `(${once(requests)} and on (${CONTAINER}) ${own('container_cpu_allocation', filter)})`;
}

function inCluster(filter: string): string {
  return `${inClusterOnly(filter)}, container!="", container!="POD"`;
}

function inClusterOnly(filter: string): string {
  return `cluster=~"$cluster"${filter === '' ? '' : `, ${filter}`}`;
}

/**
 * Multiplied with series of pods it adds the label `workload`: the owner that kube-state-metrics names, without the
 * hash of a ReplicaSet; the pod itself where nothing owns it.
 */
export function byWorkload(perPod: string, filter: string): string {
  const owners = `max by (cluster, namespace, pod, owner_kind, owner_name) (kube_pod_owner{${inClusterOnly(filter)}})`;
  const owner = `label_join(${owners}, "owner", "/", "owner_kind", "owner_name")`;
  const fromPod = `label_replace(${owner}, "workload", "$1", "pod", "(.+)")`;
  const fromOwner = `label_replace(${fromPod}, "workload", "$1", "owner", "[A-Za-z]+/(.+)")`;
  const named = `label_replace(${fromOwner}, "workload", "$1", "owner", "ReplicaSet/(.+)-[a-z0-9]+")`;
  const workloads = `max by (cluster, namespace, pod, workload) (${named})`;
  return `sum by (workload) ((${perPod}) * on (cluster, namespace, pod) group_left (workload) ${workloads})`;
}
