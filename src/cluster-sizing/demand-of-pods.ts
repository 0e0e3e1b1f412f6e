/** The demand of a cluster's pods: on all nodes together, on each node, and on a single one. */
import type { NodeSize } from '../pricing/index.ts';
import {
  RESOURCES,
  type Demand,
  type NamedPod,
  type NodeResource,
  type PodSizes,
} from './demand.ts';
import type { PodLife } from './pod-lives.ts';

/**
 * Pods come and go, and nodes must hold the largest number at once. A sum over all pods of the window
 * would count pods replaced by a rollout twice, and an average would leave no room for jobs.
 * @param pods of one cluster
 */
export function demandOfPods(pods: readonly PodLife[]): Demand {
  const daemons = pods.filter(({ daemonSet }) => daemonSet !== '');
  const others = pods.filter(({ daemonSet }) => daemonSet === '');
  const busiest = busiestMoments(others);
  const moments = [...new Set([busiest.atMs.cpuCores, busiest.atMs.ramGiB, busiest.atMs.gpus])];
  const perSet = sizesOfDaemonSets(daemons);
  return {
    total: busiest.most,
    podCount: busiest.podCount,
    perNode: sizeOf((resource) => perSet.reduce((sum, size) => sum + size[resource], 0)),
    daemonSetCount: perSet.length,
    largestPod: sizeOf((resource) => largest(others, resource)?.size[resource] ?? 0),
    largestPods: {
      cpuCores: largest(others, 'cpuCores'),
      ramGiB: largest(others, 'ramGiB'),
      gpus: largest(others, 'gpus'),
    },
    moments: moments.flatMap((ms) => (ms === undefined ? [] : [podsAt(others, ms)])),
  };
}

function largest(pods: readonly PodLife[], resource: NodeResource): NamedPod | undefined {
  const most = pods.reduce<PodLife | undefined>(
    (best, pod) => (best && best.size[resource] >= pod.size[resource] ? best : pod),
    undefined,
  );
  return most && { name: most.name, size: most.size };
}

function sizeOf(amount: (resource: NodeResource) => number): NodeSize {
  return { cpuCores: amount('cpuCores'), ramGiB: amount('ramGiB'), gpus: amount('gpus') };
}

/** The average size of each daemon set's pods, weighted by their lifetimes. */
function sizesOfDaemonSets(daemons: readonly PodLife[]): NodeSize[] {
  const bySet = new Map<string, PodLife[]>();
  for (const pod of daemons) {
    const own = bySet.get(pod.daemonSet) ?? [];
    bySet.set(pod.daemonSet, own);
    own.push(pod);
  }
  return [...bySet.values()].map((pods) => {
    const lived = ({ startMs, endMs }: PodLife): number => endMs - startMs;
    const all = pods.reduce((sum, pod) => sum + lived(pod), 0);
    return sizeOf((resource) =>
      pods.reduce((sum, pod) => sum + (pod.size[resource] * lived(pod)) / all, 0),
    );
  });
}

interface Busiest {
  readonly most: NodeSize;
  readonly podCount: number;
  /** When the maximum is first reached; undefined: it is 0. */
  readonly atMs: Readonly<Record<NodeResource, number | undefined>>;
}

/** Sweeps over starts and ends; at the same moment ends come before starts. */
function busiestMoments(pods: readonly PodLife[]): Busiest {
  const events = pods.flatMap(({ startMs, endMs, size }) => [
    { ms: startMs, sign: 1, size },
    { ms: endMs, sign: -1, size },
  ]);
  events.sort((a, b) => a.ms - b.ms || a.sign - b.sign);
  const now: Record<NodeResource, number> = { cpuCores: 0, ramGiB: 0, gpus: 0 };
  const most = { ...now };
  const atMs: Record<NodeResource, number | undefined> = {
    cpuCores: undefined,
    ramGiB: undefined,
    gpus: undefined,
  };
  let count = 0;
  let podCount = 0;
  for (const { ms, sign, size } of events) {
    count += sign;
    podCount = Math.max(podCount, count);
    for (const resource of RESOURCES) {
      now[resource] += sign * size[resource];
      // Differences of rounding do not make a new maximum.
      if (now[resource] > most[resource] * (1 + 1e-9))
        [most[resource], atMs[resource]] = [now[resource], ms];
    }
  }
  // Sums from scratch: the running sums have gathered rounding.
  const exact = sizeOf((resource) => sumAt(pods, atMs[resource], resource));
  return { most: exact, podCount, atMs };
}

function sumAt(pods: readonly PodLife[], ms: number | undefined, resource: NodeResource): number {
  if (ms === undefined) return 0;
  return alive(pods, ms).reduce((sum, { size }) => sum + size[resource], 0);
}

function podsAt(pods: readonly PodLife[], ms: number): PodSizes {
  return alive(pods, ms).flatMap(({ size }) => RESOURCES.map((resource) => size[resource]));
}

function alive(pods: readonly PodLife[], ms: number): PodLife[] {
  return pods.filter(({ startMs, endMs }) => startMs <= ms && ms < endMs);
}
