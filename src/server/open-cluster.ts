/** The Kubernetes API of the cluster that prorata is of; beside the demo store, a simulated one. */
import { createClusterApi, openHttpTransport, type ClusterApi } from '../cluster/index.ts';
import { changePreviews, DEMO_CLUSTER, demoCluster, simulatedTransport } from '../demo/index.ts';
import type { Config } from '../settings/config.ts';
import { clockOf } from './clock.ts';

export interface OpenCluster {
  readonly api: ClusterApi;
  /** As its allocations name it. */
  readonly clusterId: string;
}

/** @throws {Fault} when the kubeconfig cannot be used */
export async function openCluster(config: Config): Promise<OpenCluster> {
  // Recommendations from demo data are never applied to a real cluster, whatever KUBECONFIG says.
  if (config.metricsUrl === undefined) {
    const store = demoCluster(clockOf(config).nowMs);
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
