/** Pods that are there and that next to nothing talks with. */
import { HOURS_PER_MONTH } from '../query/index.ts';
import type { Pod } from './pods.ts';

export interface AbandonedQuery {
  /** Bytes a second, received and sent. */
  readonly threshold: number;
}

export interface AbandonedPods {
  /** Highest savings first. */
  readonly pods: readonly { readonly pod: Pod; readonly usdPerMonth: number }[];
  /** Pods of which the store tells no traffic at all. */
  readonly withoutTraffic: number;
}

/**
 * Pods in their node's network show no traffic of their own: without a single byte nothing is known of a
 * pod, and it is not recommended to end it.
 * @param pods that are there
 */
export function abandonedPods(pods: readonly Pod[], { threshold }: AbandonedQuery): AbandonedPods {
  const known = pods.filter((pod) => bytesOf(pod) > 0);
  const abandoned = known
    .filter((pod) => perSecond(pod, bytesOf(pod)) <= threshold)
    .map((pod) => ({ pod, usdPerMonth: monthlyCost(pod) }))
    .sort((a, b) => b.usdPerMonth - a.usdPerMonth || (nameOf(a.pod) < nameOf(b.pod) ? -1 : 1));
  return { pods: abandoned, withoutTraffic: pods.length - known.length };
}

/** USD for 730 hours of its cores, memory and GPUs, as they were charged while it ran. */
export function monthlyCost({ sums, hours }: Pod): number {
  return hours > 0 ? ((sums.cpuCost + sums.ramCost + sums.gpuCost) / hours) * HOURS_PER_MONTH : 0;
}

/** As Kubecost's clients read it. */
export function abandonedJson({ pod, usdPerMonth }: AbandonedPods['pods'][number]): object {
  const { sums, hours } = pod;
  const amounts = (cpu: number, ram: number): object => ({
    cpuCores: cpu / hours,
    ramBytes: ram / hours,
  });
  return {
    pod: pod.name,
    namespace: pod.namespace,
    node: pod.node,
    clusterId: pod.cluster,
    clusterName: pod.cluster,
    owners: pod.controller === '' ? [] : [{ name: pod.controller, kind: pod.controllerKind }],
    ingressBytesPerSecond: perSecond(pod, sums.networkReceiveBytes),
    egressBytesPerSecond: perSecond(pod, sums.networkTransferBytes),
    allocation: amounts(sums.cpuCoreHours, sums.ramByteHours),
    requests: amounts(sums.cpuCoreRequestHours, sums.ramByteRequestHours),
    usage: amounts(sums.cpuCoreUsageHours, sums.ramByteUsageHours),
    monthlySavings: usdPerMonth,
  };
}

function bytesOf({ sums }: Pod): number {
  return sums.networkReceiveBytes + sums.networkTransferBytes;
}

function perSecond({ hours }: Pod, bytes: number): number {
  return bytes / (hours * 3600);
}

function nameOf({ cluster, namespace, name }: Pod): string {
  return `${cluster}/${namespace}/${name}`;
}
