/** Pods with one lifetime at random phases, and a window that covers all of them. */
import type { KnownPod } from '../metrics/index.ts';
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

const EPOCH_MS = Date.UTC(2024, 4, 1);

/**
 * Each of `pods` equal parts of an hour, the longest distance of a grid, has one start, so that even few
 * pods include the rare case: a pod of 30s that contains a point of an hourly grid.
 */
export function knownPods(lifeMs: number, { pods, seed }: PhaseOptions): KnownPods {
  const random = randomFrom(seed);
  const startMs = EPOCH_MS + 1000 * Math.floor(random() * 60);
  const endMs = startMs + lifeMs + 3 * HOUR_MS;
  const pod = (name: string, fromMs: number, toMs: number): KnownPod => ({
    name,
    startMs: fromMs,
    endMs: toMs,
    cpuCores: 0.5,
    cpuUsageCores: 0.125,
    ramBytes: 2 ** 30,
  });
  return {
    pods: Array.from({ length: pods }, (_, i) => {
      const bornMs = startMs + HOUR_MS + Math.floor(((i + random()) / pods) * HOUR_MS);
      return pod(`pod-${i}`, bornMs, bornMs + lifeMs);
    }),
    neighbour: pod('neighbour', startMs - 30 * MINUTE_MS, endMs + 30 * MINUTE_MS),
    startMs,
    endMs,
  };
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
