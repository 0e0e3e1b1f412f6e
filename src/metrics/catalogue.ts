/**
 * The catalogue of metrics that are read for allocations, with the labels that are used. The names are
 * those of kube-state-metrics v2, cAdvisor and, where present, the OpenCost exporter.
 */
import {
  CLOUD_LABELS,
  COMPUTE_CLASS_LABELS,
  MACHINE_LABELS,
  NODE_GPU_LABELS,
  NODE_OS_LABELS,
  NODE_POOL_LABELS,
  NODE_REGION_LABELS,
  NODE_TYPE_LABELS,
  NODE_ZONE_LABELS,
  SPOT_LABELS,
} from './node-labels.ts';
import { ACCELERATORS, LIKELY_ACCELERATORS } from './accelerators.ts';
import type { FactName } from './fact-name.ts';
import type { Matcher, Selection } from './source.ts';
import { is, RAM_USAGE, RUNNING } from './usage.ts';

export {
  acceleratorOf,
  CLAIMED_DEVICES,
  isAcceleratorDriver,
  isLikelyAccelerator,
  partitionNamed,
  partitionOfDevice,
  partitionOfModel,
  wholeDevice,
  type Partition,
} from './accelerators.ts';
export type { FactName } from './fact-name.ts';
export { OWN_SERIES } from './own-series.ts';
export {
  EGRESS_VARIANTS,
  GPU_VARIANTS,
  SCRAPE_LABELS,
  TRANSFER_VARIANTS,
  USAGE,
  usageReads,
  usageScale,
  type UsageName,
} from './usage.ts';
export {
  CLOUD_LABELS,
  COMPUTE_CLASS_LABELS,
  MACHINE_LABELS,
  type MachineKind,
  NODE_GPU_LABELS,
  NODE_OS_LABELS,
  type GpuLabel,
  NODE_POOL_LABELS,
  NODE_REGION_LABELS,
  NODE_TYPE_LABELS,
  NODE_ZONE_LABELS,
  rootDevices,
  SPOT_LABELS,
} from './node-labels.ts';

/**
 * Names of a label by meaning; the first one that a series has counts. `exported_…` is an exporter's own
 * label that Prometheus renamed because of a scrape label of the same name, which is not the workload's.
 */
export const LABEL_NAMES: Readonly<
  Record<
    'namespace' | 'pod' | 'container' | 'node' | 'service' | 'endpoint' | 'claim' | 'volume',
    readonly string[]
  >
> = {
  namespace: ['exported_namespace', 'namespace'],
  pod: ['exported_pod', 'pod', 'pod_name'],
  container: ['exported_container', 'container', 'container_name'],
  node: ['exported_node', 'node'],
  service: ['exported_service', 'service_name', 'service'],
  endpoint: ['exported_endpoint', 'endpoint'],
  claim: ['persistentvolumeclaim'],
  volume: ['persistentvolume', 'volumename'],
};

/**
 * Labels by which stores of several clusters tell them apart, beside those that are configured: one counts where
 * series of two nodes differ by it alone.
 */
export const LIKELY_CLUSTER_LABELS: readonly string[] = [
  'k8s_cluster', 'k8s_cluster_name', 'cluster_name', 'clusterName', 'clustername', 'kubernetes_cluster',
  'kubernetes_cluster_name', 'kube_cluster', 'kube_cluster_name', 'k8s_cluster_id', 'k8s_cluster_uid', 'cluster_uid',
  'eks_cluster', 'gke_cluster', 'aks_cluster', 'eks_cluster_name', 'gke_cluster_name', 'aks_cluster_name',
  'cluster_id', 'cluster', 'cloud_cluster', 'source_cluster', 'origin_cluster', 'tenant', 'tenant_id', 'environment',
  'env', 'datacenter', 'dc', 'site', 'stage',
]; // prettier-ignore

/**
 * cAdvisor shows CPU usage as one counter, or, with its metrics of each CPU enabled, as `cpu="cpu00"`,
 * `cpu="cpu01"` … at the same times and without a total (cadvisor, metrics/prometheus.go).
 */
export const CPU_SPLIT: { readonly label: string; readonly whole: string } = {
  label: 'cpu',
  whole: 'total',
};

