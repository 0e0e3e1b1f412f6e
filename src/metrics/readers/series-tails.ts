/**
 * Joins the slices of one read. Each series' last sample is stored and put before its next piece, so that
 * no interval between two samples is lost; a piece of a single sample waits for the next piece, since it
 * has no interval. Memory grows with series, not with samples.
 */
import type { MatrixSeries } from '../../columnar/index.ts';
import type { Samples, SeriesBatches } from './series-batches.ts';

/** Twice Prometheus' lookback: samples farther apart have a gap between them and are not joined. */
const JOIN_MS = 600_000;

interface Tail {
  readonly labels: Uint8Array;
  /** Samples up to this time were yielded. */
  untilMs: number;
  /** The last finite sample, NaN without one. */
  lastMs: number;
  lastValue: number;
  /** The sample has not been yielded yet, and comes with the next one. */
  waits: boolean;
}

export class SeriesTails {
  readonly #tails: Map<string, Tail> = new Map();
  readonly #batches: SeriesBatches;

  constructor(batches: SeriesBatches) {
    this.#batches = batches;
  }

  /** Writes the new samples of a piece, without those of overlapping or repeated slices. */
  add({ labels, timesMs, values, nonFinite }: MatrixSeries): void {
    const tail = this.#tailOf(labels);
    const from = firstAfter(timesMs, tail.untilMs);
    if (from === timesMs.length) return;
    tail.untilMs = timesMs.at(-1) ?? tail.untilMs;
    const fresh = { timesMs: timesMs.subarray(from), values: values.subarray(from) };
    if (nonFinite === 0) return this.#join(tail, fresh);
    // NaN and infinities go into blocks of their own: they are dropped by who reads, and counted.
    this.#join(tail, only(fresh, Number.isFinite));
    this.#batches.write(
      tail.labels,
      only(fresh, (value) => !Number.isFinite(value)),
    );
  }

  /** Ends a slice: forgets the series to which nothing can be joined any more. */
  endSlice(endMs: number): void {
    for (const [key, tail] of this.#tails) {
      if (tail.untilMs >= endMs - JOIN_MS) continue;
      this.#writeWaiting(tail);
      this.#tails.delete(key);
    }
  }

  endRead(): void {
    for (const tail of this.#tails.values()) this.#writeWaiting(tail);
    this.#tails.clear();
  }

  #tailOf(labels: Uint8Array): Tail {
    const key = Buffer.from(labels.buffer, labels.byteOffset, labels.length).toString('latin1');
    const known = this.#tails.get(key);
    if (known !== undefined) return known;
    const tail: Tail = {
      labels: Uint8Array.from(labels),
      untilMs: -Infinity,
      lastMs: Number.NaN,
      lastValue: Number.NaN,
      waits: false,
    };
    this.#tails.set(key, tail);
    return tail;
  }

  /** Writes finite samples behind the one that was last, unless a gap lies between. */
  #join(tail: Tail, samples: Samples): void {
    const { timesMs, values } = samples;
    const [firstMs] = timesMs;
    if (firstMs === undefined) return;
    const joins = firstMs - tail.lastMs <= JOIN_MS;
    if (!joins) this.#writeWaiting(tail);
    tail.waits = !joins && timesMs.length === 1;
    if (!tail.waits) this.#batches.write(tail.labels, samples, joins ? tail : undefined);
    tail.lastMs = timesMs.at(-1) ?? Number.NaN;
    tail.lastValue = values.at(-1) ?? Number.NaN;
  }

  #writeWaiting(tail: Tail): void {
    if (tail.waits) this.#batches.write(tail.labels, NONE, tail);
    tail.waits = false;
  }
}

const NONE: Samples = { timesMs: new Float64Array(0), values: new Float64Array(0) };

function only({ timesMs, values }: Samples, isWanted: (value: number) => boolean): Samples {
  return {
    timesMs: timesMs.filter((_, i) => isWanted(values[i] ?? Number.NaN)),
    values: values.filter((value) => isWanted(value)),
  };
}

/** The index of the first sample after `ms`. */
function firstAfter(timesMs: Float64Array, ms: number): number {
  let i = 0;
  while (i < timesMs.length && !((timesMs[i] ?? 0) > ms)) i++;
  return i;
}
