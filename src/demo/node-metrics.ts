/** The demo store's metrics of nodes, their prices, what is paid beside them, and namespaces. */
import { DAY_MS, HOUR_MS } from '../query/index.ts';
import { TEAMS, WORKLOADS } from './fleet.ts';
import type { DemoNode } from './nodes.ts';
import type { SeriesMaker } from './pod-metrics.ts';
import { POOLS } from './pools.ts';
import { cadvisor, fleetNodes, kubeState, priceExporter, type DemoSeries } from './series.ts';
import type { Sampler } from './usage.ts';
import type { Labels } from '../metrics/index.ts';

/** One metric of the price exporter. */
function priced(value: (node: DemoNode) => DemoSeries['value']): SeriesMaker {
  return function* (fleet, range) {
    for (const node of fleetNodes(fleet, range)) {
      const { pool, name, providerId, startMs, endMs } = node;
      const labels = {
        node: name,
        instance: name,
        instance_type: pool.instanceType,
        provider_id: providerId,
        region: pool.region,
        arch: 'amd64',
      };
      const scraped = priceExporter(fleet, pool.cluster);
      yield { startMs, endMs, scraped, labels, value: value(node) };
    }
  };
}

/** Epoch day 6 was a Wednesday; 1970 began on a Thursday. */
const FIRST_CHANGE_MS = 6 * DAY_MS + 12 * HOUR_MS;
const SPOT_RISE = 1.25;

/** Spot prices go up one Wednesday at noon UTC and down the next. */
function spotPrice(usd: number): () => Sampler {
  return () => (timesMs, out) => {
    for (let i = 0; i < timesMs.length; i++) {
      const week = Math.floor(((timesMs[i] ?? 0) - FIRST_CHANGE_MS) / (7 * DAY_MS));
      out[i] = week % 2 === 0 ? usd : usd * SPOT_RISE;
    }
  };
}

function price(kind: 'cpuCoreHourUsd' | 'ramGiBHourUsd' | 'gpuHourUsd'): SeriesMaker {
  return priced(({ pool }) => (pool.isSpot ? spotPrice(pool[kind]) : pool[kind]));
}

/** One metric of kube-state-metrics about nodes. */
function aboutNodes(
  describe: (node: DemoNode) => readonly (readonly [Labels, number])[],
): SeriesMaker {
  return function* (fleet, range) {
    for (const node of fleetNodes(fleet, range))
      for (const [more, value] of describe(node)) {
        const { startMs, endMs, name, pool } = node;
        const scraped = kubeState(fleet, pool.cluster);
        yield { startMs, endMs, scraped, labels: { node: name, ...more }, value };
      }
  };
}

function infoLabels({ providerId, ip, uuid, pool }: DemoNode): Labels {
  return {
    provider_id: providerId,
    internal_ip: ip,
    system_uuid: uuid,
    kernel_version: '6.1.112',
    os_image: pool.region === 'us-east-1' ? 'Amazon Linux 2023' : 'Container-Optimized OS',
    container_runtime_version: 'containerd://1.7.22',
    kubelet_version: 'v1.30.5',
    kubeproxy_version: 'v1.30.5',
  };
}

/** As kube-state-metrics spells them: in snake case. */
function ownLabels({ name, pool }: DemoNode): Labels {
  const spot = { label_eks_amazonaws_com_capacity_type: 'SPOT' };
  return {
    label_kubernetes_io_hostname: name,
    label_node_kubernetes_io_instance_type: pool.instanceType,
    label_topology_kubernetes_io_region: pool.region,
    ...(pool.isSpot ? spot : {}),
  };
}

function capacity({ pool }: DemoNode): readonly (readonly [Labels, number])[] {
  const rows: readonly (readonly [Labels, number])[] = [
    [{ resource: 'cpu', unit: 'core' }, pool.cores],
    [{ resource: 'memory', unit: 'byte' }, pool.ramBytes],
    [{ resource: 'pods', unit: 'integer' }, 110],
    [{ resource: 'nvidia_com_gpu', unit: 'integer' }, pool.gpus],
  ];
  return rows.filter(([, amount]) => amount > 0);
}

