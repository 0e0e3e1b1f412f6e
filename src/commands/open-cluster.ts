/** The Kubernetes API of the cluster that prorata is of; beside the demo store, a simulated one. */
import {
  createClusterApi,
  openHttpTransport,
  simulatedTransport,
  type ClusterApi,
} from '../cluster/index.ts';
import type { Config } from '../config.ts';
import { changePreviews, DEMO_CLUSTER, demoCluster } from './demo-cluster.ts';
import { timeOf } from './engine.ts';

export interface OpenCluster {
  readonly api: ClusterApi;
  /** As its allocations name it. */
  readonly clusterId: string;
}

/** @throws {Fault} when the kubeconfig cannot be used */
export async function openCluster(config: Config): Promise<OpenCluster> {
  // What demo data suggest is never done to a real cluster, whatever KUBECONFIG says.
  if (config.metricsUrl === undefined) {
    const store = demoCluster(timeOf(config).nowMs);
    const api = createClusterApi(simulatedTransport(store));
    const stop = config.isCostEventsAudit ? changePreviews(store) : (): void => undefined;
    const close = (): void => {
      stop();
      api.close();
    };
    return { api: { ...api, close }, clusterId: DEMO_CLUSTER };
  }
  const transport = await openHttpTransport(config.kubeconfig);
  return { api: createClusterApi(transport), clusterId: config.clusterId };
}
