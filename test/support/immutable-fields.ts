/**
 * Fields that Kubernetes refuses to change, by kind. An upgrade that changes one fails half way, so what a version had is kept.
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#limitations
 */
import { at } from './hardening.ts';
import type { Manifest } from './manifests.ts';

const IMMUTABLE: Readonly<Record<string, readonly string[]>> = {
  StatefulSet: ['spec.selector', 'spec.serviceName', 'spec.podManagementPolicy', 'spec.volumeClaimTemplates'], // prettier-ignore
  RoleBinding: ['roleRef'],
  ClusterRoleBinding: ['roleRef'],
  // Not refused, but a budget and a service that select other pods than before leave the old ones alone.
  Service: ['spec.selector', 'spec.clusterIP'],
  PodDisruptionBudget: ['spec.selector'],
};

/** Values of these fields, by kind, name and path; `null` where a field is not there. */
export function immutableFields(manifests: readonly Manifest[]): Record<string, unknown> {
  const entries = manifests.flatMap((one) =>
    (IMMUTABLE[one.kind] ?? []).map((path) => [
      `${one.kind} ${one.metadata.name} ${path}`,
      at(one, path) ?? null,
    ]),
  );
  return Object.fromEntries(entries) as Record<string, unknown>;
}
