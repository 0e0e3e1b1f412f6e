/** The requests of a workload: of all replicas and their containers. */
import type { Amounts, ClusterObject } from '../cluster/index.ts';
import { readQuantity } from '../query/index.ts';

/** The part of a workload that is stored while it is followed. */
export interface AuditedWorkload {
  readonly namespace: string;
  readonly name: string;
  /** Nanocores, as quantities are read. */
  readonly cpuNanos: bigint;
  /** Nanobytes. */
  readonly ramNanos: bigint;
  readonly gpus: number;
}

const NANOS = 1e9;
const NOTHING: Amounts = {};

/** Replicas default to 1: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/ */
export function auditedWorkload({ metadata, spec }: ClusterObject): AuditedWorkload {
  const { namespace, name } = metadata;
  const replicas = BigInt(spec?.replicas ?? 1);
  const requests = (spec?.template?.spec?.containers ?? []).map(({ resources }) => ({
    // A limit without a request is the request, as Kubernetes defaults it.
    ...(resources?.limits ?? NOTHING),
    ...(resources?.requests ?? NOTHING),
  }));
  const sum = (isSelected: (resource: string) => boolean): bigint =>
    replicas * requests.reduce((nanos, amounts) => nanos + nanosOf(amounts, isSelected), 0n);
  return {
    namespace,
    name,
    cpuNanos: sum((resource) => resource === 'cpu'),
    ramNanos: sum((resource) => resource === 'memory'),
    gpus: Number(sum((resource) => resource.endsWith('/gpu'))) / NANOS,
  };
}

/** Quantities that the API would refuse count as zero. */
function nanosOf(amounts: Amounts, isSelected: (resource: string) => boolean): bigint {
  return Object.entries(amounts)
    .filter(([resource]) => isSelected(resource))
    .reduce((nanos, [, amount]) => nanos + (readQuantity(String(amount)) ?? 0n), 0n);
}