/** Labels of cAdvisor's series that change when a container restarts. */
export const RUN_LABELS: readonly string[] = ['id', 'name', 'container_id'];

/** A metric of facts about pods and nodes, with values that rarely change. */
export interface FactMetric {
  readonly selection: Selection;
  /** The same in parts that a store can answer in parallel; absent: it is read as a whole. */
  readonly parts?: readonly Selection[];
  /** Labels to store; `label_*` stands for all that begin so. */
  readonly keep: readonly string[];
  /** A substitute, read only if a cluster has no series of this fact. */
  readonly insteadOf?: FactName;
  /** Read only for times in which facts are missing. */
  readonly isForGaps?: true;
  /** A shorter gap than that of a life, to tell when its exporter was scraped. */
  readonly gapMs?: number;
  /** Further labels to store when sets are built. */
  readonly keepForSets?: readonly string[];
}

const POD = [...LABEL_NAMES.namespace, ...LABEL_NAMES.pod, 'uid'];
const CONTAINER = [...POD, ...LABEL_NAMES.container];
const NODE = [...LABEL_NAMES.node];
/** Labels of cAdvisor's own series that identify their node: names, or an address. */
export const NODE_DISK_HOST: readonly string[] = [...NODE, 'kubernetes_io_hostname', 'instance'];
const CLAIM = [...LABEL_NAMES.namespace, ...LABEL_NAMES.claim];
const VOLUME = [...LABEL_NAMES.volume];

function fact(metric: string, keep: readonly string[], ...matchers: Matcher[]): FactMetric {
  return { selection: { metric, matchers }, keep };
}

function instead(insteadOf: FactName, of: FactMetric): FactMetric {
  return { ...of, insteadOf };
}

/** For facts with as many series as usage: a store answers the parts in parallel, which is faster. */
function inParts(of: FactMetric, matchers: readonly Matcher[]): FactMetric {
  const { metric } = of.selection;
  return { ...of, parts: matchers.map((matcher) => ({ metric, matchers: [matcher] })) };
}

export const RESOURCE_OF_LABEL: Readonly<Record<string, 'cpu' | 'ram'>> = Object.assign(
  Object.create(null) as Record<string, 'cpu' | 'ram'>,
  { cpu: 'cpu', memory: 'ram' },
);

/** `hugepages_2Mi` of kube-state-metrics, `hugepages-2Mi` of kube-scheduler. */
const HUGEPAGES = 'hugepages[-_].*';

export function isHugepages(resource: string): boolean {
  return /^hugepages[-_]/.test(resource);
}

function ofResources(...names: readonly string[]): Matcher {
  const [value = '', ...others] = names;
  return others.length === 0
    ? is('resource', value)
    : { label: 'resource', operator: '=~', value: names.join('|') };
}

/** Matchers of allocated resources, and of those of nodes. */
const METERED = ofResources('cpu', 'memory', HUGEPAGES, ACCELERATORS);
const PROVIDED = ofResources('cpu', 'memory', ACCELERATORS, LIKELY_ACCELERATORS);

/** Gaps of scrapes that are told: of two and more scrapes, at the intervals that are usual. */
export const SCRAPE_GAP_MS = 120_000;

