/**
 * Joins what one read gets slice by slice. Each series' last sample is kept and put before its next
 * piece, so that no interval between two samples is torn; a piece of a single sample waits for the
 * next, since it tells no interval at all. Memory grows with series, not with samples.
 */
import { SampleColumns, type SeriesBatches } from './series-batches.ts';

/** Two of Prometheus' lookbacks: what lies farther apart is a gap, and nothing to be joined. */
const JOIN_MS = 600_000;

interface Tail {
  readonly labels: Uint8Array;
  /** Samples up to it were handed out. */
  untilMs: number;
  /** The last finite one, NaN when there was none. */
  lastMs: number;
  lastValue: number;
  /** It is still to be handed out, with the next one. */
  waits: boolean;
}

export class SeriesTails {
  readonly #tails: Map<string, Tail> = new Map();
  readonly #batches: SeriesBatches;
  readonly #piece: SampleColumns = new SampleColumns();
  readonly #odd: SampleColumns = new SampleColumns();

  constructor(batches: SeriesBatches) {
    this.#batches = batches;
  }

  /** Writes what is new in a piece: not what was there already, when slices touch or come again. */
  add(labels: Uint8Array, samples: SampleColumns): void {
    const tail = this.#tailOf(labels);
    const from = firstAfter(samples, tail.untilMs);
    if (from === samples.timeCount) return;
    const piece = this.#begin(tail, samples.timesMs[from] ?? 0);
    this.#split(samples, from);
    tail.untilMs = samples.timesMs[samples.timeCount - 1] ?? tail.untilMs;
    const last = piece.timeCount - 1;
    if (last >= 0) {
      tail.lastMs = piece.timesMs[last] ?? Number.NaN;
      tail.lastValue = piece.values[last] ?? Number.NaN;
    }
    tail.waits = piece.timeCount === 1;
    if (piece.timeCount > 1) this.#batches.write(tail.labels, piece);
    this.#batches.write(tail.labels, this.#odd);
  }

  /** A slice is complete: forgets the series that nothing can be joined to any more. */
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
      labels,
      untilMs: -Infinity,
      lastMs: Number.NaN,
      lastValue: Number.NaN,
      waits: false,
    };
    this.#tails.set(key, tail);
    return tail;
  }

  /** The piece, begun with the tail if that joins a sample at `nextMs`. */
  #begin(tail: Tail, nextMs: number): SampleColumns {
    const joins = nextMs - tail.lastMs <= JOIN_MS;
    if (!joins) this.#writeWaiting(tail);
    const piece = this.#piece;
    piece.clear();
    if (joins) {
      piece.pushTime(tail.lastMs);
      piece.pushValue(tail.lastValue);
    }
    return piece;
  }

  /** NaN and infinities go into blocks of their own: they are dropped by who reads, and counted. */
  #split({ timesMs, values, timeCount }: SampleColumns, from: number): void {
    this.#odd.clear();
    for (let i = from; i < timeCount; i++) {
      const value = values[i] ?? Number.NaN;
      const to = Number.isFinite(value) ? this.#piece : this.#odd;
      to.pushTime(timesMs[i] ?? Number.NaN);
      to.pushValue(value);
    }
  }

  #writeWaiting(tail: Tail): void {
    if (!tail.waits) return;
    const piece = this.#piece;
    piece.clear();
    piece.pushTime(tail.lastMs);
    piece.pushValue(tail.lastValue);
    this.#batches.write(tail.labels, piece);
    tail.waits = false;
  }
}

/** The place of the first sample after `ms`. */
function firstAfter({ timesMs, timeCount }: SampleColumns, ms: number): number {
  let i = 0;
  while (i < timeCount && !((timesMs[i] ?? 0) > ms)) i++;
  return i;
}
