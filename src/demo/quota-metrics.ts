/** The demo store's metrics of resource quotas: most namespaces are allowed far more than they use. */
import { WORKLOADS, type ContainerSpec } from './fleet.ts';
import type { SeriesMaker } from './pod-metrics.ts';
import { kubeState } from './series.ts';

const ALWAYS = { startMs: -Infinity, endMs: Infinity };
/** How many times of what is requested a namespace may request. */
const HEADROOM = 4;
/** Namespaces of the platform have no quota. */
const UNBOUND: readonly string[] = ['kube-system', 'monitoring'];

const RESOURCES: Readonly<Record<string, (container: ContainerSpec) => number>> = {
  'requests.cpu': ({ requestCores }) => requestCores,
  'requests.memory': ({ requestRamBytes }) => requestRamBytes,
};

const quotas: SeriesMaker = function* (fleet) {
  const namespaces = new Map<string, { cluster: string; namespace: string; of: ContainerSpec[] }>();
  for (const { cluster, namespace, replicas, containers } of WORKLOADS) {
    if (UNBOUND.includes(namespace)) continue;
    const key = `${cluster}/${namespace}`;
    const known = namespaces.get(key) ?? { cluster, namespace, of: [] };
    namespaces.set(key, known);
    for (let i = 0; i < replicas; i++) known.of.push(...containers);
  }
  for (const { cluster, namespace, of } of namespaces.values()) {
    const scraped = kubeState(fleet, cluster);
    for (const [resource, amount] of Object.entries(RESOURCES)) {
      const used = of.reduce((sum, container) => sum + amount(container), 0);
      const labels = { namespace, resourcequota: 'compute', resource };
      yield { ...ALWAYS, scraped, labels: { ...labels, type: 'used' }, value: used };
      yield { ...ALWAYS, scraped, labels: { ...labels, type: 'hard' }, value: HEADROOM * used };
    }
  }
};

export const QUOTA_METRICS: Readonly<Record<string, SeriesMaker>> = { kube_resourcequota: quotas };
