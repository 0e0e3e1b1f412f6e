/**
 * A small cluster of AWS as series of state metrics, cAdvisor and prices, from which each kind of object can
 * be left out, and what it costs in closed form. All of it is there, unchanged, for as long as it is scraped.
 */
import { told, type Scraped, type ToldSeries } from '../stores/series-file.ts';
import type { TestSeries } from '../stores/samples-encoding.ts';

/** What can be left out. */
export const WORLD_PARTS = [
  'pod info', 'pod starts', 'pod phases', 'pod owners', 'replica sets', 'pod labels', 'namespace labels',
  'containers', 'requests', 'usage', 'pods', 'deployments', 'daemon sets', 'pods of the second node',
  'node info', 'node labels', 'node creation', 'capacity', 'node prices', 'nodes', 'second node', 'gpus',
  'node disks', 'management', 'volumes', 'volume prices', 'claims', 'mounts', 'services', 'endpoints',
  'traffic', 'traffic prices', 'container starts', 'state metrics', 'cadvisor', 'cost metrics',
] as const; // prettier-ignore
export type WorldPart = (typeof WORLD_PARTS)[number];

export interface World {
  readonly cluster: string;
  readonly lacks: ReadonlySet<WorldPart>;
  readonly scraped: Scraped;
  /** By default us-east-1. */
  readonly region?: string;
}

const GIB = 2 ** 30;
const HOUR_MS = 3_600_000;
const CORE_USD = 0.04;
const GIB_USD = 0.005;
const VOLUME = { gib: 10, usdPerGib: 0.0002 };
/** Listed for a network load balancer of us-east-1. */
const BALANCER_USD = 0.0225;
const SENT = { gibPerHour: 0.5, usdPerGib: 0.07 };
const NODE = { cores: 4, gib: 16 };
/** One on the first node, which a container has. */
const GPU_USD = 0.9;
const MANAGEMENT_USD = 0.1;
const NODE_DISK_GIB = 20;

interface WorldPod {
  readonly name: string;
  readonly node: string;
  readonly kind: 'ReplicaSet' | 'DaemonSet';
  readonly requests: readonly [cores: number, gib: number];
  readonly used: readonly [cores: number, gib: number];
}

const PODS: readonly WorldPod[] = [
  { name: 'web-5d9c7b-aaaaa', node: 'n1', kind: 'ReplicaSet', requests: [0.5, 1], used: [0.25, 2] },
  { name: 'log-bbbbb', node: 'n1', kind: 'DaemonSet', requests: [0.1, 0.25], used: [0.2, 0.125] },
  { name: 'log-ccccc', node: 'n2', kind: 'DaemonSet', requests: [0.1, 0.25], used: [0.2, 0.125] },
];

function podsOf(lacks: World['lacks']): readonly WorldPod[] {
  const isThere = ({ node, kind }: WorldPod): boolean =>
    !lacks.has(kind === 'ReplicaSet' ? 'deployments' : 'daemon sets') &&
    (node === 'n1' || !(lacks.has('pods of the second node') || lacks.has('second node')));
  return lacks.has('pods') ? [] : PODS.filter(isThere);
}

function nodesOf(lacks: World['lacks']): readonly string[] {
  if (lacks.has('nodes')) return [];
  return lacks.has('second node') ? ['n1'] : ['n1', 'n2'];
}

type Value = Parameters<typeof told>[3];
type Part = readonly [
  part: WorldPart,
  metric: string,
  labels: Readonly<Record<string, string>>,
  value?: Value,
];

export function worldSeries({
  cluster,
  lacks,
  scraped,
  region = 'us-east-1',
}: World): ToldSeries[] {
  const parts = [
    ...podsOf(lacks).flatMap((pod) => podParts(pod, cluster, scraped)),
    ...nodesOf(lacks).flatMap((node) => nodeParts(node, cluster, region)),
    ...VOLUME_PARTS,
    ...SERVICE_PARTS,
  ];
  return parts
    .filter(([part, metric]) => !(lacks.has(part) || lacks.has(exporterOf(metric))))
    .map(([, metric, labels, value]) =>
      told(metric, { cluster_id: cluster, ...labels }, scraped, value),
    );
}

