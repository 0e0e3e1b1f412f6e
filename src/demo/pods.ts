/**
 * Pods of the demo fleet. Those that serve live from one rollout to the next, or until their spot
 * node is taken away; those that run to completion start on a schedule or at random and stay
 * visible for ten minutes after their end.
 */
import { lastChangeMs, livesBetween, timeOfDayMs, type Replaced, type Span } from './changes.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../query/index.ts';
import type { Workload } from './fleet.ts';
import { hashText, mix, safeText, unit, uuid } from './hash.ts';
import { nodeAt, type DemoNode, type NodePlace } from './nodes.ts';

/** From its start to its end; `goneMs` is when the object is deleted. */
export interface DemoPod extends Span {
  readonly workload: Workload;
  readonly name: string;
  /** The ReplicaSet, Job, StatefulSet or DaemonSet that made it. */
  readonly ownerKind: string;
  readonly ownerName: string;
  readonly uid: string;
  readonly key: number;
  readonly node: DemoNode;
  readonly version: string;
  readonly templateHash: string;
  readonly isCompleted: boolean;
  readonly goneMs: number;
}

/** A workload with the places its pods take in turn, in one order for all windows. */
export interface Placed {
  readonly workload: Workload;
  readonly rollout: Replaced;
  readonly places: readonly NodePlace[];
  /** The last pods that were made: some 30 metrics tell of each, one after the other. */
  readonly made: Map<number, DemoPod>;
}

/** Pods of a workload that are kept: more than run in a day. */
const MADE_MAX = 256;

const LINGER_MS = 10 * MINUTE_MS;

export function placeWorkloads(
  workloads: readonly Workload[],
  all: readonly NodePlace[],
  seed: number,
): readonly Placed[] {
  return workloads.map((workload) => {
    const { cluster, namespace, name, kind, pool, first, span, rolloutsPerDay } = workload;
    const key = hashText(`${cluster}/${namespace}/${name}`, seed);
    const near = all.filter((place) => place.pool.cluster === cluster);
    const inPool = near.filter((place) => place.pool.name === pool);
    const turn = Array.from({ length: span }, (_, i) => inPool.at((first + i) % inPool.length));
    const places = kind === 'DaemonSet' ? near : turn.filter((place) => place !== undefined);
    const made = new Map<number, DemoPod>();
    return { workload, rollout: { key, perDay: rolloutsPerDay }, places, made };
  });
}

/** Whether its pods run to completion, rather than serve. */
export function isRun({ kind }: Workload): boolean {
  return kind === 'CronJob' || kind === 'Job';
}

/** Pods of one workload whose objects exist at some time of `range`, those of a slot in order. */
export function* podsOf(placed: Placed, range: Span): Generator<DemoPod, void> {
  const { kind, replicas, dayReplicas } = placed.workload;
  if (isRun(placed.workload)) {
    yield* runPods(placed, range);
    return;
  }
  const steady = kind === 'DaemonSet' ? placed.places.length : replicas;
  for (let slot = 0; slot < steady + dayReplicas; slot++)
    yield* slot < steady ? servingPods(placed, slot, range) : dayPods(placed, slot, range);
}

/** ReplicaSets of a Deployment, each from its rollout until two days after the next. */
export function* replicaSetsOf(
  { workload, rollout }: Placed,
  range: Span,
): Generator<Span & { readonly name: string }, void> {
  if (workload.kind !== 'Deployment') return;
  const keptMs = 2 * DAY_MS;
  const reach = { startMs: range.startMs - keptMs, endMs: range.endMs };
  for (const { startMs, endMs } of livesBetween([rollout], reach))
    yield { startMs, endMs: endMs + keptMs, name: replicaSetName(workload, rollout, startMs) };
}

/** How pods of a kind follow one another: from slot to slot, and overlap (or gap) with the next. */
const SUCCESSION: Readonly<Record<string, readonly [betweenSlotsMs: number, overlapMs: number]>> = {
  Deployment: [40 * SECOND_MS, 30 * SECOND_MS],
  StatefulSet: [60 * SECOND_MS, -5 * SECOND_MS],
  DaemonSet: [30 * SECOND_MS, -3 * SECOND_MS],
};

function* servingPods(placed: Placed, slot: number, range: Span): Generator<DemoPod, void> {
  const { workload, rollout } = placed;
  const place = placeOf(placed, slot);
  const isMoved = place.replaced !== undefined;
  const [betweenMs = 0, overlapMs = 0] = SUCCESSION[workload.kind] ?? [];
  const lateMs = isMoved ? 5 * SECOND_MS : slot * betweenMs;
  const pastMs = isMoved ? 0 : lateMs + overlapMs;
  const reach = { startMs: range.startMs - Math.max(lateMs, pastMs), endMs: range.endMs };
  for (const life of livesBetween(place.replaced ? [rollout, place.replaced] : [rollout], reach)) {
    const span = { startMs: life.startMs + lateMs, endMs: life.endMs + pastMs };
    if (span.endMs > range.startMs && span.startMs < range.endMs)
      yield servingPod(placed, slot, span, life.startMs);
  }
}

/** @param id of the pod among those of its workload */
function remembered({ made }: Placed, id: number, make: () => DemoPod): DemoPod {
  const known = made.get(id);
  if (known !== undefined) return known;
  if (made.size >= MADE_MAX) made.clear();
  const pod = make();
  made.set(id, pod);
  return pod;
}

