/**
 * How many samples a question will read, known before its first read: what questions before it read in as much time, of
 * the same store. It decides the lane. It need not be right, as each lane is bounded; where nothing is known, it is much.
 */
import type { MetricsSource } from '../../metrics/index.ts';
import { MARGIN_MS, type SumsPlan } from '../params/plan.ts';
import type { Metrics } from './priced-store.ts';

/** A worker takes less than a tenth of a second for them: an hour of 2,000 containers has as many. */
export const FEW_SAMPLES = 2_000_000;
/** A window of a night must not make all that follow look small. */
const REMEMBERED = 16;
/** Samples of the exact resolution are seldom nearer to each other. */
const EXACT_MS = 5000;

type Asked = Pick<SumsPlan, 'window' | 'resolutionMs'>;

interface Density {
  readonly perMs: number;
  /** The distance of the samples that were asked for. */
  readonly distanceMs: number;
}

export class SampleEstimates {
  readonly #densities: Density[] = [];

  /** A question has read that many; one that read none, as of the future, tells nothing. */
  note(asked: Asked, samples: number): void {
    if (samples === 0) return;
    const density = { perMs: samples / rangeMs(asked), distanceMs: distanceOf(asked) };
    this.#densities.unshift(density);
    this.#densities.length = Math.min(this.#densities.length, REMEMBERED);
  }

  /** @returns the most that one of the latest questions would have read in this window; Infinity before the first */
  samplesOf(asked: Asked): number {
    if (this.#densities.length === 0) return Infinity;
    const distanceMs = distanceOf(asked);
    // Stores that are read as they keep their samples give as many at any resolution: never fewer are expected.
    const perMs = this.#densities.map(
      (density) => density.perMs * Math.max(1, density.distanceMs / distanceMs),
    );
    return Math.max(...perMs) * rangeMs(asked);
  }
}

function rangeMs({ window }: Asked): number {
  return window.endMs - window.startMs + 2 * MARGIN_MS;
}

function distanceOf({ resolutionMs }: Asked): number {
  return resolutionMs === 0 ? EXACT_MS : resolutionMs;
}

/** The same store, with a count of the samples that are read through it. */
export function countingSamples(metrics: Metrics): {
  readonly metrics: Metrics;
  readonly read: () => number;
} {
  const { source } = metrics;
  let read = 0;
  const countSamples = (samples: number): void => {
    read += samples;
    source.countSamples?.(samples);
  };
  const own = Object.assign(Object.create(source) as MetricsSource, { countSamples });
  return { metrics: { ...metrics, source: own }, read: () => read };
}
