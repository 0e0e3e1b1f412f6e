/** What a receiver must hold, the slow, obvious way: all samples of a series in one array. */
import type { WrittenSeries } from '../stores/write-bodies.ts';
import { seriesKey, type ReadSeries } from './read-batches.ts';

const HOUR_MS = 3_600_000;
const AHEAD_MS = 600_000;

export interface Reckoned {
  readonly accepted: number;
  readonly refused: number;
}

export class ReceivedSamples {
  readonly #series = new Map<string, ReadSeries>();
  readonly #outOfOrderMs: number;

  constructor(outOfOrderMs: number) {
    this.#outOfOrderMs = outOfOrderMs;
  }

  write(series: readonly WrittenSeries[], nowMs: number): Reckoned {
    let [accepted, refused] = [0, 0];
    for (const { labels, samples } of series) {
      const present = Object.fromEntries(labels.filter(([, value]) => value !== ''));
      const names = labels.filter(([, value]) => value !== '').map(([name]) => name);
      const isValid = new Set(names).size === names.length && names.includes('__name__');
      const isKnown = (sample: (typeof samples)[number]): boolean =>
        isValid && this.#accepts(present, sample.timeMs, sample.valueBits, nowMs);
      for (const sample of samples) {
        if (isKnown(sample)) accepted++;
        else refused++;
      }
    }
    return { accepted, refused };
  }

  /** Those within, in order of time; series without are left out. */
  all(startMs: number = -Infinity, endMs: number = Infinity): Map<string, ReadSeries> {
    const found = new Map<string, ReadSeries>();
    for (const [key, { labels, timestampsMs, valueBits }] of this.#series) {
      const places = timestampsMs
        .map((timeMs, place) => ({ timeMs, place }))
        .filter(({ timeMs }) => timeMs >= startMs && timeMs <= endMs)
        .toSorted((a, b) => a.timeMs - b.timeMs);
      if (places.length === 0) continue;
      const times = places.map(({ timeMs }) => timeMs);
      found.set(key, {
        labels,
        timestampsMs: times,
        valueBits: places.map(({ place }) => valueBits[place] ?? 0n),
      });
    }
    return found;
  }

  #accepts(labels: Record<string, string>, timeMs: number, bits: bigint, nowMs: number): boolean {
    if (timeMs > nowMs + AHEAD_MS || timeMs < nowMs - Math.max(HOUR_MS, this.#outOfOrderMs))
      return false;
    const key = seriesKey(labels);
    const series = this.#series.get(key) ?? { labels, timestampsMs: [], valueBits: [] };
    const place = series.timestampsMs.indexOf(timeMs);
    if (place >= 0) return series.valueBits[place] === bits;
    const isLate = series.timestampsMs.some((other) => other > timeMs);
    if (isLate && timeMs < nowMs - this.#outOfOrderMs) return false;
    series.timestampsMs.push(timeMs);
    series.valueBits.push(bits);
    this.#series.set(key, series);
    return true;
  }
}
