/** Demands and machines for tests of cluster sizing. */
import type { Demand } from '../../../src/cluster-sizing/demand.ts';
import type { Machine } from '../../../src/cluster-sizing/machine.ts';
import type { NodeType } from '../../../src/pricing/index.ts';

/** x86, of its own cores, without GPUs, of nobody. */
export function nodeType(name: string, cpuCores: number, ramGiB: number, usd: number): NodeType {
  return {
    provider: '',
    region: '',
    name,
    cpuCores,
    ramGiB,
    gpus: 0,
    usdPerHour: usd,
    spotUsdPerHour: NaN,
    isSharedCore: false,
    architecture: 'x86',
  };
}

/** All of it is for pods. */
export function bareMachine(type: NodeType, podsMax: number = 110): Machine {
  return { type, allocatable: type, overhead: { cpuCores: 0, ramGiB: 0, gpus: 0 }, podsMax };
}

/** A pod's cores and GiB. */
export type Pod = readonly [cpuCores: number, ramGiB: number];

/** @param daemons one pod of each daemon set */
export function demandOf(pods: readonly Pod[], daemons: readonly Pod[] = []): Demand {
  const sum = (of: readonly Pod[], i: 0 | 1): number => of.reduce((all, pod) => all + pod[i], 0);
  const most = (i: 0 | 1): number => Math.max(0, ...pods.map((pod) => pod[i]));
  return {
    total: { cpuCores: sum(pods, 0), ramGiB: sum(pods, 1), gpus: 0 },
    podCount: pods.length,
    perNode: { cpuCores: sum(daemons, 0), ramGiB: sum(daemons, 1), gpus: 0 },
    daemonSetCount: daemons.length,
    largestPod: { cpuCores: most(0), ramGiB: most(1), gpus: 0 },
    largestPods: { cpuCores: undefined, ramGiB: undefined, gpus: undefined },
    moments: [pods.flatMap(([cpuCores, ramGiB]) => [cpuCores, ramGiB, 0])],
  };
}
