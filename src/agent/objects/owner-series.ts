/** Owners of what owns pods, as kube-state-metrics tells them: of replica sets and of jobs. */
import type { ApiObject, ReplicaSetObject } from './api-objects.ts';
import type { Series } from './packed-series.ts';

/** Labels of `kube_…_owner`: an object without any owner has a series, too. */
export function ownersOf({ metadata }: ApiObject): Series['labels'][] {
  const owners = metadata.ownerReferences ?? [];
  if (owners.length === 0) return [{}];
  return owners.map(({ kind = '', name = '', controller = false }) => ({
    owner_kind: kind,
    owner_name: name,
    owner_is_controller: String(controller),
  }));
}

/** Deployments keep those that they had before, ten each and without pods: nothing asks who owns them. */
export function replicaSetSeries(set: ReplicaSetObject): Series[] {
  const pods = Math.max(set.spec?.replicas ?? 1, set.status?.replicas ?? 0);
  return pods === 0 ? [] : ownerSeries(set, 'kube_replicaset_owner', 'replicaset');
}

/** @param label names the object: `replicaset` */
export function ownerSeries(object: ApiObject, metric: string, label: string): Series[] {
  const { namespace, name } = object.metadata;
  return ownersOf(object).map((owner) => ({
    metric,
    labels: { namespace, [label]: name, ...owner },
    value: 1,
  }));
}