function aboutNamespaces(describe: (namespace: string, cluster: string) => Labels): SeriesMaker {
  return function* (fleet) {
    const seen = new Set<string>();
    for (const { cluster, namespace } of WORKLOADS) {
      if (seen.has(`${cluster}/${namespace}`)) continue;
      seen.add(`${cluster}/${namespace}`);
      const labels = { namespace, ...describe(namespace, cluster) };
      const scraped = kubeState(fleet, cluster);
      yield { startMs: -Infinity, endMs: Infinity, scraped, labels, value: 1 };
    }
  };
}

function teamOf(namespace: string): string {
  return TEAMS[namespace] ?? 'platform';
}

/** What a cluster is made on: its nodes' root disks, and what running it costs an hour. */
interface Ground {
  readonly provisioner: string;
  readonly managementUsd: number;
  readonly device: string;
  readonly diskGiB: number;
}

const GROUNDS: Readonly<Record<string, Ground>> = {
  production: { provisioner: 'EKS', managementUsd: 0.1, device: '/dev/nvme0n1p1', diskGiB: 80 },
  development: { provisioner: 'GKE', managementUsd: 0.1, device: '/dev/sda1', diskGiB: 100 },
};

function groundOf(cluster: string): Ground {
  const ground = GROUNDS[cluster];
  if (ground === undefined) throw new Error(`BUG: nothing is known of the ground of ${cluster}`);
  return ground;
}

/** @param part of the disk's bytes */
const rootDisks = (part: number): SeriesMaker =>
  function* (fleet, range) {
    for (const node of fleetNodes(fleet, range)) {
      const { device, diskGiB } = groundOf(node.pool.cluster);
      const { startMs, endMs } = node;
      const labels = { id: '/', device };
      yield {
        startMs,
        endMs,
        scraped: cadvisor(fleet, node),
        labels,
        value: Math.round(part * diskGiB * 2 ** 30),
      };
    }
  };

const managements: SeriesMaker = function* (fleet) {
  for (const cluster of new Set(POOLS.map((pool) => pool.cluster))) {
    const { provisioner, managementUsd } = groundOf(cluster);
    const scraped = priceExporter(fleet, cluster);
    const labels = { provisioner_name: provisioner };
    yield { startMs: -Infinity, endMs: Infinity, scraped, labels, value: managementUsd };
  }
};

/** When nodes that are never replaced were made. */
const SINCE_MS = Date.UTC(2020, 0);

export const NODE_METRICS: Readonly<Record<string, SeriesMaker>> = {
  node_cpu_hourly_cost: price('cpuCoreHourUsd'),
  node_ram_hourly_cost: price('ramGiBHourUsd'),
  node_gpu_hourly_cost: price('gpuHourUsd'),
  node_total_hourly_cost: priced(({ pool }) => {
    const { cores, ramBytes, gpus, cpuCoreHourUsd, ramGiBHourUsd, gpuHourUsd } = pool;
    const usd = cores * cpuCoreHourUsd + (ramBytes / 2 ** 30) * ramGiBHourUsd + gpus * gpuHourUsd;
    return pool.isSpot ? spotPrice(usd) : usd;
  }),
  kubecost_node_is_spot: priced(({ pool }) => (pool.isSpot ? 1 : 0)),
  kube_node_info: aboutNodes((node) => [[infoLabels(node), 1]]),
  kube_node_labels: aboutNodes((node) => [[ownLabels(node), 1]]),
  kube_node_status_capacity: aboutNodes(capacity),
  kube_node_created: aboutNodes(({ startMs }) => [[{}, Math.max(startMs, SINCE_MS) / 1000]]),
  container_fs_limit_bytes: rootDisks(1),
  container_fs_usage_bytes: rootDisks(0.14),
  kubecost_cluster_management_cost: managements,
  kube_namespace_labels: aboutNamespaces((namespace, cluster) => ({
    label_kubernetes_io_metadata_name: namespace,
    label_team: teamOf(namespace),
    label_env: cluster,
  })),
  kube_namespace_annotations: aboutNamespaces((namespace) => ({
    annotation_contact: `${teamOf(namespace)}@example.com`,
  })),
};
