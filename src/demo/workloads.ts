/** What controllers the demo fleet's clusters have at a moment, for a simulated Kubernetes API. */
import type { ContainerSpec } from './fleet.ts';
import { isRun, replicaSetsOf } from './pods.ts';
import { createFleet } from './series.ts';

export interface DemoWorkload {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  /** Serving ones alone: what runs to completion has no requests to lower. */
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  readonly replicas: number;
  /** Whether an autoscaler adds replicas by day. */
  readonly isAutoscaled: boolean;
  readonly containers: readonly ContainerSpec[];
  /** A Deployment's, the current one last. */
  readonly replicaSets: readonly string[];
}

export function demoWorkloads(seed: number, nowMs: number): DemoWorkload[] {
  const serving = createFleet(seed).placed.filter(({ workload }) => !isRun(workload));
  return serving.map((placed) => {
    const { cluster, namespace, name, kind, replicas, dayReplicas, containers } = placed.workload;
    const sets = [...replicaSetsOf(placed, { startMs: nowMs, endMs: nowMs + 1 })];
    return {
      cluster,
      namespace,
      name,
      kind: kind as DemoWorkload['kind'],
      replicas: kind === 'DaemonSet' ? placed.places.length : replicas,
      isAutoscaled: dayReplicas > 0,
      containers,
      replicaSets: sets.map((set) => set.name),
    };
  });
}
