/** Follows the workloads of a cluster and makes a cost event of each that is added or deleted. */
import { follow, type ClusterApi, type FollowState } from '../cluster/index.ts';
import type { CostEvent, ResourceType } from './cost-event.ts';
import type { Amounts } from '../prediction/index.ts';
import type { CostEvents } from './cost-events.ts';
import { auditedWorkload } from './workload.ts';

const WATCHED = [
  { kind: 'Deployment', resourceType: 'deployment' },
  { kind: 'StatefulSet', resourceType: 'statefulset' },
] as const;

export interface WatchCostsOptions {
  readonly api: ClusterApi;
  readonly events: CostEvents;
  /** Current prices. */
  readonly prices: () => Amounts | Promise<Amounts>;
  /** Called with each event, in order. */
  readonly onEvent: (event: CostEvent) => void | Promise<void>;
  /** Called when the state of following a kind changes. */
  readonly onState: (resourceType: ResourceType, state: FollowState) => void;
  readonly signal: AbortSignal;
}

/** Ends when the signal is aborted. Workloads that are there at the start make no event. */
export async function watchCosts(options: WatchCostsOptions): Promise<void> {
  await Promise.all(WATCHED.map((watched) => watchKind(options, watched)));
}

async function watchKind(
  { api, events, prices, onEvent, onState, signal }: WatchCostsOptions,
  { kind, resourceType }: (typeof WATCHED)[number],
): Promise<void> {
  const changes = follow(api, {
    kind,
    valueOf: auditedWorkload,
    signal,
    onState: (state) => onState(resourceType, state),
  });
  for await (const change of changes) {
    if (change.type !== 'add' && change.type !== 'delete') continue;
    const observed = { eventType: change.type, resourceType, workload: change.value };
    await onEvent(events.add(change.uid, observed, await prices()));
  }
}
