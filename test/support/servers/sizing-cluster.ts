/** A cluster for plans and applies, its runner, and shorthand for bodies. */
import type { ClusterApi } from '../../../src/cluster/index.ts';
import { SimulatedStore } from '../../../src/demo/index.ts';
import type { PlanOptions } from '../../../src/request-sizing/index.ts';

export const CLUSTER = 'cluster-one';
const MIB = 2 ** 20;

export function newStore(): SimulatedStore {
  return new SimulatedStore({ nowMs: () => Date.UTC(2026, 0, 1) });
}

export function planOptions(api: ClusterApi, more: Partial<PlanOptions> = {}): PlanOptions {
  return {
    api,
    clusterId: CLUSTER,
    floors: { cpu: 25_000_000n, memory: BigInt(64 * MIB) * 10n ** 9n },
    denied: new Set(['kube-system']),
    ...more,
  };
}

/** A row as endpoint 7's second version has it. @param path `namespace/kind:controller/container` */
export function row(
  path: string,
  cpu: string,
  memory: string,
  clusterID: string = CLUSTER,
): object {
  const [namespace = '', controller = '', containerName = ''] = path.split('/');
  const [controllerKind = '', controllerName = ''] = controller.split(':');
  const recommendedRequest = { cpu, memory };
  return {
    clusterID,
    namespace,
    controllerKind,
    controllerName,
    containerName,
    recommendedRequest,
  };
}
