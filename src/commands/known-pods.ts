/** Pods with one lifetime at random phases, and a window that covers all of them. */
import type { KnownPod, KnownUsage } from '../metrics/index.ts';
import { HOUR_MS, MINUTE_MS } from '../query/index.ts';

export interface PhaseOptions {
  readonly pods: number;
  readonly seed: number;
}

export interface KnownPods {
  readonly pods: readonly KnownPod[];
  /** A pod that runs all the time, so that a window is never empty. */
  readonly neighbour: KnownPod;
  /** Whole seconds. */
  readonly startMs: number;
  readonly endMs: number;
}

/** At both ends of a life. */
const EDGE_MINUTES = 2;
const EPOCH_MS = Date.UTC(2024, 4, 1);

/**
 * Each of `pods` equal parts of an hour, the longest distance of a grid, has one start, so that even few
 * pods include the rare case: a pod of 30s that contains a point of an hourly grid.
 */
export function knownPods(lifeMs: number, { pods, seed }: PhaseOptions): KnownPods {
  const random = randomFrom(seed);
  const startMs = EPOCH_MS + 1000 * Math.floor(random() * 60);
  const endMs = startMs + lifeMs + 3 * HOUR_MS;
  const pod = (name: string, fromMs: number, toMs: number, pattern: Pattern): KnownPod => ({
    name,
    startMs: fromMs,
    endMs: toMs,
    cpuCores: REQUEST_CORES,
    cpuUsage: usageOf(fromMs, toMs, pattern, random),
    ramBytes: 2 ** 30,
  });
  return {
    pods: Array.from({ length: pods }, (_, i) => {
      const bornMs = startMs + HOUR_MS + Math.floor(((i + random()) / pods) * HOUR_MS);
      return pod(`pod-${i}`, bornMs, bornMs + lifeMs, PATTERNS[i % PATTERNS.length] ?? idling);
    }),
    neighbour: pod('neighbour', startMs - 30 * MINUTE_MS, endMs + 30 * MINUTE_MS, idling),
    startMs,
    endMs,
  };
}

const REQUEST_CORES = 0.5;
const IDLE_CORES = 0.125;

/** Cores used in a minute of a life, by its number and how many there are. */
type Pattern = (minute: number, minutes: number, random: () => number) => number;

const idling: Pattern = () => IDLE_CORES;
const PATTERNS: readonly Pattern[] = [
  idling,
  // Four minutes of twenty above the request.
  (minute) => (minute % 20 < 4 ? 2 : IDLE_CORES),
  (minute, minutes) => (minute < minutes / 2 ? IDLE_CORES : 3 * REQUEST_CORES),
  (_minute, _minutes, random) => 2 * REQUEST_CORES * random(),
];

/** Idle in the first and the last minute: what a pod uses where no sample shows it nobody can know. */
function usageOf(
  startMs: number,
  endMs: number,
  pattern: Pattern,
  random: () => number,
): KnownUsage {
  const fromMs = Math.floor(startMs / MINUTE_MS) * MINUTE_MS;
  const minutes = Math.ceil((endMs - fromMs) / MINUTE_MS);
  const cores = new Float64Array(minutes).map((_, minute) =>
    minute < EDGE_MINUTES || minute >= minutes - EDGE_MINUTES
      ? IDLE_CORES
      : pattern(minute, minutes, random),
  );
  return { fromMs, cores };
}

/** Core-hours for which a pod is to be billed: its request, or its usage where that is more. */
export function billedCoreHours({ startMs, endMs, cpuCores, cpuUsage }: KnownPod): number {
  return cpuUsage.cores.reduce((sum, cores, minute) => {
    const beganMs = cpuUsage.fromMs + minute * MINUTE_MS;
    const ms = Math.min(endMs, beganMs + MINUTE_MS) - Math.max(startMs, beganMs);
    return sum + (Math.max(cpuCores, cores) * ms) / HOUR_MS;
  }, 0);
}

/** Uniform in [0, 1), the same sequence for the same seed (mulberry32, public domain). */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
