/**
 * The set of allocations that OpenCost's aggregation is tested with (core/pkg/opencost/mock.go), as
 * series of kube-state-metrics, cAdvisor and a price exporter: every unit price is 1 USD, so that
 * each container costs 1 for CPU, GPU, RAM and volume each and 2 for egress, and the first 10 more.
 */
import type { Labels } from '../../../scripts/openmetrics.ts';
import { told, type Scraped, type ToldSeries } from '../stores/series-file.ts';

export const RECIPE_START_MS: number = Date.UTC(2024, 2, 5);
export const RECIPE_END_MS: number = Date.UTC(2024, 2, 6);
const GIB = 2 ** 30;
const HOURS = 24;

interface RecipePod {
  readonly cluster: string;
  readonly namespace: string;
  readonly pod: string;
  readonly containers: readonly string[];
  readonly node: string;
  readonly owner?: readonly [kind: string, name: string];
  readonly labels?: Labels;
  readonly annotations?: Labels;
}

const C1 = { cluster: 'cluster1', node: 'c1nodes' };
const C2 = { cluster: 'cluster2' };
const APP1 = { label_app: 'app1', label_env: 'env1' };
const APP2 = { label_app: 'app2', label_env: 'env2' };
const BEHIND = { label_tier: 'behind-service1' };
const deployment = (name: string): readonly [string, string] => ['ReplicaSet', `${name}-5d8f9c`];

const PODS: readonly RecipePod[] = [
  { ...C1, namespace: 'namespace1', pod: 'pod1', containers: ['container1'], labels: APP1 },
  {
    ...C1, namespace: 'namespace1', pod: 'pod-abc', containers: ['container2'],
    owner: deployment('deployment1'),
  },
  {
    ...C1, namespace: 'namespace1', pod: 'pod-def', containers: ['container3'],
    owner: deployment('deployment1'),
  },
  {
    ...C1, namespace: 'namespace2', pod: 'pod-ghi', containers: ['container4', 'container5'],
    owner: deployment('deployment2'), labels: APP2,
  },
  {
    ...C1, namespace: 'namespace2', pod: 'pod-jkl', containers: ['container6'],
    owner: ['DaemonSet', 'daemonset1'], labels: BEHIND,
  },
  {
    ...C2, node: 'node1', namespace: 'namespace2', pod: 'pod-mno',
    containers: ['container4', 'container5'], owner: deployment('deployment2'),
    labels: { label_app: 'app2' },
  },
  {
    ...C2, node: 'node2', namespace: 'namespace2', pod: 'pod-pqr', containers: ['container6'],
    owner: ['DaemonSet', 'daemonset1'], labels: BEHIND,
  },
  {
    ...C2, node: 'node2', namespace: 'namespace3', pod: 'pod-stu', containers: ['container7'],
    owner: deployment('deployment3'), annotations: { annotation_team: 'team2' },
  },
  // The peer's set annotates single containers, of the same cost: annotations are a pod's.
  {
    ...C2, node: 'node3', namespace: 'namespace3', pod: 'pod-vwx',
    containers: ['container8', 'container9'], owner: ['StatefulSet', 'statefulset1'],
    annotations: { annotation_team: 'team1' },
  },
]; // prettier-ignore

const SCRAPED: Scraped = {
  startMs: RECIPE_START_MS - 1_200_000,
  endMs: RECIPE_END_MS + 1_200_000,
  everyMs: 60_000,
};

/** All series, a sample a minute. */
export function recipeSeries(): ToldSeries[] {
  const clusters = ['cluster1', 'cluster2'];
  return [...PODS.flatMap(podSeries), ...nodeSeries(), ...clusters.flatMap(clusterSeries)];
}

function podSeries(of: RecipePod): ToldSeries[] {
  const { cluster, namespace, pod, containers, node, owner } = of;
  const labels = { cluster_id: cluster, namespace, pod, uid: `uid-${cluster}-${pod}` };
  const show = (name: string, more: Labels, value?: number): ToldSeries =>
    told(name, { ...labels, ...more }, SCRAPED, value);
  const [kind = '', name = ''] = owner ?? [];
  const replicaSet = { cluster_id: cluster, namespace, replicaset: name };
  const ofSet = { owner_kind: 'Deployment', owner_name: name.replace(/-5d8f9c$/, '') };
  return [
    show('kube_pod_info', { node }),
    show('kube_pod_start_time', {}, SCRAPED.startMs / 1000),
    show('kube_pod_labels', of.labels ?? {}),
    show('kube_pod_annotations', of.annotations ?? {}),
    ...(owner ? [show('kube_pod_owner', { owner_kind: kind, owner_name: name })] : []),
    ...(kind === 'ReplicaSet' && pod !== 'pod-def'
      ? [told('kube_replicaset_owner', { ...replicaSet, ...ofSet }, SCRAPED)]
      : []),
    ...containers.flatMap((container) => containerSeries(of, container)),
    told(
      'kubecost_pod_network_egress_bytes_total',
      { cluster_id: cluster, namespace, pod_name: pod, internet: 'true' },
      SCRAPED,
      (timeMs) => (2 * GIB * containers.length * (timeMs - SCRAPED.startMs)) / (HOURS * 3_600_000),
    ),
  ];
}

/** Requests, and a volume of each container's own. */
function containerSeries(
  { cluster, namespace, pod, node }: RecipePod,
  container: string,
): ToldSeries[] {
  const uid = `uid-${cluster}-${pod}`;
  const labels = { cluster_id: cluster, namespace, pod, uid, container, node };
  const request = (resource: string, value: number): ToldSeries =>
    told('kube_pod_container_resource_requests', { ...labels, resource }, SCRAPED, value);
  const volume = { cluster_id: cluster, persistentvolume: `pv-${pod}-${container}` };
  const claim = {
    cluster_id: cluster,
    namespace,
    persistentvolumeclaim: `data-${container}-${pod}`,
  };
  return [
    request('cpu', 1 / HOURS),
    request('memory', ((container === 'container1' ? 11 : 1) * GIB) / HOURS),
    request('nvidia_com_gpu', 1 / HOURS),
    told('kube_persistentvolume_capacity_bytes', volume, SCRAPED, GIB / HOURS),
    told('pv_hourly_cost', { ...volume, volumename: volume.persistentvolume }, SCRAPED),
    told(
      'kube_persistentvolumeclaim_info',
      { ...claim, volumename: volume.persistentvolume },
      SCRAPED,
    ),
    told('kube_pod_spec_volumes_persistentvolumeclaims_info', { ...claim, pod, uid }, SCRAPED),
  ];
}

function nodeSeries(): ToldSeries[] {
  const nodes = new Map(PODS.map(({ cluster, node }) => [node, cluster]));
  return [...nodes].flatMap(([node, cluster]) =>
    ['node_cpu_hourly_cost', 'node_ram_hourly_cost', 'node_gpu_hourly_cost'].map((name) =>
      told(name, { cluster_id: cluster, node }, SCRAPED),
    ),
  );
}

function clusterSeries(cluster: string): ToldSeries[] {
  const service = { cluster_id: cluster, namespace: 'namespace2', service: 'service1' };
  return [
    told('kubecost_network_internet_egress_cost', { cluster_id: cluster }, SCRAPED),
    told('service_selector_labels', { ...service, ...BEHIND }, SCRAPED),
  ];
}
