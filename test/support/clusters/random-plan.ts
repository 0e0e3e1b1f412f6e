/**
 * Plans from a seed: places for pods, each filled by one life after another, of workloads of all kinds.
 * Most of them last, some come and go within minutes, and some are of seconds.
 */
import type { Seeded } from '../../../scripts/seeded.ts';
import {
  GRACE_MS,
  PULL_MS,
  type ClusterPlan,
  type Ending,
  type PlannedClaim,
  type PlannedContainer,
  type PlannedNode,
  type PlannedOwner,
  type PlannedPod,
  type PlannedRequest,
} from './plan.ts';
import { burst, steady, wave, type UsageCurve } from './usage-curves.ts';

export interface PlanSize {
  readonly startMs: number;
  readonly endMs: number;
  readonly nodes: number;
  /** Pods that there are at a time, about. */
  readonly pods: number;
  /** Share of places whose pods come and go. */
  readonly restless: number;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MIB = 2 ** 20;
const GIB = 2 ** 30;
/** A node has room for all that is planned on it, and more. */
const NODE = { cores: 64, ramBytes: 256 * GIB };
/** A pod that ended by itself stays in the API. */
const LINGER_MS = 3 * MINUTE_MS;
/** Pods of a node that went are collected afterwards. */
const COLLECTED_MS = 40 * SECOND_MS;

const ENDINGS: readonly Ending[] = ['completes', 'fails', 'deleted', 'deleted', 'forced'];

export function planOf(random: Seeded, size: PlanSize): ClusterPlan {
  const { startMs, endMs } = size;
  const nodes = Array.from({ length: size.nodes }, (_, i) => nodeOf(random, i, size));
  const pods: PlannedPod[] = [];
  for (let place = 0; place < size.pods; place++) {
    const isRestless = random.is(size.restless);
    const owner = ownerOf(random, place, isRestless);
    let freeMs = isRestless ? startMs + secondsOf(random, 20 * MINUTE_MS) : startMs - HOUR_MS;
    for (let number = 0; freeMs < endMs; number++) {
      const pod = podOf(random, { place, number, owner, freeMs, isRestless, nodes, size });
      pods.push(pod);
      freeMs = pod.removedMs + (random.is(0.3) ? 0 : secondsOf(random, 30 * MINUTE_MS));
    }
  }
  return { startMs, endMs, nodes, pods };
}

/** One in ten comes or goes meanwhile. */
function nodeOf(random: Seeded, index: number, { startMs, endMs }: PlanSize): PlannedNode {
  const [comes, goes] = [index > 0 && random.is(0.1), index > 0 && random.is(0.1)];
  const middleMs = startMs + (endMs - startMs) / 2;
  const halfMs = (endMs - startMs) / 2;
  return {
    ...NODE,
    name: `node-${index}`,
    startMs: comes ? startMs + secondsOf(random, halfMs) : startMs - 24 * HOUR_MS,
    endMs: goes ? middleMs + secondsOf(random, halfMs) : Infinity,
  };
}

interface PodRequest {
  readonly place: number;
  readonly number: number;
  readonly owner: PlannedOwner;
  readonly freeMs: number;
  readonly isRestless: boolean;
  readonly nodes: readonly PlannedNode[];
  readonly size: PlanSize;
}

function podOf(random: Seeded, request: PodRequest): PlannedPod {
  const { place, number, owner, freeMs, isRestless, nodes, size } = request;
  const createdMs = freeMs;
  const startMs = createdMs + SECOND_MS * random.below(20);
  const there = nodes.filter((node) => node.startMs <= startMs && node.endMs > startMs + MINUTE_MS);
  const node = random.of(there);
  const lastsMs = random.is(0.2) ? secondsOf(random, MINUTE_MS) : secondsOf(random, 2 * HOUR_MS);
  const ownEndMs = startMs + PULL_MS + GRACE_MS + SECOND_MS + lastsMs;
  const stays = !isRestless || ownEndMs >= size.endMs;
  const isLost = node.endMs <= (stays ? size.endMs : ownEndMs);
  const ending = isLost ? 'forced' : stays ? 'stays' : random.of(ENDINGS);
  const endMs = isLost ? node.endMs : stays ? Infinity : ownEndMs;
  const name =
    owner.kind === 'StatefulSet' ? `${owner.name}-0` : `${owner.name}-${number}x${place}`;
  const life = { startMs, untilMs: Math.min(endMs, size.endMs) };
  const containers = Array.from({ length: random.is(0.25) ? 2 : 1 }, (_, i) =>
    containerOf(random, i === 0 ? 'app' : 'sidecar', life),
  );
  const claim = owner.kind === 'StatefulSet' ? claimOf(owner) : undefined;
  return {
    namespace: `team-${place % 7}`,
    name,
    uid: `00000000-0000-4000-8000-${String(place * 1000 + number).padStart(12, '0')}`,
    node,
    owner,
    createdMs,
    startMs,
    endMs,
    removedMs: removedMs(ending, endMs, isLost),
    ending,
    containers,
    ...(claim && { claim }),
  };
}

function removedMs(ending: Ending, endMs: number, isLost: boolean): number {
  if (isLost) return endMs + COLLECTED_MS;
  if (ending === 'completes' || ending === 'fails') return endMs + LINGER_MS;
  return ending === 'deleted' ? endMs + SECOND_MS : endMs;
}

function ownerOf(random: Seeded, place: number, isRestless: boolean): PlannedOwner {
  if (isRestless && random.is(0.5)) return { kind: 'Job', name: `batch-${place}` };
  const kind = random.of(['Deployment', 'Deployment', 'StatefulSet', 'DaemonSet'] as const);
  return { kind, name: `${kind.toLowerCase()}-${place}` };
}

function claimOf({ name }: PlannedOwner): PlannedClaim {
  return { name: `data-${name}-0`, volume: `pv-${name}`, bytes: 10 * GIB };
}

interface Span {
  readonly startMs: number;
  readonly untilMs: number;
}

function containerOf(random: Seeded, name: string, life: Span): PlannedContainer {
  const first = { cores: (1 + random.below(20)) / 20, ramBytes: (64 + random.below(1000)) * MIB };
  const requests: PlannedRequest[] = [{ fromMs: life.startMs, ...first }];
  const isResized = life.untilMs - life.startMs > 10 * MINUTE_MS && random.is(0.15);
  if (isResized)
    requests.push({
      fromMs: timeWithin(random, life),
      cores: first.cores * 2,
      ramBytes: first.ramBytes / 2,
    });
  const mayRestart = life.untilMs - life.startMs > 10 * MINUTE_MS && random.is(0.1);
  const restartsMs = mayRestart ? [timeWithin(random, life), timeWithin(random, life)] : [];
  // Most use less than they request.
  const part = random.is(0.8) ? 0.5 : 1.5;
  return {
    name,
    requests,
    cpu: curveOf(random, first.cores * part),
    ram: curveOf(random, (first.ramBytes / 2) * part),
    restartsMs: [...new Set(restartsMs)].toSorted((a, b) => a - b),
  };
}

/** A time well within a life, to the second. */
function timeWithin(random: Seeded, { startMs, untilMs }: Span): number {
  const margin = 2 * MINUTE_MS;
  return startMs + margin + secondsOf(random, untilMs - startMs - 2 * margin);
}

/** At most `most` at any time. */
function curveOf(random: Seeded, most: number): UsageCurve {
  const kind = random.below(3);
  const periodMs = (20 + random.below(60)) * MINUTE_MS;
  if (kind === 0) return steady(most);
  return kind === 1 ? wave(most / 2, most / 2.5, periodMs) : burst(most / 10, most, periodMs, 0.25);
}

/** Whole seconds up to so much. */
function secondsOf(random: Seeded, mostMs: number): number {
  return SECOND_MS * random.below(Math.max(1, Math.floor(mostMs / SECOND_MS)));
}
