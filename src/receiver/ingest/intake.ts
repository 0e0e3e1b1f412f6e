/**
 * Reads requests into samples that wait for their commit, and decides on each sample: accepted, there
 * already, refused for good, or without room.
 *
 *   older than the bounds         refused            newer than its series' newest    pending
 *   newer than the bounds         refused            at a time that is there: the same value is accepted, and
 *                                                    stored once; another one is refused
 */
import { snappyBytes, unsnappy } from '../../metrics/readers/snappy.ts';
import { HOUR_MS, MINUTE_MS } from '../../query/index.ts';
import type { WriteVersion } from '../receiver.ts';
import { canonicalLabels } from './label-bytes.ts';
import { resolveLate } from './late-samples.ts';
import { Pending } from './pending.ts';
import { hashOf, type Series, type SeriesTable } from './series-table.ts';
import { exampleOf, Tally, type Refusal } from './tally.ts';
import { Malformed } from './wire.ts';
import { readWriteRequest, type RequestSink } from './write-request.ts';
import { readWriteRequestV2 } from './write-request-v2.ts';

/** Samples of a series in order are accepted for so long, however short the time for those out of order is. */
const IN_ORDER_MS = HOUR_MS;
/** As Prometheus has it: clocks differ. */
const AHEAD_MS = 10 * MINUTE_MS;
/** A request, uncompressed: a sender's usual 2,000 samples take 1 MB. */
const BODY_BYTES_MAX = 32 << 20;
const SAMPLES_MAX = 500_000;
/** Labels of a series on average, of the memory that each has; exporters send 300 to 600 bytes. */
const LABEL_BYTES = 1024;
/** The densest that snappy has is 64 bytes in three: who claims more would have memory taken for nothing. */
const RATIO_MAX = 32;

export interface IntakeOptions {
  readonly outOfOrderMs: number;
  readonly maxSeries: number;
}

/** Where the samples of windows that are still open begin. */
export function oldestAcceptedMs(nowMs: number, outOfOrderMs: number): number {
  return nowMs - Math.max(outOfOrderMs, IN_ORDER_MS);
}

export class Intake implements RequestSink {
  readonly pending: Pending = new Pending();
  readonly #table: SeriesTable;
  readonly #options: IntakeOptions;
  #tally = new Tally();
  #series: Series | undefined;
  /** What is wrong with its labels. */
  #refused: string | undefined;
  /** The series before. */
  #last: Series | undefined;
  /** Those of a series that is not there yet. */
  #labels: Uint8Array = new Uint8Array(0);
  #hash = 0;
  #oldestMs = 0;
  #oldestLateMs = 0;
  #newestMs = 0;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #viewed: Buffer | undefined;
  #read = 0;

  constructor(table: SeriesTable, options: IntakeOptions) {
    this.#table = table;
    this.#options = options;
  }

