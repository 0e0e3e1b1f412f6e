/**
 * One series of several replicas as one: each time from one of them. Replicas scrape the same target at other times and
 * by other clocks, so that their samples side by side would let a counter fall, which looks as a restart.
 *
 * ```
 *   first    x   x   x   x                       x   x
 *   second     o   o   o   o   o   o   o   o   o   o   o
 *   result   x   x   x   x         o   o   o     x   x      ◄ the second where the first has a gap
 * ```
 *
 * The first is that of the lesser labels. It has a gap where at least two scrapes are missing; a scrape's time at both
 * ends of the gap is left out, so that the clocks need not agree to the second.
 */
import { samplesIn, timesIn, within, type XorChunk } from '../../tsdb/index.ts';

export interface ReplicaChunks {
  /** In order of time, not overlapping. */
  readonly chunks: readonly XorChunk[];
  /** The end of what is before them and the beginning of what is after them; infinite without. */
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Times between two samples, or before the first or after the last. */
interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Where no chunk has two samples. */
const USUAL_INTERVAL_MS = 60_000;
/** Intervals without a sample that are a gap. */
const GAP_INTERVALS = 3;

/** @param replicas in the order of their labels @throws {Unavailable} for a chunk that cannot be decoded */
export function oneOfReplicas(replicas: readonly ReplicaChunks[]): readonly XorChunk[] {
  const [first, ...others] = replicas;
  if (first === undefined) return [];
  return others.reduce(filled, first).chunks;
}

function filled(first: ReplicaChunks, other: ReplicaChunks): ReplicaChunks {
  const intervalMs = intervalOf(first.chunks) ?? intervalOf(other.chunks) ?? USUAL_INTERVAL_MS;
  const gaps = gapsOf(first, intervalMs);
  const chunks: XorChunk[] = [];
  const put = (list: readonly XorChunk[], span: { fromMs: number; toMs: number }): void => {
    for (const chunk of list) {
      const kept = span.fromMs > span.toMs ? undefined : within(chunk, span);
      if (kept !== undefined) chunks.push(kept);
    }
  };
  if (gaps.length === 0) return first;
  let fromMs = -Infinity;
  for (const gap of gaps) {
    put(first.chunks, { fromMs, toMs: gap.fromMs });
    put(other.chunks, { fromMs: gap.fromMs + intervalMs, toMs: gap.toMs - intervalMs });
    fromMs = gap.toMs;
  }
  put(first.chunks, { fromMs, toMs: Infinity });
  return {
    chunks,
    beforeMs: Math.max(first.beforeMs, other.beforeMs),
    afterMs: Math.min(first.afterMs, other.afterMs),
  };
}

/** The median of the densest chunk, so that a gap in it does not count. */
function intervalOf(chunks: readonly XorChunk[]): number | undefined {
  let densest: XorChunk | undefined;
  let leastMs = Infinity;
  for (const chunk of chunks) {
    const meanMs = (chunk.maxTimeMs - chunk.minTimeMs) / (samplesIn(chunk) - 1);
    if (meanMs < leastMs) [densest, leastMs] = [chunk, meanMs];
  }
  if (densest === undefined) return undefined;
  const times = timesIn(densest);
  const steps = times.subarray(1).map((timeMs, i) => timeMs - (times[i] ?? 0));
  return steps.sort()[steps.length >> 1];
}

function gapsOf({ chunks, beforeMs, afterMs }: ReplicaChunks, intervalMs: number): Gap[] {
  const gaps: Gap[] = [];
  const look = (fromMs: number, toMs: number): void => {
    if (toMs - fromMs > GAP_INTERVALS * intervalMs) gaps.push({ fromMs, toMs });
  };
  let lastMs = beforeMs;
  for (const chunk of chunks) {
    look(lastMs, chunk.minTimeMs);
    lastMs = chunk.maxTimeMs;
    const missing = chunk.maxTimeMs - chunk.minTimeMs - (samplesIn(chunk) - 1) * intervalMs;
    if (missing <= (GAP_INTERVALS - 1) * intervalMs) continue;
    let beforeSampleMs = chunk.minTimeMs;
    for (const timeMs of timesIn(chunk)) {
      look(beforeSampleMs, timeMs);
      beforeSampleMs = timeMs;
    }
  }
  look(lastMs, afterMs);
  return gaps;
}
