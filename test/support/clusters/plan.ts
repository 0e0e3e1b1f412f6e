/**
 * What a simulated cluster does, planned ahead: nodes and pods with their lives, requests, usage and
 * ends, to the second, as the Kubernetes API writes times. Everything else follows from the plan: the
 * objects at a time (`objects.ts`), what kubelets show (`kubelet-text.ts`), what is to be counted
 * (`closed-form.ts`).
 *
 *     created   start    running        resize, restart         end      removed
 *        ├────────┼─────────┼───────────────┼────────────────────┼──────────┤
 *        pending  bound,    containers                          terminal   no object
 *                 counted   use something                       or gone
 */
import type { UsageCurve } from './usage-curves.ts';

export interface ClusterPlan {
  readonly startMs: number;
  readonly endMs: number;
  readonly nodes: readonly PlannedNode[];
  readonly pods: readonly PlannedPod[];
}

export interface PlannedNode {
  readonly name: string;
  readonly cores: number;
  readonly ramBytes: number;
  readonly startMs: number;
  /** Infinity: it stays. */
  readonly endMs: number;
}

/**
 * - `completes`: containers end by themselves, and the object stays for a while;
 * - `fails`: the same with a failure;
 * - `deleted`: a deletion with grace, in which the containers end;
 * - `forced`: the object goes at once, and nothing tells of its containers;
 * - `stays`: it runs beyond the plan.
 */
export type Ending = 'completes' | 'fails' | 'deleted' | 'forced' | 'stays';

export interface PlannedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: PlannedNode;
  readonly owner: PlannedOwner;
  readonly createdMs: number;
  /** It is bound to its node, and costs from here on. */
  readonly startMs: number;
  /** Infinity: it runs beyond the plan. */
  readonly endMs: number;
  readonly removedMs: number;
  readonly ending: Ending;
  readonly containers: readonly PlannedContainer[];
  readonly claim?: PlannedClaim;
}

/** `Deployment` stands for a pod of its only ReplicaSet. */
export interface PlannedOwner {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Job';
  readonly name: string;
}

export interface PlannedContainer {
  readonly name: string;
  /** By time, the first from the pod's start on. */
  readonly requests: readonly PlannedRequest[];
  readonly cpu: UsageCurve;
  readonly ram: UsageCurve;
  readonly restartsMs: readonly number[];
}

export interface PlannedRequest {
  readonly fromMs: number;
  readonly cores: number;
  readonly ramBytes: number;
}

/** A volume with its claim, both as long as the plan. */
export interface PlannedClaim {
  readonly name: string;
  readonly volume: string;
  readonly bytes: number;
}

/** From a pod's start to its containers'. */
export const PULL_MS = 2000;
/** Between the call that deletes a pod and the end of its containers. */
export const GRACE_MS = 5000;

/** The end of what a pod is counted for: its own, or its node's. */
export function lifeEndMs({ endMs, node }: PlannedPod): number {
  return Math.min(endMs, node.endMs);
}

/** Whether its containers run. */
export function isRunningAt(pod: PlannedPod, timeMs: number): boolean {
  return timeMs >= pod.startMs + PULL_MS && timeMs < lifeEndMs(pod);
}

/** When a container that runs then began, last. */
export function runningSinceMs(
  pod: PlannedPod,
  { restartsMs }: PlannedContainer,
  timeMs: number,
): number {
  return Math.max(pod.startMs + PULL_MS, ...restartsMs.filter((atMs) => atMs <= timeMs));
}

/** What a container requests at a time. */
export function requestAt({ requests }: PlannedContainer, timeMs: number): PlannedRequest {
  const now = requests.findLast(({ fromMs }) => fromMs <= timeMs) ?? requests[0];
  if (now === undefined) throw new Error('BUG: a container without requests');
  return now;
}
