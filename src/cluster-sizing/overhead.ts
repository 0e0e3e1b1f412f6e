/**
 * The overhead of a machine, reserved for kubelet and system, and the maximum number of its pods. By
 * provider, from their documentation; otherwise kubelet's own defaults.
 */
import type { NodeSize, NodeType } from '../pricing/index.ts';
import type { Machine } from './machine.ts';

const MIB_PER_GIB = 1024;
/** Kubelet evicts pods when less is free: `memory.available<100Mi`. */
const EVICTION_MIB = 100;
/** Kubelet's default, and that of GKE and AKS. */
const PODS_MAX = 110;

/** How a provider reserves resources of a node. */
interface Provider {
  readonly cpuCores: (cpuCores: number) => number;
  /** Without the margin for eviction. */
  readonly ramMib: (ramGiB: number, podsMax: number) => number;
  readonly podsMax: (type: NodeType) => number;
}

/** Parts that are reserved of each amount up to a bound. */
type Steps = readonly (readonly [upTo: number, part: number])[];

/** GKE: https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes */
const CPU_STEPS: Steps = [
  [1, 0.06],
  [2, 0.01],
  [4, 0.005],
  [Infinity, 0.0025],
];
const GKE_RAM_STEPS: Steps = [
  [4, 0.25],
  [8, 0.2],
  [16, 0.1],
  [128, 0.06],
  [Infinity, 0.02],
];

/** AKS: https://learn.microsoft.com/azure/aks/node-resource-reservations; interpolated. */
const AKS_CORES: readonly (readonly [cpuCores: number, reserved: number])[] = [
  [1, 0.06],
  [2, 0.1],
  [4, 0.14],
  [8, 0.18],
  [16, 0.26],
  [32, 0.42],
  [64, 0.74],
];

/**
 * Pod addresses of a machine by size, without prefix delegation, as in VPC CNI's table for ordinary
 * families: interfaces × (addresses - 1) + 2
 * (https://github.com/awslabs/amazon-eks-ami, eni-max-pods.txt).
 */
const ENI_PODS: Readonly<Record<string, number>> = {
  nano: 4,
  micro: 4,
  small: 11,
  medium: 8,
  large: 29,
  xlarge: 58,
  '2xlarge': 58,
};
const ENI_PODS_LARGER = 234;

const PROVIDERS: Readonly<Record<string, Provider>> = {
  gcp: {
    cpuCores: (cpuCores) => stepped(cpuCores, CPU_STEPS),
    ramMib: (ramGiB) => (ramGiB < 1 ? 255 : stepped(ramGiB, GKE_RAM_STEPS) * MIB_PER_GIB),
    podsMax: () => PODS_MAX,
  },
  // EKS: the AMI's bootstrap.sh, `get_cpu_millicores_to_reserve` and `get_memory_mebibytes_to_reserve`.
  aws: {
    cpuCores: (cpuCores) => stepped(cpuCores, CPU_STEPS),
    ramMib: (_, podsMax) => 255 + 11 * podsMax,
    podsMax: eksPodsMax,
  },
  // AKS reserves 20 MB for each pod + 50 MB, at most a quarter of the RAM.
  azure: {
    cpuCores: aksCores,
    ramMib: (ramGiB, podsMax) => Math.min(20 * podsMax + 50, 0.25 * ramGiB * MIB_PER_GIB),
    podsMax: () => PODS_MAX,
  },
};

const UNKNOWN: Provider = { cpuCores: () => 0, ramMib: () => 0, podsMax: () => PODS_MAX };

/** @param hasOverhead false: nothing is reserved; the number of pods is limited all the same */
export function machineOf(type: NodeType, hasOverhead: boolean): Machine {
  const provider = PROVIDERS[type.provider.toLowerCase()] ?? UNKNOWN;
  const podsMax = provider.podsMax(type);
  const reservedMib = provider.ramMib(type.ramGiB, podsMax) + EVICTION_MIB;
  const overhead: NodeSize = {
    cpuCores: hasOverhead ? Math.min(provider.cpuCores(type.cpuCores), type.cpuCores) : 0,
    ramGiB: hasOverhead ? Math.min(reservedMib / MIB_PER_GIB, type.ramGiB) : 0,
    gpus: 0,
  };
  return {
    type,
    overhead,
    allocatable: {
      cpuCores: type.cpuCores - overhead.cpuCores,
      ramGiB: type.ramGiB - overhead.ramGiB,
      gpus: type.gpus,
    },
    podsMax,
  };
}

function stepped(amount: number, steps: Steps): number {
  let reserved = 0;
  let from = 0;
  for (const [upTo, part] of steps) {
    reserved += Math.max(0, Math.min(amount, upTo) - from) * part;
    from = upTo;
  }
  return reserved;
}

function aksCores(cpuCores: number): number {
  const place = AKS_CORES.findIndex(([cores]) => cores >= cpuCores);
  const [toCores, to] = AKS_CORES[place] ?? [Infinity, AKS_CORES.at(-1)?.[1] ?? 0];
  const [fromCores, from] = AKS_CORES[place - 1] ?? [0, to];
  if (toCores === Infinity) return to;
  return from + ((to - from) * (cpuCores - fromCores)) / (toCores - fromCores);
}

/**
 * The number of addresses, at most EKS's own bound: 110 pods below 30 cores, else 250
 * (https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html).
 */
function eksPodsMax({ name, cpuCores }: NodeType): number {
  const addresses = ENI_PODS[name.split('.')[1] ?? ''] ?? ENI_PODS_LARGER;
  return Math.min(addresses, cpuCores < 30 ? PODS_MAX : 250);
}