/** Replicas that an autoscaler adds by day. */
function* dayPods(placed: Placed, slot: number, range: Span): Generator<DemoPod, void> {
  const key = mix(placed.rollout.key, slot);
  const lastDay = Math.floor(range.endMs / DAY_MS);
  for (let day = Math.floor(range.startMs / DAY_MS); day <= lastDay; day++) {
    const startMs = timeOfDayMs(key, day, 7.5, 8.5);
    const endMs = timeOfDayMs(key ^ 0x3d, day, 19, 20);
    if (endMs > range.startMs && startMs < range.endMs)
      yield servingPod(placed, slot, { startMs, endMs }, startMs);
  }
}

/** @param madeMs when its template was current */
function servingPod(placed: Placed, slot: number, span: Span, madeMs: number): DemoPod {
  const id = slot * 2 ** 32 + span.startMs / SECOND_MS;
  return remembered(placed, id, () => newServingPod(placed, slot, span, madeMs));
}

function newServingPod(placed: Placed, slot: number, span: Span, madeMs: number): DemoPod {
  const { workload, rollout } = placed;
  const key = mix(mix(rollout.key, slot + 1), span.startMs / SECOND_MS);
  const template = describeTemplate(rollout, madeMs);
  const isReplicated = workload.kind === 'Deployment';
  const ownerName = isReplicated ? replicaSetName(workload, rollout, madeMs) : workload.name;
  return {
    ...span,
    ...template,
    workload,
    key,
    ownerName,
    ownerKind: isReplicated ? 'ReplicaSet' : workload.kind,
    name: `${ownerName}-${workload.kind === 'StatefulSet' ? slot : safeText(key, 5)}`,
    uid: uuid(key),
    node: nodeAt(placeOf(placed, slot), span.startMs),
    isCompleted: false,
    goneMs: span.endMs,
  };
}

function* runPods(placed: Placed, range: Span): Generator<DemoPod, void> {
  const longestMs = placed.workload.runSeconds[1] * SECOND_MS + LINGER_MS;
  const reach = { startMs: range.startMs - longestMs, endMs: range.endMs };
  const runs = placed.workload.kind === 'CronJob' ? scheduledRuns : randomRuns;
  for (const run of runs(placed, reach)) {
    if (run.endMs + LINGER_MS > range.startMs && run.startMs < range.endMs)
      yield remembered(placed, run.number, () => runPod(placed, run));
  }
}

interface Run extends Span {
  /** Among those of its workload. */
  readonly number: number;
  readonly key: number;
  readonly jobName: string;
}

function* scheduledRuns({ workload, rollout }: Placed, range: Span): Generator<Run, void> {
  const everyMs = workload.everyMinutes * MINUTE_MS;
  const first = Math.floor(range.startMs / everyMs) * everyMs;
  for (let dueMs = first; dueMs < range.endMs; dueMs += everyMs) {
    const minute = dueMs / MINUTE_MS;
    const key = mix(rollout.key, minute);
    const startMs = dueMs + (1 + (key % 8)) * SECOND_MS;
    const jobName = `${workload.name}-${minute}`;
    yield { ...lasting(workload, startMs, key), number: minute, key, jobName };
  }
}

function* randomRuns({ workload, rollout }: Placed, range: Span): Generator<Run, void> {
  const lastDay = Math.floor(range.endMs / DAY_MS);
  for (let day = Math.floor(range.startMs / DAY_MS); day <= lastDay; day++)
    for (let n = 0; n < workload.runsPerDay; n++) {
      const key = mix(mix(rollout.key, n), day);
      const startMs = timeOfDayMs(key, day, 0, 24);
      const jobName = `${workload.name}-${safeText(key ^ 0x51, 6)}`;
      const number = day * workload.runsPerDay + n;
      yield { ...lasting(workload, startMs, key), number, key, jobName };
    }
}

/** Most runs are short: the length goes with the cube of chance. */
function lasting(
  { runSeconds: [shortest, longest] }: Workload,
  startMs: number,
  key: number,
): Span {
  const seconds = shortest + Math.floor((longest - shortest) * unit(mix(key, 7)) ** 3);
  return { startMs, endMs: startMs + seconds * SECOND_MS };
}

function runPod(placed: Placed, { startMs, endMs, key, jobName }: Run): DemoPod {
  return {
    startMs,
    endMs,
    ...describeTemplate(placed.rollout, startMs),
    workload: placed.workload,
    key,
    ownerKind: 'Job',
    ownerName: jobName,
    name: `${jobName}-${safeText(key, 5)}`,
    uid: uuid(key),
    node: nodeAt(placeOf(placed, key), startMs),
    isCompleted: true,
    goneMs: endMs + LINGER_MS,
  };
}

function placeOf({ places, workload }: Placed, slot: number): NodePlace {
  const place = places[slot % places.length];
  if (place === undefined) throw new Error(`BUG: ${workload.name} has no place`);
  return place;
}

function describeTemplate(
  rollout: Replaced,
  atMs: number,
): Pick<DemoPod, 'version' | 'templateHash'> {
  const changeMs = lastChangeMs(rollout, atMs);
  const version = `v1.${Math.floor(changeMs / DAY_MS) - 19_000}`;
  return { version, templateHash: safeText(mix(rollout.key, changeMs / SECOND_MS), 10) };
}

function replicaSetName(workload: Workload, rollout: Replaced, atMs: number): string {
  return `${workload.name}-${describeTemplate(rollout, atMs).templateHash}`;
}
