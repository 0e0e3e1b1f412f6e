/**
 * What a pod reserves of its node, as kube-scheduler counts it (PodRequests of
 * k8s.io/component-helpers/resource):
 *
 *   request of a container   spec; while a resize in place is under way max(spec, granted)
 *   request of a pod         max(sum(containers + sidecars), largest init container + sidecars) + overhead,
 *                            or the request of the pod as a whole + overhead
 *   kube_pod_resource_request   the same, told by kube-scheduler: it replaces all of this
 *
 * kube-scheduler adds to an init container only the sidecars that are listed before it. No metric has that
 * order: all sidecars count as started, as Istio and Linkerd insert theirs in front.
 *
 * What that is more than the containers' own requests is divided among the containers in proportion to
 * these, so that rows of a pod add up to its reservation.
 */
import { RESOURCE_OF_LABEL } from '../../metrics/catalogue.ts';
import type { Pod, PodRequest } from '../inventory/inventory.ts';
import { combined, Runs } from '../inventory/runs.ts';
import { believed, type Billed, type Room } from './bill-container.ts';
import type { Life } from '../inventory/presence.ts';

type Shared = 'cpu' | 'ram';
const SHARED: readonly Shared[] = ['cpu', 'ram'];
type Pairs = readonly number[];

/** Sums of parts and the scheduler's own sum may differ in the last digits. */
const EQUAL = 1e-9;

/**
 * The containers of a pod with their shares of what it reserves.
 * @param requests of pods of its name
 */
export function withPodRequests(
  billed: readonly Billed[],
  requests: readonly PodRequest[] | undefined,
  pod: Pick<Pod, 'uid' | 'containers'>,
  life: Life,
  room: Room,
): readonly Billed[] {
  if (requests === undefined || billed.length === 0) return billed;
  const own = requests.filter((request) => isOf(request, pod.uid, life));
  const isSidecar = ({ container }: Billed): boolean =>
    pod.containers.get(container)?.isSidecar === true;
  return SHARED.reduce((before, resource) => {
    const most = resource === 'cpu' ? room.cores : room.ramBytes;
    return withShares(
      before,
      own.filter((request) => resourceOf(request) === resource),
      isSidecar,
      resource,
      most,
    );
  }, billed);
}

/** Whether it is of the pod: by its uid, else by its time. */
function isOf({ uid, firstMs, lastMs }: PodRequest, of: string, { stretches }: Life): boolean {
  if (uid !== '' && of !== '') return uid === of;
  const startMs = stretches[0]?.startMs ?? Infinity;
  const endMs = stretches.at(-1)?.endMs ?? -Infinity;
  return firstMs < endMs && lastMs >= startMs;
}

function resourceOf({ resource }: PodRequest): Shared {
  return RESOURCE_OF_LABEL[resource] ?? 'ram';
}

function withShares(
  billed: readonly Billed[],
  requests: readonly PodRequest[],
  isSidecar: (one: Billed) => boolean,
  resource: Shared,
  capacity: number,
): readonly Billed[] {
  const sharing = billed.filter(({ isUnmatched }) => !isUnmatched);
  // What OpenCost allocated holds usage already.
  const isAllocated = sharing.some(({ allocated }) => allocated.includes(resource));
  if (requests.length === 0 || sharing.length === 0 || isAllocated) return billed;
  const sum = combined(
    sharing.map((one) => one.requests[resource]),
    added,
  );
  const beside = combined(
    sharing.filter(isSidecar).map((one) => one.requests[resource]),
    added,
  );
  const reserved = believed(reservedBy(requests, sum, beside), capacity);
  const differs = combined([reserved, sum], ([all = 0, own = 0]) =>
    Math.abs(all - own) > EQUAL * all ? 1 : 0,
  );
  if (reserved.length === 0 || !differs.some((value, i) => i % 2 === 1 && value === 1))
    return billed;
  return billed.map((one) => {
    if (one.isUnmatched) return one;
    const share = combined(
      [one.requests[resource], sum, reserved],
      ([own = 0, ofAll = 0, all = 0]) =>
        Math.abs(all - ofAll) <= EQUAL * all
          ? own
          : ofAll > 0
            ? (all * own) / ofAll
            : all / sharing.length,
    );
    return {
      ...one,
      requests: { ...one.requests, [resource]: share },
      shares: [...one.shares, resource],
    };
  });
}

/** @param sum of the containers' own requests @param beside of them, those of sidecars */
function reservedBy(requests: readonly PodRequest[], sum: Pairs, beside: Pairs): Pairs {
  const of = (kind: PodRequest['kind']): Pairs[] => stepsOf(requests, kind);
  const scheduled = combined(of('scheduler'), added);
  if (scheduled.length > 0) return scheduled;
  const whole = combined(of('pod'), added);
  const starting = of('init').map((init) => combined([init, beside], added));
  const running = whole.length > 0 ? whole : combined([sum, ...starting], largest);
  return combined([running, ...of('overhead')], added);
}

/** A step function of each container and resource: memory and huge pages of one container add up. */
function stepsOf(requests: readonly PodRequest[], kind: PodRequest['kind']): Pairs[] {
  const containers = new Map<string, Map<string, Runs>>();
  for (const request of requests) {
    if (request.kind !== kind) continue;
    const resources = containers.get(request.container) ?? new Map<string, Runs>();
    containers.set(request.container, resources);
    const runs = resources.get(request.resource) ?? new Runs();
    resources.set(request.resource, runs);
    runs.add(request.pairs);
  }
  return Array.from(containers.values(), (resources) =>
    combined(
      Array.from(resources.values(), (runs) => runs.merged()),
      added,
    ),
  );
}

function added(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function largest(values: readonly number[]): number {
  return Math.max(...values);
}
