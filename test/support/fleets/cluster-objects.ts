/** Workloads for simulated clusters, as one would write their manifests. */
import type { Amounts } from '../../../src/cluster/index.ts';
import type { SimulatedObject } from '../../../src/demo/index.ts';

export interface ContainerAmounts {
  readonly requests?: Amounts;
  readonly limits?: Amounts;
}

export interface WorkloadOptions {
  readonly metadata?: Partial<SimulatedObject['metadata']>;
  readonly spec?: Partial<SimulatedObject['spec'] & object>;
  readonly status?: SimulatedObject['status'];
}

/** @param path `namespace/name` */
export function workload(
  path: string,
  containers: Readonly<Record<string, ContainerAmounts>> = {
    app: { requests: { cpu: '500m', memory: '512Mi' } },
  },
  { metadata, spec, status }: WorkloadOptions = {},
): SimulatedObject {
  const [namespace = '', name = ''] = path.split('/');
  const listed = Object.entries(containers).map(([container, resources]) => ({
    name: container,
    image: `registry.example.com/${container}:1`,
    resources,
  }));
  return {
    metadata: { namespace, name, ...metadata },
    spec: { replicas: 1, ...spec, template: { spec: { containers: listed } } },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, ...status },
  };
}
