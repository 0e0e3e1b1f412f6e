/** Controllers whose requests can be lowered: what they are called, and when they are left alone. */
import type { ClusterObject, ContainerSpec, Place } from '../../cluster/index.ts';

export type ControllerKind = 'Deployment' | 'DaemonSet' | 'StatefulSet' | 'ReplicaSet';

export const CONTROLLER_KINDS: readonly ControllerKind[] = [
  'Deployment',
  'DaemonSet',
  'StatefulSet',
  'ReplicaSet',
];

/** A controller of the local cluster. */
export interface ControllerName extends Place {
  readonly kind: ControllerKind;
}

const KIND_BY_NAME: ReadonlyMap<string, ControllerKind> = new Map(
  CONTROLLER_KINDS.map((kind) => [kind.toLowerCase(), kind]),
);

/** In any case, as the API or as allocations write it. */
export function readKind(text: string): ControllerKind | undefined {
  return KIND_BY_NAME.get(text.toLowerCase());
}

/** Such as `web/deployment:storefront`. */
export function nameText({ namespace, kind, name }: ControllerName): string {
  return `${namespace}/${kind.toLowerCase()}:${name}`;
}

export function containersOf({ spec }: ClusterObject): readonly ContainerSpec[] {
  return spec?.template?.spec?.containers ?? [];
}

export function containerOf(object: ClusterObject, name: string): ContainerSpec | undefined {
  return containersOf(object).find((container) => container.name === name);
}

/** Why a controller is none of ours to change, whenever; undefined when it is. */
export function unchangeable(
  { metadata }: ClusterObject,
  denied: ReadonlySet<string>,
): string | undefined {
  const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller === true);
  if (owner !== undefined) return `it belongs to ${owner.kind} ${owner.name}, which would undo it`;
  if (denied.has(metadata.namespace)) return `namespace ${metadata.namespace} is left alone`;
  return metadata.deletionTimestamp === undefined ? undefined : 'it is being deleted';
}

/** Why a controller is not changed now; undefined when it can be. */
export function unready(object: ClusterObject): string | undefined {
  if (object.spec?.paused === true) return 'it is paused';
  return isRolling(object) ? 'it is being rolled out' : undefined;
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status */
function isRolling({ metadata, spec, status }: ClusterObject): boolean {
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return true;
  const { desiredNumberScheduled, updatedNumberScheduled = 0 } = status ?? {};
  if (desiredNumberScheduled !== undefined) return updatedNumberScheduled < desiredNumberScheduled;
  // A ReplicaSet has no roll-outs.
  if (status?.updatedReplicas === undefined) return false;
  const { updatedReplicas, replicas = 0 } = status;
  return updatedReplicas < (spec?.replicas ?? 1) || replicas > updatedReplicas;
}

/** Whether new pods of it cannot be made, or did not come up in time. */
export function hasFailedRollOut({ status }: ClusterObject): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: is, reason }) =>
      (type === 'Progressing' && is === 'False' && reason === 'ProgressDeadlineExceeded') ||
      (type === 'ReplicaFailure' && is === 'True'),
  );
}