  /**
   * Adds the accepted samples of a request to those pending.
   * @throws {Malformed} when it is none; nothing of it is pending then
   */
  add(compressed: Uint8Array, version: WriteVersion, nowMs: number): Tally {
    const body = uncompressed(compressed);
    const before = this.pending.count;
    const lateBefore = this.pending.late.length;
    const seriesBefore = this.#table.size;
    const tally = new Tally();
    this.#tally = tally;
    this.#read = 0;
    this.#viewed = undefined;
    this.#oldestMs = oldestAcceptedMs(nowMs, this.#options.outOfOrderMs);
    this.#oldestLateMs = nowMs - this.#options.outOfOrderMs;
    this.#newestMs = nowMs + AHEAD_MS;
    try {
      if (version === '1.0') readWriteRequest(body, this);
      else readWriteRequestV2(body, this);
      if (this.pending.late.length > lateBefore)
        resolveLate(this.pending, { from: before, oldestMs: this.#oldestLateMs, tally });
    } catch (error) {
      this.#dropFrom(before);
      this.#table.truncate(seriesBefore);
      throw error;
    }
    return tally;
  }

  series(bytes: Buffer, from: number, to: number): void {
    this.#refused = undefined;
    const expected = this.#last?.next;
    if (expected?.isGone === false && expected.hasLabels(bytes, from, to)) this.#series = expected;
    else this.#find(bytes, from, to);
    if (this.#series !== undefined) this.#last = this.#series;
  }

  sample(timeMs: number, low: number, high: number): void {
    if (++this.#read > SAMPLES_MAX)
      throw new Malformed(`more than ${SAMPLES_MAX} samples in one request`);
    if (this.#refused !== undefined) return this.#refuse('labels');
    if (timeMs > this.#newestMs) return this.#refuse('tooNew');
    if (!(timeMs >= this.#oldestMs)) return this.#refuse('tooOld');
    const series = this.#series ?? this.#begin();
    if (series === undefined) {
      this.#tally.withoutRoom++;
      return;
    }
    if (timeMs > series.newestMs) {
      series.see(timeMs, low, high);
      this.pending.push(series, timeMs, low, high);
      this.#tally.samples++;
    } else if (timeMs === series.newestMs) {
      if (low === series.newestLow && high === series.newestHigh) this.#tally.samples++;
      else this.#refuse('otherValue');
    } else this.pending.pushLate(series, timeMs, low, high);
  }

  histogram(): void {
    this.#tally.histograms++;
  }

  exemplar(): void {
    this.#tally.exemplars++;
  }

  /** Forgets the pending samples from the place on, which are not stored. */
  #dropFrom(place: number): void {
    const { pending } = this;
    const dropped = new Set(pending.series.slice(place));
    pending.truncate(place);
    for (const series of dropped) series.seeParts();
    for (let i = 0; i < place; i++) {
      const series = pending.series[i];
      if (series === undefined || !dropped.has(series)) continue;
      const { times, lows, highs } = pending.samples;
      if ((times[i] ?? 0) > series.newestMs) series.see(times[i] ?? 0, lows[i] ?? 0, highs[i] ?? 0);
    }
  }

  #find(bytes: Buffer, from: number, to: number): void {
    if (bytes !== this.#viewed) {
      this.#viewed = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    const hash = hashOf(this.#view, from, to);
    this.#series = this.#table.find(bytes, from, to, hash);
    if (this.#series === undefined) this.#findOrdered(bytes.subarray(from, to));
    if (this.#last !== undefined && this.#series !== undefined) this.#last.next = this.#series;
  }

  /** Labels in another order than the store's are put into it. */
  #findOrdered(raw: Uint8Array): void {
    const labels = canonicalLabels(raw);
    if (!(labels instanceof Uint8Array)) {
      this.#refused = labels.reason;
      return;
    }
    const bytes = Buffer.from(labels.buffer, labels.byteOffset, labels.length);
    const hash = hashOf(
      new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
      0,
      bytes.length,
    );
    this.#series = this.#table.find(bytes, 0, bytes.length, hash);
    this.#labels = labels;
    this.#hash = hash;
  }

  /** A series begins with its first accepted sample. @returns undefined where there is no room */
  #begin(): Series | undefined {
    const { maxSeries } = this.#options;
    const labelBytes = this.#table.labelBytes + this.#labels.length;
    if (this.#table.size >= maxSeries || labelBytes > LABEL_BYTES * maxSeries) return undefined;
    const series = this.#table.add(this.#labels, this.#hash);
    this.#series = series;
    if (this.#last !== undefined) this.#last.next = series;
    this.#last = series;
    return series;
  }

  #refuse(refusal: Refusal): void {
    const series = this.#series;
    const example = (): string => this.#refused ?? exampleOf(series?.labels ?? this.#labels);
    this.#tally.refuse(refusal, example);
  }
}

function uncompressed(compressed: Uint8Array): Buffer {
  const bytes = snappyBytes(compressed);
  if (bytes === undefined) throw new Malformed('the body is not compressed with snappy');
  if (bytes > BODY_BYTES_MAX)
    throw new Malformed(`the body claims ${bytes} bytes, at most ${BODY_BYTES_MAX} are read`);
  if (bytes > RATIO_MAX * compressed.length)
    throw new Malformed(`the body claims ${bytes} bytes, more than it can have`);
  try {
    const body = unsnappy(compressed, bytes);
    return Buffer.from(body.buffer, body.byteOffset, body.length);
  } catch {
    throw new Malformed('the body is not compressed with snappy');
  }
}
