/** Kinds of objects that are read, and their paths in the API. */

export type Kind =
  | 'Deployment'
  | 'DaemonSet'
  | 'StatefulSet'
  | 'ReplicaSet'
  | 'LimitRange'
  | 'HorizontalPodAutoscaler'
  | 'Node'
  | 'Pod'
  | 'Job'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'Service'
  | 'Namespace'
  | 'ResourceQuota'
  | 'ResourceClaim'
  | 'ResourceSlice';

/** Identifies an object of a kind. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** Group and version, and the resource's name in paths. */
const RESOURCES: Readonly<Record<Kind, readonly [base: string, plural: string]>> = {
  Deployment: ['/apis/apps/v1', 'deployments'],
  DaemonSet: ['/apis/apps/v1', 'daemonsets'],
  StatefulSet: ['/apis/apps/v1', 'statefulsets'],
  ReplicaSet: ['/apis/apps/v1', 'replicasets'],
  LimitRange: ['/api/v1', 'limitranges'],
  HorizontalPodAutoscaler: ['/apis/autoscaling/v2', 'horizontalpodautoscalers'],
  Node: ['/api/v1', 'nodes'],
  Pod: ['/api/v1', 'pods'],
  Job: ['/apis/batch/v1', 'jobs'],
  PersistentVolume: ['/api/v1', 'persistentvolumes'],
  PersistentVolumeClaim: ['/api/v1', 'persistentvolumeclaims'],
  Service: ['/api/v1', 'services'],
  Namespace: ['/api/v1', 'namespaces'],
  ResourceQuota: ['/api/v1', 'resourcequotas'],
  ResourceClaim: ['/apis/resource.k8s.io/v1', 'resourceclaims'],
  ResourceSlice: ['/apis/resource.k8s.io/v1', 'resourceslices'],
};

export const KINDS: readonly Kind[] = Object.keys(RESOURCES) as Kind[];

/** The path of a kind's objects in all namespaces. */
export function collectionPath(kind: Kind): string {
  return RESOURCES[kind].join('/');
}

export function objectPath(kind: Kind, { namespace, name }: Place): string {
  const [base, plural] = RESOURCES[kind];
  const parts = ['namespaces', namespace, plural, name].map(encodeURIComponent);
  return `${base}/${parts.join('/')}`;
}
