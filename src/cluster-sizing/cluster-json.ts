/** The JSON of one cluster. */
import type { NodeType } from '../pricing/index.ts';
import { HOURS_PER_MONTH } from '../query/index.ts';
import type { CurrentNode } from './current-nodes.ts';
import { architectureOf } from './offers.ts';
import type { SizingPlan } from './params.ts';
import type { ClusterNeeds, RecommendationJson } from './tasks.ts';

/** A cluster, or a group of its nodes, as clients read it. */
export interface ClusterJson {
  readonly recommendations: Pick<RecommendationJson, 'multi' | 'single'>;
  readonly [field: string]: unknown;
}

interface Cluster {
  readonly plan: SizingPlan;
  readonly needs: ClusterNeeds;
  readonly recommendations: RecommendationJson;
  readonly prices: readonly NodeType[];
}

export function clusterJson({ plan, needs, recommendations, prices }: Cluster): ClusterJson {
  const { cluster, demand, nodes } = needs;
  const { total, perNode, largestPod } = demand;
  const { multi, single, warnings } = recommendations;
  return {
    recommendations: { multi, single },
    parameters: {
      clusterId: cluster,
      clusterName: '',
      staticVCPUs: total.cpuCores,
      staticRAMGB: total.ramGiB,
      nonDaemonSetPodCount: demand.podCount,
      daemonSetVCPUs: perNode.cpuCores,
      daemonSetRAMGB: perNode.ramGiB,
      daemonSetCount: demand.daemonSetCount,
      maxPodVCPUs: largestPod.cpuCores,
      maxPodRAMGB: largestPod.ramGiB,
      ...(total.gpus > 0 ? { staticGPUs: total.gpus } : {}),
    },
    preferences: {
      minNodeCount: plan.minNodeCount,
      strategies: null,
      targetUtilization: plan.targetUtilization,
      allowSharedCore: plan.allowSharedCore,
      architecture: plan.architecture,
      includeOverhead: plan.includeOverhead,
    },
    currentClusterInfo: {
      monthlyRate: monthlyRateOf(nodes),
      nodes: groupsOf(nodes, prices),
      totalCounts: {
        totalNodeCount: nodes.length,
        totalRAMGB: nodes.reduce((sum, { size }) => sum + size.ramGiB, 0),
        totalVCPUs: nodes.reduce((sum, { size }) => sum + size.cpuCores, 0),
      },
    },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** USD for 730 hours at the current prices of the nodes. */
export function monthlyRateOf(nodes: readonly CurrentNode[]): number {
  return nodes.reduce((sum, { usdPerHour }) => sum + usdPerHour * HOURS_PER_MONTH, 0);
}

/** Nodes of one type and size as one entry. */
function groupsOf(nodes: readonly CurrentNode[], prices: readonly NodeType[]): object[] {
  const groups = new Map<string, { readonly node: CurrentNode; count: number }>();
  for (const node of nodes) {
    // Sizes are averages over a node's life and differ in their last digits.
    const { cpuCores, ramGiB } = node.size;
    const key = [node.type, node.provider, node.arch, cpuCores.toFixed(3), ramGiB.toFixed(3)].join('\0'); // prettier-ignore
    const group = groups.get(key) ?? { node, count: 0 };
    group.count++;
    groups.set(key, group);
  }
  return [...groups.values()].map(({ node, count }) => ({
    name: node.type,
    provider: node.provider,
    architecture: architectureOf(node, prices),
    count,
    RAMGB: node.size.ramGiB,
    vCPUs: node.size.cpuCores,
  }));
}
