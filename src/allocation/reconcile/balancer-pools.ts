/**
 * Pools of load balancers. A row's cost does not name its balancers, but a balancer serves pods of its
 * service's namespace only: those of one namespace are a pool.
 */
import type { Table } from '../../columnar/index.ts';
import { resourceKey } from '../../query/index.ts';
import { readAssets } from './charged-asset.ts';

/** No bill spells a resource like this. */
export function balancerPool(cluster: string, namespace: string): string {
  return `load balancers of ${cluster}/${namespace}`;
}

/** @param assets of a set @returns pools by resource, as `resourceKey` spells it */
export function poolsIn(assets: Table): [resource: string, pool: string][] {
  return readAssets(assets, true)
    .filter(({ type, providerId }) => type === 'LoadBalancer' && providerId !== '')
    .map(({ cluster, name, providerId }) => {
      const namespace = name.slice(0, Math.max(0, name.indexOf('/')));
      return [resourceKey(providerId), balancerPool(cluster, namespace)];
    });
}
