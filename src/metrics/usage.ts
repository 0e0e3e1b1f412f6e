/** Metrics of usage: by cAdvisor, OpenCost's network exporter and NVIDIA's DCGM exporter. */
import type { Matcher, Selection } from './source.ts';

/** Containers, without the cgroups of pods and their sandboxes. */
export const RUNNING: readonly Matcher[] = [
  { label: 'container', operator: '!=', value: '' },
  { label: 'container', operator: '!=', value: 'POD' },
];
export const RAM_USAGE = 'container_memory_working_set_bytes';

/** Names of usage, which streams by after the facts and is never stored. */
export type UsageName =
  | 'cpu'
  | 'ram'
  | 'gpu'
  | 'zoneEgress'
  | 'regionEgress'
  | 'internetEgress'
  | 'transmit'
  | 'receive';

const EGRESS = 'kubecost_pod_network_egress_bytes_total';

/** A matcher of one value. */
export function is(label: string, value: string): Matcher {
  return { label, operator: '=', value };
}

function isNamed(label: string): Matcher {
  return { label, operator: '!=', value: '' };
}

const OF_A_POD = [isNamed('pod')];
const OLD_RUNNING: readonly Matcher[] = [
  is('container', ''),
  isNamed('container_name'),
  { label: 'container_name', operator: '!=', value: 'POD' },
];

export const USAGE: Readonly<Record<UsageName, Selection>> = {
  cpu: { metric: 'container_cpu_usage_seconds_total', matchers: RUNNING },
  ram: { metric: RAM_USAGE, matchers: RUNNING },
  gpu: { metric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE', matchers: [] },
  zoneEgress: {
    metric: EGRESS,
    matchers: [is('internet', 'false'), is('same_zone', 'false'), is('same_region', 'true')],
  },
  regionEgress: { metric: EGRESS, matchers: [is('internet', 'false'), is('same_region', 'false')] },
  internetEgress: { metric: EGRESS, matchers: [is('internet', 'true')] },
  transmit: { metric: 'container_network_transmit_bytes_total', matchers: OF_A_POD },
  receive: { metric: 'container_network_receive_bytes_total', matchers: OF_A_POD },
};

/** Series with cAdvisor's labels of before Kubernetes 1.16 and without the new ones. */
const OLD_USAGE: Readonly<Partial<Record<UsageName, Selection>>> = {
  cpu: { metric: USAGE.cpu.metric, matchers: OLD_RUNNING },
  ram: { metric: USAGE.ram.metric, matchers: OLD_RUNNING },
  transmit: { metric: USAGE.transmit.metric, matchers: [is('pod', ''), isNamed('pod_name')] },
  receive: { metric: USAGE.receive.metric, matchers: [is('pod', ''), isNamed('pod_name')] },
};

/**
 * What GPUs without profiling metrics show, in percent: 1 is a sample in which a kernel ran at all
 * (dcgm-exporter, etc/default-counters.csv).
 */
const GPU_PERCENT: Selection = { metric: 'DCGM_FI_DEV_GPU_UTIL', matchers: [] };

/**
 * The reads of a usage, in this order, each of weight where those before have no samples: by the current
 * labels, then by cAdvisor's old ones; of GPUs by profiling metrics, then by their drivers'.
 */
export function usageReads(name: UsageName): readonly Selection[] {
  const other = name === 'gpu' ? GPU_PERCENT : OLD_USAGE[name];
  return other ? [USAGE[name], other] : [USAGE[name]];
}

/** Units of the resource that a unit of the metric is. */
export function usageScale({ metric }: Selection): number {
  return metric === GPU_PERCENT.metric ? 0.01 : 1;
}

/** Labels of a container's series of GPUs that add up: its devices, and partitions of them. */
export const GPU_VARIANTS: readonly string[] = ['UUID', 'gpu', 'GPU_I_ID'];

/** Labels of cAdvisor's network series of one pod that add up. */
export const TRANSFER_VARIANTS: readonly string[] = ['interface'];

/**
 * Labels of egress series of one pod that add up: their targets, also by cloud service (OpenCost,
 * modules/collector-source). `service` is also a name that scrapes give to their own Service.
 */
export const EGRESS_VARIANTS: readonly string[] = [
  'exported_service', 'service', 'same_zone', 'same_region',
]; // prettier-ignore

/** Labels of a scrape: another one of the same exporter shows the same traffic, with other labels. */
export const SCRAPE_LABELS: readonly string[] = ['job'];
