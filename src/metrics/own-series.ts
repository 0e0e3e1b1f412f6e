/**
 * Series of costs that a server of ours exports under OpenCost's names. A store that scrapes it has them beside those
 * of OpenCost; read back, yesterday's price would be today's for good. Each carries a label that its reads leave out.
 */
import type { Matcher } from './source.ts';

/** The label of each exported series of costs. */
export const OWN_SERIES: { readonly label: string; readonly value: string } = {
  label: 'cost_source',
  value: 'prorata',
};

/** Metrics that are exported and also read: names as OpenCost's exporter has them. */
const EXPORTED: ReadonlySet<string> = new Set([
  'container_cpu_allocation',
  'container_gpu_allocation',
  'container_memory_allocation_bytes',
  'kubecost_cluster_management_cost',
  'kubecost_load_balancer_cost',
  'kubecost_network_internet_egress_cost',
  'kubecost_network_region_egress_cost',
  'kubecost_network_zone_egress_cost',
  'kubecost_node_is_spot',
  'node_cpu_hourly_cost',
  'node_gpu_hourly_cost',
  'node_ram_hourly_cost',
  'pod_pvc_allocation',
  'pv_hourly_cost',
]);

const NOT_OWN: Matcher = { ...OWN_SERIES, operator: '!=' };

/** What leaves our own series out of a read of these metrics. */
export function withoutOwn(metrics: readonly string[]): readonly Matcher[] {
  return metrics.some((metric) => EXPORTED.has(metric)) ? [NOT_OWN] : [];
}
