/** What a cluster must hold. */
import type { NodeSize } from '../pricing/index.ts';

/** Of what a machine has a limited amount. */
export const RESOURCES = ['cpuCores', 'ramGiB', 'gpus'] as const;
export type Resource = (typeof RESOURCES)[number];

/** Pods of one moment, three numbers each: cores, GiB, GPUs. */
export type PodSizes = readonly number[];

/** Sizes are of what is allocated: the larger of request and usage. */
export interface Demand {
  /** All pods that are not of daemon sets; of each resource the most at any moment. */
  readonly total: NodeSize;
  /** The most at any moment. */
  readonly podCount: number;
  /** One pod of each daemon set: what every node bears. */
  readonly perNode: NodeSize;
  readonly daemonSetCount: number;
  /** The largest of each resource, not necessarily of one pod. */
  readonly largestPod: NodeSize;
  /** The pods behind `total`, at the moments at which it is reached; none where only sums are known. */
  readonly moments: readonly PodSizes[];
}

/** Whether `size` has room for `other`, but for what rounding leaves. */
export function hasRoom(size: NodeSize, other: NodeSize): boolean {
  return RESOURCES.every((resource) => size[resource] >= other[resource] * (1 - ROUNDING));
}

/** Sums of thousands of pods are not exact. */
export const ROUNDING = 1e-9;