/** Without an exporter, all of its series are missing. */
function exporterOf(metric: string): WorldPart {
  if (metric.startsWith('container_')) return 'cadvisor';
  return metric.startsWith('kube_') ? 'state metrics' : 'cost metrics';
}

function podParts(
  { name: pod, node, kind, requests, used }: WorldPod,
  cluster: string,
  { startMs }: Scraped,
): Part[] {
  const named = { namespace: 'shop', pod, uid: `${cluster}-${pod}` };
  const contained = { ...named, container: 'app', node };
  const owner = kind === 'ReplicaSet' ? 'web-5d9c7b' : 'log';
  const steady =
    (rate: number): Value =>
    (ms) =>
      ((ms - startMs) / 1000) * rate;
  return [
    ['pod info', 'kube_pod_info', { ...named, node, pod_ip: `10.0.0.${PODS.findIndex((one) => one.name === pod)}`, created_by_kind: kind, created_by_name: owner }],
    ['pod starts', 'kube_pod_start_time', named, (startMs - HOUR_MS) / 1000],
    ['pod phases', 'kube_pod_status_phase', { ...named, phase: 'Running' }],
    ['pod phases', 'kube_pod_status_phase', { ...named, phase: 'Failed' }, 0],
    ['pod owners', 'kube_pod_owner', { ...named, owner_kind: kind, owner_name: owner, owner_is_controller: 'true' }],
    ['pod labels', 'kube_pod_labels', { ...named, label_app: owner }],
    ['containers', 'kube_pod_container_info', { ...named, container: 'app' }],
    ['container starts', 'kube_pod_container_state_started', { ...named, container: 'app' }, (startMs - HOUR_MS) / 1000],
    ['requests', 'kube_pod_container_resource_requests', { ...contained, resource: 'cpu' }, requests[0]],
    ['requests', 'kube_pod_container_resource_requests', { ...contained, resource: 'memory' }, requests[1] * GIB],
    ['usage', 'container_cpu_usage_seconds_total', { namespace: 'shop', pod, container: 'app', image: 'x', node }, steady(used[0])],
    ['usage', 'container_memory_working_set_bytes', { namespace: 'shop', pod, container: 'app', image: 'x', node }, used[1] * GIB],
    ...(kind === 'ReplicaSet' ? webParts(named, node, startMs) : []),
  ]; // prettier-ignore
}

function webParts(named: Part[2], node: string, startMs: number): Part[] {
  const { pod = '' } = named;
  const sent = (ms: number): number => ((ms - startMs) / HOUR_MS) * SENT.gibPerHour * GIB;
  return [
    ['replica sets', 'kube_replicaset_owner', { namespace: 'shop', replicaset: 'web-5d9c7b', owner_kind: 'Deployment', owner_name: 'web' }],
    ['mounts', 'kube_pod_spec_volumes_persistentvolumeclaims_info', { ...named, persistentvolumeclaim: 'data', volume: 'd' }],
    ['gpus', 'kube_pod_container_resource_requests', { ...named, container: 'app', node, resource: 'nvidia_com_gpu' }, 1],
    ['traffic', 'kubecost_pod_network_egress_bytes_total', { namespace: 'shop', pod_name: pod, internet: 'true', same_zone: 'false', same_region: 'false' }, sent],
  ]; // prettier-ignore
}

function nodeParts(node: string, cluster: string, region: string): Part[] {
  return [
    ['node info', 'kube_node_info', { node, provider_id: `aws:///${region}a/i-${cluster}${node}`, kubelet_version: 'v1.31.2' }],
    ['node labels', 'kube_node_labels', { node, label_node_kubernetes_io_instance_type: 'm5.xlarge', label_topology_kubernetes_io_region: region }],
    ['node creation', 'kube_node_created', { node }, Date.UTC(2024, 0, 1) / 1000],
    ['capacity', 'kube_node_status_capacity', { node, resource: 'cpu' }, NODE.cores],
    ['capacity', 'kube_node_status_capacity', { node, resource: 'memory' }, NODE.gib * GIB],
    ['node prices', 'node_cpu_hourly_cost', { node, instance: node }, CORE_USD],
    ['node prices', 'node_ram_hourly_cost', { node, instance: node }, GIB_USD],
    ['node disks', 'container_fs_limit_bytes', { node, id: '/', device: '/dev/nvme0n1p1' }, NODE_DISK_GIB * GIB],
    ...(node === 'n1' ? GPU_PARTS : []),
  ]; // prettier-ignore
}

