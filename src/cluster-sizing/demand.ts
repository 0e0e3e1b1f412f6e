/** The demand that a cluster must hold. */
import type { NodeSize } from '../pricing/index.ts';

/** The resources that a machine has a limited amount of. */
export const RESOURCES = ['cpuCores', 'ramGiB', 'gpus'] as const;
export type NodeResource = (typeof RESOURCES)[number];

/** The pods of one moment, three numbers each: cores, GiB, GPUs. */
export type PodSizes = readonly number[];

export interface NamedPod {
  /** `namespace/name`. */
  readonly name: string;
  readonly size: NodeSize;
}

/** Sizes are allocations: the larger of request and usage. */
export interface Demand {
  /** The maximum of each resource at any moment, of all pods outside of daemon sets. */
  readonly total: NodeSize;
  /** The maximum at any moment. */
  readonly podCount: number;
  /** One pod of each daemon set, which each node runs. */
  readonly perNode: NodeSize;
  readonly daemonSetCount: number;
  /** The maximum of each resource over pods, not necessarily the same pod. */
  readonly largestPod: NodeSize;
  /** The pod with most of each resource; undefined where there are no pods, or only sums are known. */
  readonly largestPods: Readonly<Record<NodeResource, NamedPod | undefined>>;
  /** The pods at the moments that reach `total`; none where only sums are known. */
  readonly moments: readonly PodSizes[];
}

/** Whether `size` has room for `other`, apart from rounding. */
export function hasRoom(size: NodeSize, other: NodeSize): boolean {
  return RESOURCES.every((resource) => size[resource] >= other[resource] * (1 - ROUNDING));
}

/** Sums of thousands of pods are not exact. */
export const ROUNDING = 1e-9;
