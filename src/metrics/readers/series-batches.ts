/** Collects series sample by sample, and yields them as batches of `samples`. */
import { encodeLabels, markStale, SamplesWriter, type SamplesBlock } from '../samples.ts';
import type { Room } from '../source.ts';

const BATCH_BYTES = 1024 * 1024;
/** Half a batch: a longer series continues in further blocks. */
const BLOCK_SAMPLES = 32_768;

/** Times and values of one series that come one by one, each for itself. */
export class SampleColumns {
  #timesMs: Float64Array = new Float64Array(1024);
  #values: Float64Array = new Float64Array(1024);
  /** Indices of end markers in `values`. */
  #staleAt: number[] = [];
  timeCount = 0;
  valueCount = 0;

  clear(): void {
    this.timeCount = 0;
    this.valueCount = 0;
    this.#staleAt = [];
  }

  pushTime(ms: number): void {
    if (this.timeCount === this.#timesMs.length) this.#timesMs = doubled(this.#timesMs);
    this.#timesMs[this.timeCount++] = ms;
  }

  pushValue(value: number): void {
    if (this.valueCount === this.#values.length) this.#values = doubled(this.#values);
    this.#values[this.valueCount++] = value;
  }

  pushStale(): void {
    this.#staleAt.push(this.valueCount);
    this.pushValue(Number.NaN);
  }

  /** Views that hold until the next push: what came, as many values as times. */
  samples(): Samples {
    return {
      timesMs: this.#timesMs.subarray(0, this.timeCount),
      values: this.#values.subarray(0, this.timeCount),
      staleAt: this.#staleAt,
    };
  }
}

function doubled(array: Float64Array): Float64Array {
  const grown = new Float64Array(2 * array.length);
  grown.set(array);
  return grown;
}

/** Samples of one series in order of time, columns of equal length. */
export interface Samples {
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
  /** Places of end markers. */
  readonly staleAt?: readonly number[];
}

/** A sample that comes before others. */
export interface Before {
  readonly lastMs: number;
  readonly lastValue: number;
}

const ownMemory: Room = (bytes) => new Uint8Array(bytes);

export class SeriesBatches {
  readonly #writer: SamplesWriter = new SamplesWriter(BATCH_BYTES);
  readonly #room: Room;
  #ready: Uint8Array[] = [];

  /** @param room where batches go */
  constructor(room: Room = ownMemory) {
    this.#room = room;
  }

  /** @param labels as `encodeLabels` encodes them */
  write(labels: Uint8Array, { timesMs, values, staleAt = [] }: Samples, before?: Before): void {
    const ahead = before === undefined ? 0 : 1;
    const count = ahead + timesMs.length;
    let stale = 0;
    for (let from = 0; from < count; from += BLOCK_SAMPLES) {
      const to = Math.min(count, from + BLOCK_SAMPLES);
      const block = this.#block(labels, to - from);
      const first = from === 0 ? ahead : 0;
      block.timesMs.set(timesMs.subarray(from + first - ahead, to - ahead), first);
      block.values.set(values.subarray(from + first - ahead, to - ahead), first);
      if (from === 0 && before !== undefined) {
        block.timesMs[0] = before.lastMs;
        block.values[0] = before.lastValue;
      }
      for (let at = staleAt[stale]; at !== undefined && at + ahead < to; at = staleAt[++stale])
        markStale(block.values, at + ahead - from);
    }
  }

  /** The full batches. */
  takeFull(): Uint8Array[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** All remaining batches. */
  takeAll(): Uint8Array[] {
    if (this.#writer.usedBytes > 0) this.#ready.push(this.#writer.takeTo(this.#room));
    return this.takeFull();
  }

  #block(labels: Uint8Array, samples: number): SamplesBlock {
    const block = this.#writer.block(labels, samples);
    if (block !== undefined) return block;
    this.#ready.push(this.#writer.takeTo(this.#room));
    const other = this.#writer.block(labels, samples);
    if (other === undefined) throw new Error('BUG: an empty batch has no room');
    return other;
  }
}

/** Collects labels; any name is allowed, also `__proto__`. */
export class LabelCollector {
  #labels: Record<string, string> = Object.create(null) as Record<string, string>;

  add(name: string, value: string): void {
    this.#labels[name] = value;
  }

  /** Returns the encoded labels and begins the next series. */
  take(): Uint8Array {
    const encoded = encodeLabels(this.#labels);
    this.#labels = Object.create(null) as Record<string, string>;
    return encoded;
  }
}
