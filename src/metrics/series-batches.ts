/** Collects series that come sample by sample, and hands them out as batches of `samples`. */
import { encodeLabels, markStale, SamplesWriter } from './samples.ts';

const BATCH_BYTES = 1024 * 1024;
/** Half a batch: a longer series goes on in further blocks. */
const BLOCK_SAMPLES = 32_768;

/** Times and values of one series, in order of time. */
export class SampleColumns {
  timesMs: Float64Array = new Float64Array(1024);
  values: Float64Array = new Float64Array(1024);
  /** Places in `values` of end markers. */
  staleAt: number[] = [];
  timeCount = 0;
  valueCount = 0;

  clear(): void {
    this.timeCount = 0;
    this.valueCount = 0;
    this.staleAt = [];
  }

  pushTime(ms: number): void {
    if (this.timeCount === this.timesMs.length) this.timesMs = doubled(this.timesMs);
    this.timesMs[this.timeCount++] = ms;
  }

  pushValue(value: number): void {
    if (this.valueCount === this.values.length) this.values = doubled(this.values);
    this.values[this.valueCount++] = value;
  }

  pushStale(): void {
    this.staleAt.push(this.valueCount);
    this.pushValue(Number.NaN);
  }
}

function doubled(array: Float64Array): Float64Array {
  const grown = new Float64Array(2 * array.length);
  grown.set(array);
  return grown;
}

export class SeriesBatches {
  readonly #writer: SamplesWriter = new SamplesWriter(BATCH_BYTES);
  #ready: Uint8Array[] = [];

  /** @param labels encoded as `encodeLabels` does */
  write(labels: Uint8Array, { timesMs, values, timeCount, staleAt }: SampleColumns): void {
    let stale = 0;
    for (let from = 0; from < timeCount; from += BLOCK_SAMPLES) {
      const to = Math.min(timeCount, from + BLOCK_SAMPLES);
      const block = this.#block(labels, to - from);
      block.timesMs.set(timesMs.subarray(from, to));
      block.values.set(values.subarray(from, to));
      for (let at = staleAt[stale]; at !== undefined && at < to; at = staleAt[++stale])
        markStale(block.values, at - from);
    }
  }

  /** Batches that are full. */
  takeFull(): Uint8Array[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** All that is left. */
  takeAll(): Uint8Array[] {
    if (this.#writer.usedBytes > 0) this.#ready.push(this.#writer.take());
    return this.takeFull();
  }

  #block(labels: Uint8Array, samples: number): ReturnType<SamplesWriter['block']> & object {
    const block = this.#writer.block(labels, samples);
    if (block !== undefined) return block;
    this.#ready.push(this.#writer.take());
    const other = this.#writer.block(labels, samples);
    if (other === undefined) throw new Error('BUG: an empty batch has no room');
    return other;
  }
}

/** Labels as they come; any name is data, `__proto__` too. */
export class LabelCollector {
  #labels: Record<string, string> = Object.create(null) as Record<string, string>;

  add(name: string, value: string): void {
    this.#labels[name] = value;
  }

  /** The encoded labels; the next series begins. */
  take(): Uint8Array {
    const encoded = encodeLabels(this.#labels);
    this.#labels = Object.create(null) as Record<string, string>;
    return encoded;
  }
}
