/**
 * Faults of a cluster, one after another within half an hour: an API server that restarts, is too busy
 * and forgets, and kubelets that refuse, fall silent, break off and are slow.
 */
import type { SeenCall, Trouble } from '../servers/scripted-cluster.ts';
import type { Outage } from './closed-form.ts';
import type { KubeletCall, KubeletTrouble } from './kubelets.ts';
import type { ClusterPlan, PlannedNode } from './plan.ts';
import type { Moment } from './simulated-cluster.ts';

export interface PlannedFaults {
  readonly api: (call: SeenCall, nowMs: number) => Trouble;
  readonly kubelets: (call: KubeletCall) => KubeletTrouble;
  readonly moments: readonly Moment[];
  readonly outages: readonly Outage[];
  /** How long samples of a node lack, at most. */
  readonly lackMs: (node: PlannedNode) => number;
}

const MINUTE_MS = 60_000;
/** The longest pause between two tries of who follows the API. */
const RETRY_MS = 31_000;

/** Each node's kubelet fails in one way, by its number, from the minute to the minute. */
const OF_NODES: readonly (readonly [KubeletTrouble, from: number, until: number])[] = [
  [{ does: 'refuse', status: 403 }, 10, 13],
  [{ does: 'silence' }, 12, 14],
  [{ does: 'cut' }, 14, 18],
  [{ does: 'reset' }, 15, 17],
  [{ does: 'wait', waitMs: 20 }, 10, 14],
];

/** @param onSilence hears of a call that gets no answer */
export function faultsFrom(
  plan: ClusterPlan,
  startMs: number,
  onSilence: (call: KubeletCall) => void,
): PlannedFaults {
  const isWithin = (atMs: number, from: number, until: number): boolean =>
    atMs >= startMs + from * MINUTE_MS && atMs < startMs + until * MINUTE_MS;
  const faultOf = (name: string): (typeof OF_NODES)[number] | undefined =>
    OF_NODES[plan.nodes.findIndex((node) => node.name === name) % OF_NODES.length];
  const busy = { does: 'refuse', status: 429, reason: 'TooManyRequests' } as const;
  const outage = (from: number, until: number, isForgotten: boolean): Outage => ({
    fromMs: startMs + from * MINUTE_MS,
    untilMs: startMs + until * MINUTE_MS + RETRY_MS,
    isForgotten,
  });
  return {
    api(_call, nowMs) {
      if (isWithin(nowMs, 1, 2) || isWithin(nowMs, 6, 6.5)) return { does: 'reset' };
      if (isWithin(nowMs, 2, 3)) return { ...busy, headers: { 'retry-after': '1' } };
      return undefined;
    },
    kubelets(call) {
      const [trouble, from = 0, until = 0] = faultOf(call.node) ?? [];
      if (trouble === undefined || !isWithin(call.nowMs, from, until)) return undefined;
      if (trouble.does === 'silence') onSilence(call);
      return trouble;
    },
    moments: [
      { atMs: startMs + MINUTE_MS, does: 'cut' },
      { atMs: startMs + 6 * MINUTE_MS, does: 'cut' },
      { atMs: startMs + 6.5 * MINUTE_MS - 1, does: 'forgets' },
    ],
    outages: [outage(1, 3, false), outage(6, 6.5, true)],
    lackMs({ name }) {
      const [, from = 0, until = 0] = faultOf(name) ?? [];
      return (until - from) * MINUTE_MS;
    },
  };
}
