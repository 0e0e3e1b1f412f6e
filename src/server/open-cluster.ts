/** The Kubernetes API of the cluster that prorata is of; beside the demo, a simulated one. */
import { createClusterApi, openHttpTransport, type ClusterApi } from '../cluster/index.ts';
import { changePreviews, DEMO_CLUSTER, demoCluster, simulatedTransport } from '../demo/index.ts';
import type { Config } from '../settings/config.ts';
import { Fault } from '../query/index.ts';
import { clockOf } from './clock.ts';
import { sourceKindOf } from './source-kind.ts';

export interface OpenCluster {
  readonly api: ClusterApi;
  /** As its allocations name it. */
  readonly clusterId: string;
}

/** @throws {Fault} when the kubeconfig cannot be used, and when nothing says of which cluster stored days are */
export async function openCluster(config: Config): Promise<OpenCluster> {
  // Recommendations from demo data are never applied to a real cluster, whatever KUBECONFIG says.
  const kind = sourceKindOf(config);
  if (kind === 'none') throw ofWhichCluster();
  if (kind === 'demo') {
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

/** Days in a folder may be the demo's. */
function ofWhichCluster(): Fault {
  return new Fault('the cluster controller and the audit need a metrics store or the demo', {
    hint: '--metrics-url URL names a store; --demo true serves a simulated fleet',
  });
}
