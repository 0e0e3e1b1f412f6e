/**
 * The samples of one series in one window: chunks that follow each other in time, the last of which grows.
 *
 *   finished   ┌ 120 samples ┐ ┌ 120 samples ┐
 *   open                                      ┌ 1 to 119 ┐
 *
 * A sample that is older than the last is put into the chunk of its time, which is written anew.
 */
import { XorAppender, XorSamples, type XorChunk } from '../../tsdb/index.ts';
import { Samples } from './samples.ts';
import type { HeadWindow } from './head-window.ts';

/** What Prometheus aims at. */
const CHUNK_SAMPLES = 120;
/** A chunk with more samples than this, as others were put into it, is cut. */
const CHUNK_SAMPLES_MAX = 2 * CHUNK_SAMPLES;

const decoder = new XorSamples();
const decoded = new Samples();
const merged = new Samples();

export class Part {
  readonly window: HeadWindow;
  /** Its place in the window's log. */
  readonly ref: number;
  readonly labels: Uint8Array;
  /** Its last sample; the time is -Infinity before the first. */
  lastMs: number = -Infinity;
  lastLow: number = 0;
  lastHigh: number = 0;
  #finished: XorChunk[] = [];
  #open: XorAppender | undefined;

  constructor(window: HeadWindow, ref: number, labels: Uint8Array) {
    this.window = window;
    this.ref = ref;
    this.labels = labels;
  }

  /** @param timeMs after all others of the part */
  append(timeMs: number, low: number, high: number): void {
    this.#open ??= new XorAppender();
    this.#open.appendBits(timeMs, low, high);
    this.lastMs = timeMs;
    this.lastLow = low;
    this.lastHigh = high;
    if (this.#open.count < CHUNK_SAMPLES) return;
    this.#finished.push(this.#open.finish());
    this.#open = undefined;
  }

  /** A copy of all chunks as they are. */
  chunks(): XorChunk[] {
    return this.#open === undefined
      ? [...this.#finished]
      : [...this.#finished, this.#open.finish()];
  }

  /** Adds the samples of the chunks that have some of these times to `to`. */
  around(firstMs: number, lastMs: number, to: Samples): void {
    for (const chunk of this.chunks())
      if (chunk.maxTimeMs >= firstMs && chunk.minTimeMs <= lastMs) decode(chunk, to);
  }

  /** @param samples in order of time; those at times that are there are passed over */
  insert(samples: Samples): void {
    const chunks = this.chunks();
    this.#finished = [];
    this.#open = undefined;
    let next = 0;
    for (const [index, chunk] of chunks.entries()) {
      const isLast = index === chunks.length - 1;
      const untilMs = isLast ? Infinity : chunk.maxTimeMs;
      const from = next;
      while (next < samples.count && (samples.times[next] ?? 0) <= untilMs) next++;
      if (next === from && !isLast) this.#finished.push(chunk);
      else this.#rewrite(chunk, samples, from, next, isLast);
    }
    for (; next < samples.count; next++)
      this.append(samples.times[next] ?? 0, samples.lows[next] ?? 0, samples.highs[next] ?? 0);
  }

  #rewrite(chunk: XorChunk, others: Samples, from: number, to: number, isLast: boolean): void {
    decoded.clear();
    decode(chunk, decoded);
    merge(decoded, others, from, to);
    if (isLast) {
      for (let i = 0; i < merged.count; i++)
        this.append(merged.times[i] ?? 0, merged.lows[i] ?? 0, merged.highs[i] ?? 0);
      return;
    }
    const size = merged.count <= CHUNK_SAMPLES_MAX ? merged.count : CHUNK_SAMPLES;
    for (let at = 0; at < merged.count; at += size) {
      const appender = new XorAppender();
      for (let i = at; i < Math.min(merged.count, at + size); i++)
        appender.appendBits(merged.times[i] ?? 0, merged.lows[i] ?? 0, merged.highs[i] ?? 0);
      this.#finished.push(appender.finish());
    }
  }
}

function decode({ bytes }: XorChunk, to: Samples): void {
  decoder.decode(bytes);
  const { count, timesMs, lows, highs } = decoder;
  for (let i = 0; i < count; i++) to.push(timesMs[i] ?? 0, lows[i] ?? 0, highs[i] ?? 0);
}

/** Into `merged`, in order of time; of two at one time the one of `a`. */
function merge(a: Samples, b: Samples, from: number, to: number): void {
  merged.clear();
  let [i, j] = [0, from];
  while (i < a.count || j < to) {
    const ours = i < a.count ? (a.times[i] ?? 0) : Infinity;
    const other = j < to ? (b.times[j] ?? 0) : Infinity;
    if (ours <= other) {
      merged.push(ours, a.lows[i] ?? 0, a.highs[i] ?? 0);
      i++;
      if (ours === other) j++;
    } else {
      merged.push(other, b.lows[j] ?? 0, b.highs[j] ?? 0);
      j++;
    }
  }
}
