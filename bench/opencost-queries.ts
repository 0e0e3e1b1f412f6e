/**
 * The queries that OpenCost sends for a day's allocations, to the same Prometheus: what its answer
 * takes at the least, as its own work comes on top. Instant queries at the window's end, as in
 * pkg/costmodel/allocation.go (https://github.com/opencost/opencost).
 */
import type { Download } from './download.ts';
import type { Downloader } from './downloader.ts';
import type { Task } from './harness.ts';
import { WINDOW_START_MS, type FleetOptions } from './usage-fleet.ts';

/** OpenCost's default. */
const RESOLUTION = '5m';
const CLUSTER = 'cluster_id';
const CONTAINER = 'container!="",container!="POD",node!=""';
const BY_CONTAINER = `container,pod,namespace,node,${CLUSTER}`;
const USED = 'container!="",container_name!="POD",container!="POD"';
const BY_USED = `container_name,container,pod_name,pod,namespace,instance,${CLUSTER}`;
const REQUESTS = 'kube_pod_container_resource_requests';
const CPU_REQUESTS = `${REQUESTS}{resource="cpu",unit="core",${CONTAINER}}`;
const PRICED = `node,${CLUSTER},instance_type,provider_id`;
const EGRESS = 'kubecost_pod_network_egress_bytes_total';

const WAYS = [
  'internet="false",same_zone="false",same_region="true"',
  'internet="false",same_zone="false",same_region="false"',
  'internet="true"',
];

/** Averages over the window, by labels. */
const AVERAGES: readonly (readonly [selector: string, by: string])[] = [
  [`container_memory_allocation_bytes{${CONTAINER}}`, `${BY_CONTAINER},provider_id`],
  [`container_cpu_allocation{${CONTAINER}}`, BY_CONTAINER],
  [`container_gpu_allocation{${CONTAINER}}`, BY_CONTAINER],
  [`${REQUESTS}{resource="memory",unit="byte",${CONTAINER}}`, BY_CONTAINER],
  [CPU_REQUESTS, BY_CONTAINER],
  [`${REQUESTS}{resource="nvidia_com_gpu",${CONTAINER}}`, BY_CONTAINER],
  [`container_memory_working_set_bytes{${USED}}`, BY_USED],
  ['DCGM_FI_PROF_GR_ENGINE_ACTIVE{container!=""}', `container,pod,namespace,${CLUSTER}`],
  ['node_cpu_hourly_cost', PRICED],
  ['node_ram_hourly_cost', PRICED],
  ['node_gpu_hourly_cost', PRICED],
  ['pod_pvc_allocation', `persistentvolume,persistentvolumeclaim,pod,namespace,${CLUSTER}`],
  ['kube_persistentvolumeclaim_resource_requests_storage_bytes', `persistentvolumeclaim,namespace,${CLUSTER}`],
  ['kube_persistentvolume_capacity_bytes', `persistentvolume,${CLUSTER}`],
  ['pv_hourly_cost', `volumename,${CLUSTER}`],
  ['kubecost_pv_info', `${CLUSTER},persistentvolume,provider_id`],
  ['kubecost_network_zone_egress_cost', CLUSTER],
  ['kubecost_network_region_egress_cost', CLUSTER],
  ['kubecost_network_internet_egress_cost', CLUSTER],
  ['kubecost_load_balancer_cost', `namespace,service_name,ingress_ip,${CLUSTER}`],
]; // prettier-ignore

/** Series with their labels. */
const INFOS = [
  'kubecost_node_is_spot',
  'kube_node_labels',
  'kube_namespace_labels',
  'kube_namespace_annotations',
  'kube_pod_labels',
  'kube_pod_annotations',
  'service_selector_labels',
  'deployment_match_labels',
  'statefulSet_match_labels',
];

/** @param range the window's length, as PromQL has it */
function queries(range: string): string[] {
  const owned = (kind: string): string =>
    `sum(avg_over_time(kube_pod_owner{owner_kind="${kind}"}[${range}])) by (pod,owner_name,namespace,${CLUSTER})`;
  const traffic = (selector: string): string =>
    `sum(increase(${selector}[${range}])) by (pod_name,pod,namespace,${CLUSTER})`;
  const cpu = `container_cpu_usage_seconds_total{${USED}}`;
  return [
    `avg(kube_pod_container_status_running != 0) by (pod,namespace,${CLUSTER})[${range}:${RESOLUTION}]`,
    ...AVERAGES.map(([selector, by]) => `avg(avg_over_time(${selector}[${range}])) by (${by})`),
    `max(max_over_time(container_memory_working_set_bytes{${USED}}[${range}])) by (${BY_USED})`,
    `avg(rate(${cpu}[${range}])) by (${BY_USED})`,
    `max(max_over_time(irate(${cpu}[10m])[${range}:${RESOLUTION}])) by (${BY_USED})`,
    `avg(kube_persistentvolumeclaim_info{volumename!=""}) by (persistentvolumeclaim,storageclass,volumename,namespace,${CLUSTER})[${range}:${RESOLUTION}]`,
    `count(kube_persistentvolume_capacity_bytes) by (persistentvolume,${CLUSTER})[${range}:${RESOLUTION}]`,
    `count(kubecost_load_balancer_cost) by (namespace,service_name,${CLUSTER})[${range}:${RESOLUTION}]`,
    ...WAYS.map((way) => traffic(`${EGRESS}{${way}}`)),
    ...['receive', 'transmit'].map((way) =>
      traffic(`container_network_${way}_bytes_total{pod!=""}`),
    ),
    ...INFOS.map((metric) => `avg_over_time(${metric}[${range}])`),
    ...['DaemonSet', 'Job', 'ReplicaSet'].map(owned),
    `avg(avg_over_time(kube_replicaset_owner{owner_kind="<none>"}[${range}])) by (replicaset,namespace,${CLUSTER})`,
    `avg(avg_over_time(kube_replicaset_owner{owner_kind="Rollout"}[${range}])) by (replicaset,namespace,owner_kind,owner_name,${CLUSTER})`,
  ];
}

/** Its checksum is the core-hours of requests, which are part of the answer. */
export function openCostQueries(url: string, fleet: FleetOptions, downloader: Downloader): Task {
  const range = `${fleet.hours}h`;
  const at = WINDOW_START_MS / 1000 + fleet.hours * 3600;
  const pathOf = (query: string): string =>
    `/api/v1/query?${new URLSearchParams({ query, time: String(at) }).toString()}`;
  const downloads = queries(range).map((query): Download => ({
    method: 'GET',
    origin: url,
    path: pathOf(query),
  }));
  return {
    name: "Prometheus, OpenCost's queries alone",
    run: () => downloader.run(downloads),
    async checksum() {
      const cores = `sum(avg_over_time(${CPU_REQUESTS}[${range}]))`;
      const response = await fetch(url + pathOf(cores));
      const { data } = (await response.json()) as Scalar;
      return Number(data.result[0]?.value[1]) * fleet.hours;
    },
  };
}

interface Scalar {
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}