export const FACTS: Readonly<Record<FactName, FactMetric>> = {
  requests: inParts(
    fact('kube_pod_container_resource_requests', [...CONTAINER, ...NODE, 'resource'], METERED),
    [
      ofResources('cpu'),
      ofResources('memory', HUGEPAGES),
      { label: 'resource', operator: '=~', value: ACCELERATORS },
    ],
  ),
  /** What the node has set aside, during and after a resize in place. */
  grantedRequests: fact('kube_pod_container_status_resource_requests', [
    ...CONTAINER, ...NODE, 'resource',
  ]), // prettier-ignore
  overheadCpu: fact('kube_pod_overhead_cpu_cores', POD),
  overheadRam: fact('kube_pod_overhead_memory_bytes', POD),
  /** Requests of the pod as a whole, by its spec. */
  podRequests: fact('kube_pod_spec_resource_requests', [...POD, ...NODE, 'resource']),
  /** The effective request, by kube-scheduler, which names no uid. */
  scheduledRequests: fact('kube_pod_resource_request', [...POD, ...NODE, 'resource']),
  podInfo: { gapMs: SCRAPE_GAP_MS, ...fact('kube_pod_info', [
    ...POD, ...NODE, 'created_by_kind', 'created_by_name', 'pod_ip', 'host_network',
  ]) }, // prettier-ignore
  podStart: fact('kube_pod_start_time', POD),
  podCompletion: fact('kube_pod_completion_time', POD),
  /** Two series a pod, which are 0 until it is terminal. */
  podPhase: fact('kube_pod_status_phase', [...POD, 'phase'], {
    label: 'phase', operator: '=~', value: 'Failed|Succeeded',
  }), // prettier-ignore
  podDeletion: fact('kube_pod_deletion_timestamp', POD),
  containerRunning: instead('podPhase', fact('kube_pod_container_status_running', CONTAINER)),
  podOwner: fact('kube_pod_owner', [...POD, 'owner_kind', 'owner_name', 'owner_is_controller']),
  podLabels: fact('kube_pod_labels', [...POD, 'label_*']),
  containerInfo: fact('kube_pod_container_info', CONTAINER),
  containerStart: fact('kube_pod_container_state_started', CONTAINER),
  /** Read before the requests of init containers: it tells sidecars from the others. */
  initInfo: fact('kube_pod_init_container_info', [...CONTAINER, 'restart_policy']),
  /** Init containers that run beside others are sidecars, also if no restart policy is shown. */
  initRunning: instead('initInfo', fact('kube_pod_init_container_status_running', CONTAINER)),
  initRequests: fact('kube_pod_init_container_resource_requests', [
    ...CONTAINER, ...NODE, 'resource',
  ]), // prettier-ignore
  replicaSetOwner: fact('kube_replicaset_owner', [
    ...LABEL_NAMES.namespace, 'replicaset', 'owner_kind', 'owner_name',
  ]), // prettier-ignore
  jobOwner: fact('kube_job_owner', [
    ...LABEL_NAMES.namespace, 'job_name', 'exported_job_name', 'owner_kind', 'owner_name',
  ]), // prettier-ignore
  nodeLabels: { ...fact('kube_node_labels', [
    ...NODE, ...NODE_TYPE_LABELS, ...NODE_REGION_LABELS, ...NODE_ZONE_LABELS,
    ...Object.keys(NODE_POOL_LABELS), ...Object.keys(CLOUD_LABELS), ...Object.values(NODE_GPU_LABELS).flat(), ...Object.keys(SPOT_LABELS),
    ...MACHINE_LABELS.map(([label]) => label), ...NODE_OS_LABELS, ...COMPUTE_CLASS_LABELS,
  ]), keepForSets: ['label_*'] }, // prettier-ignore
  nodeCpuPrice: fact('node_cpu_hourly_cost', [...NODE, 'instance_type', 'region', 'provider_id']),
  nodeRamPrice: fact('node_ram_hourly_cost', [...NODE, 'instance_type', 'provider_id']),
  nodeGpuPrice: fact('node_gpu_hourly_cost', [...NODE, 'instance_type', 'provider_id']),
  nodeIsSpot: fact('kubecost_node_is_spot', NODE),
  nodeInfo: {
    ...fact('kube_node_info', [
      ...NODE,
      'provider_id',
      'system_uuid',
      'os_image',
      'internal_ip',
      ...LIKELY_CLUSTER_LABELS,
    ]),
    keepForSets: ['kubelet_version'],
    gapMs: SCRAPE_GAP_MS,
  },
  nodeCapacity: fact('kube_node_status_capacity', [...NODE, 'resource'], PROVIDED),
  nodeCreated: fact('kube_node_created', NODE),
  /** Devices by dynamic resource allocation. */
  podDeviceClaim: fact('kube_pod_resourceclaim_info', [...POD, 'resourceclaim_name']),
  claimedDevice: fact('kube_resourceclaim_allocation_device_info', [
    ...LABEL_NAMES.namespace, 'resourceclaim', 'driver', 'pool', 'device',
  ]), // prettier-ignore
  nodeDevice: fact('kube_resourceslice_device_info', ['node_name', 'driver', 'device_name']),
  podAnnotations: fact('kube_pod_annotations', [...POD, 'annotation_*']),
  namespaceLabels: fact('kube_namespace_labels', [...LABEL_NAMES.namespace, 'label_*']),
  namespaceAnnotations: fact('kube_namespace_annotations', [
    ...LABEL_NAMES.namespace,
    'annotation_*',
  ]),
  claimInfo: fact('kube_persistentvolumeclaim_info', [...CLAIM, 'volumename', 'storageclass']),
  claimRequest: fact('kube_persistentvolumeclaim_resource_requests_storage_bytes', CLAIM),
  volumeCapacity: fact('kube_persistentvolume_capacity_bytes', VOLUME),
  volumePrice: fact('pv_hourly_cost', [...VOLUME, 'provider_id']),
  volumeInfo: fact('kubecost_pv_info', [...VOLUME, 'provider_id']),
  volumeKind: fact('kube_persistentvolume_info', [
    ...VOLUME, 'storageclass', 'csi_driver', 'csi_volume_handle',
    'ebs_volume_id', 'gce_persistent_disk_name', 'azure_disk_name', 'nfs_server', 'host_path', 'local_path',
  ]), // prettier-ignore
  /** kube-state-metrics has the claims that a pod names; OpenCost's exporter those that it holds. */
  podVolumes: fact('kube_pod_spec_volumes_persistentvolumeclaims_info', [...POD, ...CLAIM]),
  podClaims: fact('pod_pvc_allocation', [...POD, ...CLAIM]),
  balancerPrice: fact('kubecost_load_balancer_cost', [
    ...LABEL_NAMES.namespace,
    ...LABEL_NAMES.service,
    'ingress_ip',
  ]),
  serviceIngress: fact('kube_service_status_load_balancer_ingress', [
    ...LABEL_NAMES.namespace, ...LABEL_NAMES.service, 'ip', 'hostname',
  ]), // prettier-ignore
  serviceSelector: fact('service_selector_labels', [
    ...LABEL_NAMES.namespace,
    ...LABEL_NAMES.service,
    'label_*',
  ]),
  /** Endpoints name the pods behind a service if there is no selector. */
  endpointAddress: instead('serviceSelector', fact('kube_endpoint_address', [
    ...LABEL_NAMES.namespace, ...LABEL_NAMES.endpoint, 'ip',
  ])), // prettier-ignore
  /** Read before the slices' endpoints, which name only the slice. */
  sliceLabels: instead('serviceSelector', fact('kube_endpointslice_labels', [
    ...LABEL_NAMES.namespace, 'endpointslice', 'label_kubernetes_io_service_name',
  ])), // prettier-ignore
  sliceEndpoint: instead('serviceSelector', fact('kube_endpointslice_endpoints', [
    ...LABEL_NAMES.namespace, 'endpointslice', 'targetref_name',
  ], { label: 'targetref_kind', operator: '=', value: 'Pod' })), // prettier-ignore
  zoneEgressPrice: fact('kubecost_network_zone_egress_cost', []),
  regionEgressPrice: fact('kubecost_network_region_egress_cost', []),
  internetEgressPrice: fact('kubecost_network_internet_egress_cost', []),
  /** Read after all other facts on pods: OpenCost shows a pod for minutes after it is gone. */
  cpuAllocation: instead('requests', fact('container_cpu_allocation', [...CONTAINER, ...NODE])),
  ramAllocation: instead(
    'requests',
    fact('container_memory_allocation_bytes', [...CONTAINER, ...NODE]),
  ),
  gpuAllocation: fact('container_gpu_allocation', [...CONTAINER, ...NODE]),
  /** Root file systems, from cAdvisor: OpenCost's local disks. */
  nodeDisk: fact('container_fs_limit_bytes', [...NODE_DISK_HOST, 'device'], {
    label: 'device', operator: '=~', value: '/dev/(nvme|sda).*',
  }, is('id', '/')), // prettier-ignore
  managementPrice: fact('kubecost_cluster_management_cost', ['provisioner_name']),
  /** Read after all other facts: which pods were there while kube-state-metrics was down. */
  containerSeen: {
    ...fact(RAM_USAGE, [...LABEL_NAMES.namespace, ...LABEL_NAMES.pod], ...RUNNING),
    isForGaps: true,
  },
};

/** The reads of a fact, in any order. */
export function factReads(name: FactName): readonly Selection[] {
  const { selection, parts = [selection] } = FACTS[name];
  return parts;
}
