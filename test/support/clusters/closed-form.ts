/**
 * What must be counted of a plan between two times, in closed form, and by how much samples may miss it.
 */
import {
  lifeEndMs,
  PULL_MS,
  type ClusterPlan,
  type PlannedContainer,
  type PlannedPod,
  type PlannedRequest,
} from './plan.ts';
import { integral, variationBetween, type UsageCurve } from './usage-curves.ts';

const HOUR_MS = 3_600_000;

/** What one container of one pod comes to: exact unless said otherwise. */
export interface ExpectedRow {
  readonly pod: PlannedPod;
  readonly container: PlannedContainer;
  readonly startMs: number;
  readonly endMs: number;
  /** By how much later, at most, its end or a resize may be known; 0 where the API tells its time. */
  readonly lateMs: number;
  readonly minutes: number;
  readonly cpuRequestHours: number;
  readonly ramRequestByteHours: number;
  /** Usage, and its excess over the request: only samples tell them. */
  readonly cpuUsageHours: Sampled;
  readonly ramUsageByteHours: Sampled;
  /** The integral of max(request, usage). */
  readonly cpuHours: Sampled;
  readonly ramByteHours: Sampled;
}

export interface Sampled {
  readonly value: number;
  /** What samples can miss it by; 0 where nothing depends on samples. */
  readonly bound: number;
}

export interface Sampling {
  readonly fromMs: number;
  readonly untilMs: number;
  /** The longest time between two samples of a container of a pod, also of the last and its end. */
  readonly gapMs: (pod: PlannedPod) => number;
  /** When nobody heard of the API: what only its changes tell is known at its end. */
  readonly outages?: readonly Outage[];
}

export interface Outage {
  readonly fromMs: number;
  readonly untilMs: number;
  /** The API server has forgotten meanwhile what it was: objects that came and went were never seen. */
  readonly isForgotten: boolean;
}

/** By `node/namespace/pod/container`; lives of one such name come in order of time. */
export function expectedRows(
  { pods }: Pick<ClusterPlan, 'pods'>,
  sampling: Sampling,
): Map<string, ExpectedRow[]> {
  const rows = new Map<string, ExpectedRow[]>();
  for (const pod of pods) {
    const startMs = Math.max(pod.startMs, sampling.fromMs);
    const endMs = Math.min(lifeEndMs(pod), sampling.untilMs);
    if (startMs >= endMs) continue;
    for (const container of pod.containers) {
      const key = [pod.node.name, pod.namespace, pod.name, container.name].join('/');
      const lateMs = lateBy(pod, container, sampling.outages ?? []);
      const row = rowOf(pod, container, { startMs, endMs, gapMs: sampling.gapMs(pod), lateMs });
      rows.set(key, [...(rows.get(key) ?? []), row]);
    }
  }
  return rows;
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
  readonly gapMs: number;
  readonly lateMs: number;
}

/** Infinity for a life that may never have been seen. */
function lateBy(
  pod: PlannedPod,
  { requests }: PlannedContainer,
  outages: readonly Outage[],
): number {
  const { ending, startMs, removedMs } = pod;
  const endMs = lifeEndMs(pod);
  let lateMs = 0;
  for (const { fromMs, untilMs, isForgotten } of outages) {
    const isWithin = (atMs: number): boolean => atMs >= fromMs && atMs <= untilMs;
    // One that was seen before it started was not seen to run.
    if (isForgotten && isWithin(startMs) && isWithin(removedMs)) return Infinity;
    // Of an object that was forgotten nothing tells when it ended, and of one removed by force nothing ever.
    const isUntold =
      isWithin(endMs) && (ending === 'forced' || (isForgotten && isWithin(removedMs)));
    const resizesMs = requests
      .slice(1)
      .map((request) => request.fromMs)
      .filter(isWithin);
    for (const atMs of [...(isUntold ? [endMs] : []), ...resizesMs]) lateMs += untilMs - atMs;
  }
  return lateMs;
}

function rowOf(pod: PlannedPod, container: PlannedContainer, span: Span): ExpectedRow {
  const { startMs, endMs, lateMs } = span;
  const steps = stepsWithin(container, span);
  const runs = { ...span, startMs: Math.max(startMs, Math.min(endMs, pod.startMs + PULL_MS)) };
  const requested = (of: (request: PlannedRequest) => number): number =>
    steps.reduce(
      (sum, step) => sum + (of(step.request) * (step.endMs - step.startMs)) / HOUR_MS,
      0,
    );
  const allocated = (curve: UsageCurve, of: (request: PlannedRequest) => number): Sampled => {
    const excess = excessOf(curve, steps, of, runs, container);
    return { value: requested(of) + excess.value, bound: excess.bound };
  };
  const all = [{ ...span, request: { fromMs: startMs, cores: 0, ramBytes: 0 } }];
  return {
    pod,
    container,
    startMs,
    endMs,
    lateMs,
    minutes: (endMs - startMs) / 60_000,
    cpuRequestHours: requested(({ cores }) => cores),
    ramRequestByteHours: requested(({ ramBytes }) => ramBytes),
    cpuUsageHours: excessOf(container.cpu, all, () => 0, runs, container),
    ramUsageByteHours: excessOf(container.ram, all, () => 0, runs, container),
    cpuHours: allocated(container.cpu, ({ cores }) => cores),
    ramByteHours: allocated(container.ram, ({ ramBytes }) => ramBytes),
  };
}

interface Step {
  readonly startMs: number;
  readonly endMs: number;
  readonly request: PlannedRequest;
}

/** The times of each request. */
function stepsWithin({ requests }: PlannedContainer, { startMs, endMs }: Span): Step[] {
  return requests
    .map((request, i) => ({
      request,
      startMs: Math.max(startMs, i === 0 ? startMs : request.fromMs),
      endMs: Math.min(endMs, requests[i + 1]?.fromMs ?? Infinity),
    }))
    .filter((step) => step.startMs < step.endMs);
}

/**
 * Usage above what is requested. Samples miss at most what usage varies between two of them, and what
 * there is before the first, after the last and around a restart or a resize.
 */
function excessOf(
  curve: UsageCurve,
  steps: readonly Step[],
  of: (request: PlannedRequest) => number,
  { startMs, endMs, gapMs, lateMs }: Span,
  { restartsMs }: PlannedContainer,
): Sampled {
  const parts = steps.map(({ request, ...step }) => {
    const fromMs = Math.max(step.startMs, startMs);
    return integral(curve, fromMs, Math.min(step.endMs, endMs), of(request));
  });
  const value = parts.reduce((sum, part) => sum + part, 0) / HOUR_MS;
  const lowest = Math.min(...steps.map(({ request }) => of(request)));
  if (curve.most <= lowest) return { value, bound: 0 };
  const restarts = restartsMs.filter((atMs) => atMs >= startMs && atMs < endMs).length;
  const edges = 2 + restarts + (steps.length - 1);
  const missed = edges * curve.most + variationBetween(curve, startMs, endMs);
  return { value, bound: (missed * gapMs + lateMs * curve.most) / HOUR_MS };
}
