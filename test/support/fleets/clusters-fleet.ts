/**
 * Three clusters in one store in which everything has the same name, and nothing the same size or
 * price: in cluster f all requests, disks, traffic and prices of cores, balancers and traffic are f
 * times those of the first. All of it is there from before the hour until after it.
 */
import type { Labels } from '../../../scripts/openmetrics.ts';
import { told, type ToldSeries } from '../stores/series-file.ts';

export const CLUSTERS_START_MS: number = Date.UTC(2024, 5, 4, 8);
export const CLUSTERS_END_MS: number = CLUSTERS_START_MS + 3_600_000;
export const CLUSTER_LABEL = 'site';
/** The cluster whose series have no label. */
export const HOME = 'home';
/** Their factors, by name. */
export const CLUSTERS: Readonly<Record<string, number>> = { east: 1, [HOME]: 2, west: 4 };

const GIB = 2 ** 30;
const SCRAPED = {
  startMs: CLUSTERS_START_MS - 1_800_000,
  endMs: CLUSTERS_END_MS + 1_800_000,
  everyMs: 30_000,
};

export interface ClusterPod {
  readonly name: string;
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Job';
  readonly controller: string;
}

export const CLUSTER_PODS: readonly ClusterPod[] = [
  { name: 'web-5d8-x2', kind: 'Deployment', controller: 'web' },
  { name: 'db-0', kind: 'StatefulSet', controller: 'db' },
  { name: 'agent-7k', kind: 'DaemonSet', controller: 'agent' },
  { name: 'report-q', kind: 'Job', controller: 'report' },
];

/** USD of a pod in the hour, by field. */
export function podCosts({ controller }: ClusterPod, f: number): Readonly<Record<string, number>> {
  return {
    cpuCost: f * f,
    ramCost: 0.5 * f,
    pvCost: controller === 'db' ? 0.1 * f : 0,
    loadBalancerCost: controller === 'web' ? 0.25 * f : 0,
    networkCost: controller === 'web' ? 0.1 * f * f : 0,
  };
}

export function clusterSeries(): ToldSeries[] {
  return Object.entries(CLUSTERS).flatMap(([cluster, f]) => {
    // What other set-ups name clusters by says nothing here.
    const from: Labels = { cluster_id: 'trap', cluster: 'trap' };
    const own = cluster === HOME ? from : { ...from, [CLUSTER_LABEL]: cluster };
    const show: Show = (name, labels, value) => told(name, { ...own, ...labels }, SCRAPED, value);
    return [
      ...CLUSTER_PODS.flatMap((pod) => podSeries(pod, cluster, f, show)),
      ...ownedSeries(f, show),
      ...nodeSeries(f, show),
    ];
  });
}

type Show = (
  name: string,
  labels: Labels,
  value?: number | ((timeMs: number) => number),
) => ToldSeries;

function podSeries(pod: ClusterPod, cluster: string, f: number, show: Show): ToldSeries[] {
  const { name, kind, controller } = pod;
  // Without a uid, names alone tell pods apart.
  const labels = { namespace: 'shop', pod: name };
  const container = { ...labels, container: 'app', node: 'n1' };
  const owner = kind === 'Deployment' ? ['ReplicaSet', 'web-5d8'] : [kind, controller];
  const own = { label_app: controller, label_team: `team-${cluster}`, label_env: 'prod' };
  const counted = (perSecond: number) => (timeMs: number) =>
    (perSecond * (timeMs - SCRAPED.startMs)) / 1000;
  return [
    show('kube_pod_info', { ...labels, node: 'n1' }),
    show('kube_pod_owner', {
      ...labels,
      owner_kind: owner[0] ?? '',
      owner_name: owner[1] ?? '',
      owner_is_controller: 'true',
    }),
    show('kube_pod_labels', { ...labels, ...own }),
    show('kube_pod_annotations', { ...labels, annotation_contact: cluster }),
    show('kube_pod_container_resource_requests', { ...container, resource: 'cpu' }, f),
    show('kube_pod_container_resource_requests', { ...container, resource: 'memory' }, f * GIB),
    show('container_cpu_usage_seconds_total', container, counted(f / 4)),
    show('container_memory_working_set_bytes', container, (f * GIB) / 4),
  ];
}

/** What pods have: a replica set, a volume by a claim, a service with a load balancer, traffic. */
function ownedSeries(f: number, show: Show): ToldSeries[] {
  const namespace = 'shop';
  const claim = { namespace, persistentvolumeclaim: 'data' };
  const traffic = { namespace, pod_name: 'web-5d8-x2', same_zone: 'false', same_region: 'false' };
  return [
    show('kube_replicaset_owner', {
      namespace,
      replicaset: 'web-5d8',
      owner_kind: 'Deployment',
      owner_name: 'web',
    }),
    show('kube_persistentvolumeclaim_info', { ...claim, volumename: 'v1' }),
    show('kube_pod_spec_volumes_persistentvolumeclaims_info', { ...claim, pod: 'db-0' }),
    show('kube_persistentvolume_capacity_bytes', { persistentvolume: 'v1' }, 10 * f * GIB),
    show('pv_hourly_cost', { volumename: 'v1' }, 0.01),
    show('service_selector_labels', { namespace, service: 'web', label_app: 'web' }),
    show(
      'kubecost_load_balancer_cost',
      { namespace, service_name: 'web', ingress_ip: '10.1.1.1' },
      0.25 * f,
    ),
    show(
      'kubecost_pod_network_egress_bytes_total',
      { ...traffic, internet: 'true' },
      (timeMs) => (f * GIB * (timeMs - SCRAPED.startMs)) / 3_600_000,
    ),
    show('kubecost_network_internet_egress_cost', {}, 0.1 * f),
  ];
}

function nodeSeries(f: number, show: Show): ToldSeries[] {
  return [
    show('kube_node_info', { node: 'n1', provider_id: 'vm-1' }),
    show('node_cpu_hourly_cost', { node: 'n1' }, f),
    show('node_ram_hourly_cost', { node: 'n1' }, 0.5),
  ];
}
