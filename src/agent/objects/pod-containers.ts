/**
 * The containers that run as long as their pod: its own, and its sidecars, which are init containers
 * that restart always. What they hold, by their specs and by what their node says of a resize.
 */
import type { Amounts } from '../../cluster/index.ts';
import type { ContainerStatus, PodContainer, PodObject } from './api-objects.ts';
import { quantitiesOf, type Quantity } from './quantities.ts';

export interface LastingContainer {
  readonly name: string;
  readonly spec: PodContainer;
  /** Undefined before its node has taken the pod. */
  readonly status: ContainerStatus | undefined;
}

export function lastingContainers({ spec, status }: PodObject): LastingContainer[] {
  const sidecars = (spec?.initContainers ?? []).filter((one) => one.restartPolicy === 'Always');
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const byName = new Map(statuses.map((one) => [one.name, one]));
  return [...(spec?.containers ?? []), ...sidecars].map((one) => ({
    name: one.name,
    spec: one,
    status: byName.get(one.name),
  }));
}

/**
 * What a container holds of its node. While a resize is under way this is the largest of what is wanted,
 * what its node has set aside, and what its runtime was told; of a resize that its node can never grant,
 * what is wanted counts for nothing. So the scheduler counts it:
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/1287-in-place-update-pod-resources
 */
export function heldBy({ spec, status }: LastingContainer, isRefused: boolean): Quantity[] {
  const granted = [status?.allocatedResources, status?.resources?.requests].filter(
    (amounts) => amounts !== undefined,
  );
  const wanted = isRefused && granted.length > 0 ? undefined : spec.resources?.requests;
  const held = new Map<string, Quantity>();
  for (const amounts of [wanted, ...granted] satisfies (Amounts | undefined)[])
    for (const one of quantitiesOf(amounts))
      if (!(one.value <= (held.get(one.resource)?.value ?? NaN))) held.set(one.resource, one);
  return [...held.values()];
}

/** Its node can never grant the resize that is wanted. */
export function hasRefusedResize({ status }: PodObject): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: is, reason }) =>
      type === 'PodResizePending' && is === 'True' && reason === 'Infeasible',
  );
}
