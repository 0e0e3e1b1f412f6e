/** All recommendations as claims of what they save, of which dollars. */
import type { AbandonedPods } from './abandoned.ts';
import { monthlyCost } from './abandoned.ts';
import type { Claim } from './attribution.ts';
import type { UsedDisk } from './disk-use.ts';
import { diskKey, type Disk } from './disks.ts';
import { podKey, workloadOf, type Pod } from './pods.ts';

/** What a pod costs a month: its cores, memory and GPUs. */
export interface PodCost {
  readonly cluster: string;
  readonly workload: string;
  /** The pod, as a resource. */
  readonly resource: string;
  readonly usdPerMonth: number;
}

/** What the requests of a workload save: USD a month, below 0 where they are raised. */
export interface RequestSavings {
  readonly workload: string;
  readonly usdPerMonth: number;
}

export function costsOf(pods: readonly Pod[]): PodCost[] {
  return pods.map((pod) => ({
    cluster: pod.cluster,
    workload: workloadOf(pod),
    resource: podKey(pod),
    usdPerMonth: monthlyCost(pod),
  }));
}

export function abandonedClaims({ pods }: AbandonedPods): Claim[] {
  return pods.map(({ pod, usdPerMonth: usd }) => ({
    category: 'abandonedWorkloads',
    resource: podKey(pod),
    usd,
  }));
}

export function unclaimedClaims(disks: readonly Disk[]): Claim[] {
  return disks.map((disk) => ({
    category: 'unclaimedVolumes',
    resource: diskKey(disk),
    usd: disk.usdPerMonth,
  }));
}

export function smallerClaims(
  category: 'persistentVolumeSizing' | 'localLowDisks',
  disks: readonly UsedDisk[],
): Claim[] {
  return disks.map(({ disk, usdPerMonth: usd }) => ({ category, resource: diskKey(disk), usd }));
}

/** What fewer or smaller nodes of a cluster save, and what its nodes cost now: USD a month. */
export interface NodeSavings {
  readonly cluster: string;
  readonly usdPerMonth: number;
  readonly rateUsdPerMonth: number;
}

/**
 * Nodes save what is idle first. What they save beyond it is of the pods on them, of each in
 * proportion to its cost, so that a pod's requests do not save the same dollars once more.
 */
export function nodeClaims(nodes: readonly NodeSavings[], costs: readonly PodCost[]): Claim[] {
  return nodes.flatMap(({ cluster, usdPerMonth, rateUsdPerMonth }) => {
    const own = costs.filter((cost) => cost.cluster === cluster);
    const allocated = own.reduce((sum, cost) => sum + cost.usdPerMonth, 0);
    const idle = Math.max(0, rateUsdPerMonth - allocated);
    const ofIdle = Math.min(usdPerMonth, idle);
    const category = 'nodeGroupSizing' as const;
    const claims: Claim[] = [{ category, resource: `idle\0${cluster}`, usd: ofIdle }];
    const rest = usdPerMonth - ofIdle;
    if (rest <= 0 || allocated <= 0) return claims;
    const part = rest / allocated;
    return [
      ...claims,
      ...own.map(({ resource, usdPerMonth: usd }) => ({ category, resource, usd: part * usd })),
    ];
  });
}

/**
 * What requests save is of the pods of the workload, of each in proportion to its cost: one of them may be
 * abandoned, and the others not. A workload without pods, such as a job that has ended, is its own resource.
 */
export function requestClaims(
  requests: readonly RequestSavings[],
  costs: readonly PodCost[],
): Claim[] {
  const byWorkload = new Map<string, PodCost[]>();
  for (const cost of costs) {
    const own = byWorkload.get(cost.workload) ?? [];
    byWorkload.set(cost.workload, own);
    own.push(cost);
  }
  return requests.flatMap(({ workload, usdPerMonth }): Claim[] => {
    const category = 'requestSizing' as const;
    const pods = byWorkload.get(workload) ?? [];
    const all = pods.reduce((sum, cost) => sum + cost.usdPerMonth, 0);
    if (all <= 0) return [{ category, resource: workload, usd: usdPerMonth }];
    return pods.map((pod) => ({
      category,
      resource: pod.resource,
      usd: (usdPerMonth * pod.usdPerMonth) / all,
    }));
  });
}
