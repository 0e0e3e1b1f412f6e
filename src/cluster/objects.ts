/** Objects as the API writes them, with only the fields that are read here. */
import { Unavailable } from '../query/index.ts';

export interface ClusterObject {
  readonly metadata: Metadata;
  readonly spec?: Spec;
  readonly status?: Status;
}

export interface Metadata {
  readonly name: string;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  readonly controller?: boolean;
}

/** Specs of workloads, limit ranges and autoscalers; each kind has some of the fields. */
export interface Spec {
  readonly replicas?: number;
  readonly paused?: boolean;
  readonly template?: { readonly spec?: PodSpec };
  /** LimitRange only. */
  readonly limits?: readonly LimitRangeItem[];
  /** Autoscalers only. */
  readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
  readonly metrics?: readonly AutoscalerMetric[];
}

export interface PodSpec {
  readonly containers?: readonly ContainerSpec[];
}

export interface ContainerSpec {
  readonly name: string;
  readonly resources?: {
    readonly requests?: Amounts;
    readonly limits?: Amounts;
  };
}

/** Quantities by resource; the API takes bare numbers too. */
export type Amounts = Readonly<Record<string, string | number>>;

export interface LimitRangeItem {
  readonly type: string;
  readonly min?: Amounts;
  readonly maxLimitRequestRatio?: Amounts;
}

export interface AutoscalerMetric {
  readonly type: string;
  readonly resource?: { readonly name: string; readonly target?: { readonly type?: string } };
  readonly containerResource?: {
    readonly name: string;
    readonly target?: { readonly type?: string };
  };
}

export interface Status {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly desiredNumberScheduled?: number;
  readonly updatedNumberScheduled?: number;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
  }[];
}

/** @throws {Unavailable} for a value that no API server sends */
export function asObject(value: unknown): ClusterObject {
  const { metadata } = Object(value) as { metadata?: Partial<Metadata> };
  const { name, namespace = '', uid, resourceVersion } = metadata ?? {};
  const isObject = [name, namespace, uid, resourceVersion].every(
    (each) => typeof each === 'string',
  );
  if (!isObject) throw new Unavailable('the Kubernetes API sent an object without identity');
  return { ...(value as ClusterObject), metadata: { ...(metadata as Metadata), namespace } };
}
