/** The demo's cluster as its Kubernetes API would show it: the fleet's workloads, autoscaled by CPU. */
import { randomUUID } from 'node:crypto';
import { SimulatedStore, type SimulatedObject } from './simulated-store.ts';
import { demoWorkloads, type DemoWorkload } from './workloads.ts';
import { DEMO_SEED } from './store.ts';

/** The one of the demo's clusters that prorata is in. */
export const DEMO_CLUSTER = 'production';

const GIB = 2 ** 30;
const MIB = 2 ** 20;

export function demoCluster(nowMs: () => number): SimulatedStore {
  const store = new SimulatedStore({ nowMs });
  for (const workload of demoWorkloads(DEMO_SEED, nowMs())) {
    if (workload.cluster !== DEMO_CLUSTER) continue;
    store.put(workload.kind, controllerOf(workload));
    for (const [index, name] of workload.replicaSets.entries()) {
      const isCurrent = index === workload.replicaSets.length - 1;
      store.put('ReplicaSet', replicaSetOf(workload, name, isCurrent));
    }
    if (workload.isAutoscaled) store.put('HorizontalPodAutoscaler', autoscalerOf(workload));
  }
  return store;
}

/** How often a preview comes or goes. */
const PREVIEW_MS = 10_000;
/** So many stand at once. */
const PREVIEWS = 3;

/**
 * Deployments that come and go as branches are reviewed, so that there is something to watch.
 * @returns what ends it
 */
export function changePreviews(store: SimulatedStore): () => void {
  let made = 0;
  const nameOf = (number: number): string => `preview-${number}`;
  const change = (): void => {
    const oldest = { namespace: 'previews', name: nameOf(made - PREVIEWS) };
    if (made >= PREVIEWS && store.get('Deployment', oldest)) store.remove('Deployment', oldest);
    else store.put('Deployment', previewOf(nameOf(made++)));
  };
  change();
  const timer = setInterval(change, PREVIEW_MS).unref();
  return () => clearInterval(timer);
}

function previewOf(name: string): SimulatedObject {
  const requests = { cpu: '250m', memory: '256Mi' };
  return {
    // Unlike those of another process, which may share cost events with this one.
    metadata: { namespace: 'previews', name, uid: randomUUID() },
    spec: {
      replicas: 2,
      template: { spec: { containers: [{ name: 'web', resources: { requests } }] } },
    },
    status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2 },
  };
}

function controllerOf({
  namespace,
  name,
  kind,
  replicas,
  containers,
}: DemoWorkload): SimulatedObject {
  const listed = containers.map((container) => ({
    name: container.name,
    image: `${container.image}:1`,
    resources: { requests: requestsOf(container) },
  }));
  const isDaemon = kind === 'DaemonSet';
  return {
    metadata: { namespace, name },
    spec: {
      ...(isDaemon ? {} : { replicas }),
      template: { spec: { containers: listed } },
    },
    status: isDaemon
      ? {
          observedGeneration: 1,
          desiredNumberScheduled: replicas,
          updatedNumberScheduled: replicas,
        }
      : { observedGeneration: 1, replicas, updatedReplicas: replicas },
  };
}

type Container = DemoWorkload['containers'][number];

function requestsOf({
  requestCores,
  requestRamBytes,
  requestGpus,
}: Container): Record<string, string> {
  return {
    ...(requestCores > 0 ? { cpu: `${Math.round(requestCores * 1000)}m` } : {}),
    ...(requestRamBytes > 0 ? { memory: memoryText(requestRamBytes) } : {}),
    ...(requestGpus > 0 ? { 'nvidia.com/gpu': String(requestGpus) } : {}),
  };
}

function memoryText(bytes: number): string {
  return bytes % GIB === 0 ? `${bytes / GIB}Gi` : `${bytes / MIB}Mi`;
}

function replicaSetOf(workload: DemoWorkload, name: string, isCurrent: boolean): SimulatedObject {
  const { spec, metadata } = controllerOf(workload);
  const replicas = isCurrent ? workload.replicas : 0;
  const owner = { kind: 'Deployment', name: workload.name, controller: true };
  return {
    metadata: { ...metadata, name, ownerReferences: [owner] },
    spec: { ...spec, replicas },
    status: { observedGeneration: 1, replicas },
  };
}

function autoscalerOf({ namespace, name, kind }: DemoWorkload): SimulatedObject {
  const target = { type: 'Utilization' };
  return {
    metadata: { namespace, name },
    spec: {
      scaleTargetRef: { kind, name },
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    },
  };
}