const GPU_PARTS: readonly Part[] = [
  ['gpus', 'kube_node_status_capacity', { node: 'n1', resource: 'nvidia_com_gpu' }, 1],
  ['gpus', 'node_gpu_hourly_cost', { node: 'n1', instance: 'n1' }, GPU_USD],
];

const CLAIM = { namespace: 'shop', persistentvolumeclaim: 'data' };
const VOLUME_PARTS: readonly Part[] = [
  ['volumes', 'kube_persistentvolume_capacity_bytes', { persistentvolume: 'pv-1' }, VOLUME.gib * GIB],
  ['volumes', 'kube_persistentvolume_info', { persistentvolume: 'pv-1', storageclass: 'gp3', csi_driver: 'ebs.csi.aws.com' }],
  ['volume prices', 'pv_hourly_cost', { persistentvolume: 'pv-1' }, VOLUME.usdPerGib],
  ['claims', 'kube_persistentvolumeclaim_info', { ...CLAIM, volumename: 'pv-1', storageclass: 'gp3' }],
  ['claims', 'kube_persistentvolumeclaim_resource_requests_storage_bytes', CLAIM, VOLUME.gib * GIB],
]; // prettier-ignore

const SERVICE_PARTS: readonly Part[] = [
  ['services', 'kube_service_status_load_balancer_ingress', { namespace: 'shop', service: 'web', hostname: 'a1-0123456789abcdef.elb.us-east-1.amazonaws.com' }],
  ['endpoints', 'kube_endpoint_address', { namespace: 'shop', endpoint: 'web', ip: '10.0.0.0' }],
  ['namespace labels', 'kube_namespace_labels', { namespace: 'shop', label_team: 'red' }],
  ['traffic prices', 'kubecost_network_internet_egress_cost', {}, SENT.usdPerGib],
  ['management', 'kubecost_cluster_management_cost', { provisioner_name: 'EKS' }, MANAGEMENT_USD],
]; // prettier-ignore

/** Without one of these, rules for missing prices, places or sizes decide. */
const DECIDING: readonly WorldPart[] = [
  'pod info', 'nodes', 'node info', 'node labels', 'node prices', 'volume prices', 'capacity', 'traffic prices',
  'state metrics', 'cost metrics',
]; // prettier-ignore

/**
 * What so many hours of a world cost with idle, USD.
 * @returns undefined where rules for what is missing decide
 */
export function worldCost({ lacks }: Pick<World, 'lacks'>, hours: number): number | undefined {
  const isUndecided = DECIDING.some((part) => lacks.has(part));
  const pods = podsOf(lacks);
  // A volume that only its claim names has the price of a series of its own name, a claim alone its size.
  const hasVolume = !lacks.has('volumes');
  if (isUndecided || (!hasVolume && !lacks.has('claims'))) return undefined;
  // The only evidence of a pod without facts is its usage.
  if (pods.length > 0 && lacks.has('requests') && lacks.has('containers')) return undefined;
  const nodes = nodesOf(lacks);
  const gpu = lacks.has('gpus') ? 0 : GPU_USD;
  const machines = nodes.length * (NODE.cores * CORE_USD + NODE.gib * GIB_USD) + gpu;
  const volume = hasVolume ? VOLUME.gib * VOLUME.usdPerGib : 0;
  const isSending = pods.some(({ kind }) => kind === 'ReplicaSet') && !lacks.has('traffic');
  const balancer = lacks.has('services') ? 0 : BALANCER_USD;
  return (
    hours * (machines + volume + balancer + (isSending ? SENT.gibPerHour * SENT.usdPerGib : 0))
  );
}

/** As scripted stores hold them. */
export function testSeries(series: readonly ToldSeries[]): TestSeries[] {
  return series.map(({ name, labels, samples }) => ({
    labels: Object.entries({ __name__: name, ...labels })
      .map(([label, value]) => [label, String(value)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    timestampsMs: samples.map(([ms]) => ms),
    values: samples.map(([, value]) => value),
  }));
}
