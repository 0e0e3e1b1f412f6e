/** Nodes as clouds write their labels and provider ids, and as kube-state-metrics shows them. */
import type { NodePrices } from '../../../src/allocation/inventory/node-prices.ts';
import { FACTS } from '../../../src/metrics/catalogue.ts';
import type { Series } from './decided.ts';

export const GIB: number = 2 ** 30;

export type Labels = Readonly<Record<string, string>>;
export type Size = readonly [cpuCores: number, ramGiB: number, gpus?: number];

/** A node as Kubernetes has it. */
export interface Shown {
  readonly labels: Labels;
  readonly providerId: string;
  /** Sizes that it is sold as; Kubernetes shows 94 % of the memory. */
  readonly size: Size;
  /** What its GPUs are called; `nvidia.com/gpu` without it. */
  readonly resource?: string;
}

/** Labels by the names of kube-state-metrics, and of those what allocation reads. */
function kept(labels: Labels): Labels {
  const { keep } = FACTS.nodeLabels;
  const named = Object.entries(labels).map(
    ([name, value]) => [`label_${name.replace(/[^a-zA-Z0-9]/g, '_')}`, value] as const,
  );
  return Object.fromEntries(named.filter(([name]) => keep.includes(name)));
}

export function seriesOf(
  { labels, providerId, size: [cores, ramGiB, gpus], resource = 'nvidia_com_gpu' }: Shown,
  node = 'n1',
): Series[] {
  const capacity = (resource: string, value: number): Series => ({
    fact: 'nodeCapacity',
    labels: { node, resource },
    values: [[0, value]],
  });
  return [
    { fact: 'nodeInfo', labels: { node, provider_id: providerId } },
    { fact: 'nodeLabels', labels: { node, ...kept(labels) } },
    capacity('cpu', cores),
    capacity('memory', ramGiB * 0.94 * GIB),
    ...(gpus === undefined ? [] : [capacity(resource, gpus)]),
  ];
}

/** USD for an hour of the whole node, as its capacity is charged. */
export function hourOf(prices: NodePrices, [cores, ramGiB, gpus = 0]: Size): number {
  const price = (of: readonly number[]): number => of.at(-1) ?? NaN;
  return (
    cores * price(prices.cpu) + ramGiB * 0.94 * GIB * price(prices.ram) + gpus * price(prices.gpu)
  );
}

export const TYPE = 'node.kubernetes.io/instance-type';
export const REGION = 'topology.kubernetes.io/region';
export const ZONE = 'topology.kubernetes.io/zone';

export type Way = (type: string, zone: string) => Omit<Shown, 'size'>;

function aws(more: Labels): Way {
  return (type, zone) => ({
    labels: { [TYPE]: type, [REGION]: zone.slice(0, -1), [ZONE]: zone, ...more },
    providerId: `aws:///${zone}/i-0abcdef`,
  });
}

function gcp(more: Labels): Way {
  return (type, zone) => ({
    labels: { [TYPE]: type, [REGION]: zone.slice(0, -2), [ZONE]: zone, ...more },
    providerId: `gce://project/${zone}/gke-one-pool-0a1b`,
  });
}

function azure(more: Labels): Way {
  return (type, zone) => ({
    labels: { [TYPE]: type, [REGION]: zone.replace(/-.*/, ''), [ZONE]: zone, ...more },
    providerId:
      'azure:///subscriptions/0-1/resourceGroups/mc_a/providers/Microsoft.Compute/virtualMachineScaleSets/a/virtualMachines/0',
  });
}

export const ocean: Way = (type, region) => ({
  labels: { [TYPE]: type, [REGION]: region, 'doks.digitalocean.com/node-pool': 'a' },
  providerId: 'digitalocean://240712345',
});

export const EKS: Way = aws({
  'eks.amazonaws.com/nodegroup': 'a',
  'eks.amazonaws.com/capacityType': 'ON_DEMAND',
});
export const EKS_SPOT: Way = aws({
  'eks.amazonaws.com/nodegroup': 'a',
  'eks.amazonaws.com/capacity_type': 'SPOT',
});
export const OWN: Way = aws({});
export const OWN_SPOT: Way = aws({ 'node.kubernetes.io/lifecycle': 'spot' });
export const KARPENTER: Way = aws({
  'karpenter.sh/nodepool': 'default',
  'karpenter.sh/capacity-type': 'on-demand',
});
export const KARPENTER_SPOT: Way = aws({
  'karpenter.sh/nodepool': 'default',
  'karpenter.sh/capacity-type': 'spot',
});
export const GKE: Way = gcp({
  'cloud.google.com/gke-nodepool': 'a',
  'cloud.google.com/gke-provisioning': 'standard',
});
export const GKE_SPOT: Way = gcp({
  'cloud.google.com/gke-nodepool': 'a',
  'cloud.google.com/gke-provisioning': 'spot',
});
export const GKE_PREEMPTIBLE: Way = gcp({ 'cloud.google.com/gke-preemptible': 'true' });
export const AKS: Way = azure({
  'kubernetes.azure.com/agentpool': 'a',
  'kubernetes.azure.com/mode': 'user',
});
export const AKS_SPOT: Way = azure({
  'kubernetes.azure.com/agentpool': 'a',
  'kubernetes.azure.com/scalesetpriority': 'spot',
});
const T4 = { 'cloud.google.com/gke-accelerator': 'nvidia-tesla-t4' };
export const GKE_T4: Way = gcp({ 'cloud.google.com/gke-nodepool': 'a', ...T4 });
export const GKE_T4_SPOT: Way = gcp({ 'cloud.google.com/gke-spot': 'true', ...T4 });
export const GKE_TPU: Way = (type, zone) => ({
  ...gcp({ 'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice' })(type, zone),
  resource: 'google_com_tpu',
});
/** kube-state-metrics that shows few labels. */
export const BARE: Way = (type, zone) => ({ ...GKE(type, zone), labels: { [TYPE]: type } });
export const BARE_AWS: Way = (type, zone) => ({ ...EKS(type, zone), labels: { [TYPE]: type } });
export const OLD: Way = (type, zone) => ({
  labels: {
    'beta.kubernetes.io/instance-type': type,
    'failure-domain.beta.kubernetes.io/zone': zone,
  },
  providerId: EKS(type, zone).providerId,
});
/** Without a provider id: type and region are of one cloud alone. */
export const UNKNOWN: Way = (type, zone) => ({ ...OWN(type, zone), providerId: '' });
