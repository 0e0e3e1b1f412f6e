/** Pods, nodes and other objects as the API writes them, for simulated clusters. */
import type { ClusterObject } from '../../../src/cluster/index.ts';
import type { SimulatedObject } from '../../../src/demo/index.ts';

/** JSON of an object as its manifest has it, with the status that the cluster would write. */
export interface Written {
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly [field: string]: unknown;
  };
  readonly spec?: object;
  readonly status?: object;
}

/** For a simulated store, which does not look into it. */
export function stored({ metadata, ...rest }: Written): SimulatedObject {
  return { ...rest, metadata: { namespace: '', ...metadata } };
}

/** A time as the API writes it. */
export function apiTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+/, '');
}

export interface PodShape {
  /** `namespace/name` */
  readonly path: string;
  readonly node?: string;
  readonly startMs?: number;
  readonly cpu?: string;
  readonly memory?: string;
}

/** A pod of one container, `app`, that runs. */
export function runningPod({
  path,
  node = 'n1',
  startMs = 0,
  cpu = '500m',
  memory = '1Gi',
}: PodShape): Written {
  const [namespace = '', name = ''] = path.split('/');
  return {
    metadata: { namespace, name, labels: { app: name }, creationTimestamp: apiTime(startMs) },
    spec: {
      nodeName: node,
      containers: [{ name: 'app', resources: { requests: { cpu, memory } } }],
    },
    status: {
      phase: 'Running',
      startTime: apiTime(startMs),
      containerStatuses: [{ name: 'app', state: { running: { startedAt: apiTime(startMs) } } }],
    },
  };
}

/** The pod as its node writes it when it has ended. */
export function endedPod(
  shape: PodShape & { readonly endMs: number; readonly exitCode?: number },
): Written {
  const pod = runningPod(shape);
  const { startMs = 0, endMs, exitCode = 0 } = shape;
  const terminated = { startedAt: apiTime(startMs), finishedAt: apiTime(endMs), exitCode };
  return {
    ...pod,
    status: {
      ...pod.status,
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      containerStatuses: [{ name: 'app', state: { terminated } }],
    },
  };
}

export function readyNode(name: string, createdMs: number = 0): Written {
  return {
    metadata: {
      name,
      creationTimestamp: apiTime(createdMs),
      labels: { 'topology.kubernetes.io/zone': 'a' },
    },
    spec: { providerID: `aws:///eu/${name}` },
    status: {
      capacity: { cpu: '4', memory: '16Gi', pods: '110' },
      addresses: [
        { type: 'Hostname', address: name },
        { type: 'InternalIP', address: '10.0.0.1' },
      ],
      nodeInfo: { kubeletVersion: 'v1.34.1' },
    },
  };
}

/** As a list would have it. */
export function listed({ metadata, ...rest }: Written): ClusterObject {
  const identity = { namespace: '', uid: '', resourceVersion: '1' };
  return { ...rest, metadata: { ...identity, ...metadata } };
}
