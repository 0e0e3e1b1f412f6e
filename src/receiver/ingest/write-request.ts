/**
 * Reads requests of remote write 1.0, prometheus.WriteRequest
 * (https://github.com/prometheus/prometheus/blob/main/prompb/types.proto):
 *
 *   request   1: TimeSeries …   3: MetricMetadata …
 *   series    1: Label …   2: Sample { 1: double, 2: int64 } …   3: Exemplar …   4: Histogram …
 */
import { BYTES, eachField, FIXED64, Malformed, VARINT, Wire } from './wire.ts';

/** What a request is read into. */
export interface RequestSink {
  /** The samples that follow are of this series: repeated prompb.Label as field 1, as they came. */
  series(bytes: Buffer, from: number, to: number): void;
  sample(timeMs: number, low: number, high: number): void;
  histogram(): void;
  exemplar(): void;
}

const field = (number: number, type: number): number => (number << 3) | type;

const TIME_SERIES = field(1, BYTES);
const LABEL = field(1, BYTES);
export const SAMPLE: number = field(2, BYTES);
const EXEMPLAR = field(3, BYTES);
const HISTOGRAM = field(4, BYTES);
const SAMPLE_VALUE = field(1, FIXED64);
const SAMPLE_TIME = field(2, VARINT);

/** A sample with its tag and length: a double, and a time of six bytes, as all have from 1971 to 2109. */
const USUAL_BYTES = 2 + 9 + 1 + 6;

/** @throws {Malformed} perhaps after a part of it was read */
export function readWriteRequest(body: Buffer, sink: RequestSink): void {
  const series = new Wire(body);
  const samples = new SampleReader(body);
  eachField(body, TIME_SERIES, (from, end) => {
    series.at = from;
    series.end = end;
    readSeries(series, samples, sink);
  });
}

function readSeries(series: Wire, samples: SampleReader, sink: RequestSink): void {
  const from = series.at;
  const bytes = series.bytes as Buffer;
  while (series.at < series.end && bytes[series.at] === LABEL) {
    series.at++;
    series.at = series.bytesEnd();
  }
  const labelsEnd = series.at;
  if (series.at < series.end && samples.readUsual(series, sink, from)) return;
  if (hasFurtherLabels(series)) {
    const labels = gathered(series, from);
    sink.series(labels, 0, labels.length);
    series.at = from;
  } else {
    sink.series(bytes, from, labelsEnd);
    series.at = labelsEnd;
  }
  while (series.at < series.end) {
    const tag = series.tag();
    if (tag === SAMPLE) samples.read(series, sink);
    else if (tag === EXEMPLAR) pass(series, tag, () => sink.exemplar());
    else if (tag === HISTOGRAM) pass(series, tag, () => sink.histogram());
    else series.skip(tag);
  }
}

function pass(series: Wire, tag: number, then: () => void): void {
  series.skip(tag);
  then();
}

/** The order of fields is the sender's: labels may come behind samples. */
function hasFurtherLabels(series: Wire): boolean {
  while (series.at < series.end) {
    const tag = series.tag();
    if (tag === LABEL) return true;
    series.skip(tag);
  }
  return false;
}

function gathered(series: Wire, from: number): Buffer {
  const labels: Uint8Array[] = [];
  series.at = from;
  while (series.at < series.end) {
    const start = series.at;
    const tag = series.tag();
    series.skip(tag);
    if (tag === LABEL) labels.push(series.bytes.subarray(start, series.at));
  }
  return Buffer.concat(labels);
}

/** Samples of both versions: 2.0 adds a third field, which is passed over. */
export class SampleReader {
  readonly #view: DataView;
  readonly #wire: Wire;

  constructor(body: Buffer) {
    this.#view = new DataView(body.buffer, body.byteOffset, body.length);
    this.#wire = new Wire(body);
  }

  /**
   * One sample and nothing else after the labels from `from` on, as senders write it: value, time of today.
   * @returns whether it was that
   */
  readUsual(series: Wire, sink: RequestSink, from: number): boolean {
    const { at, end } = series;
    const bytes = series.bytes as Buffer;
    const isUsual =
      end - at === USUAL_BYTES &&
      bytes[at] === SAMPLE &&
      bytes[at + 1] === USUAL_BYTES - 2 &&
      bytes[at + 2] === SAMPLE_VALUE &&
      bytes[at + 11] === SAMPLE_TIME;
    if (!isUsual) return false;
    let low = 0;
    for (let i = 0; i < 4; i++) low |= ((bytes[at + 12 + i] ?? 0) & 127) << (7 * i);
    const [fifth, sixth] = [bytes[at + 16] ?? 0, bytes[at + 17] ?? 0];
    const areLong =
      ((bytes[at + 12] ?? 0) &
        (bytes[at + 13] ?? 0) &
        (bytes[at + 14] ?? 0) &
        (bytes[at + 15] ?? 0) &
        fifth) >
      127;
    if (!areLong || sixth > 127) return false;
    const timeMs = ((fifth & 127) | (sixth << 7)) * 2 ** 28 + low;
    sink.series(bytes, from, at);
    sink.sample(timeMs, this.#view.getInt32(at + 3, true), this.#view.getInt32(at + 7, true));
    series.at = end;
    return true;
  }

  /** Reads the message that begins with its length at the place of `series`, which moves behind it. */
  read(series: Wire, sink: RequestSink): void {
    const end = series.bytesEnd();
    const wire = this.#wire;
    wire.at = series.at;
    wire.end = end;
    let [timeMs, low, high] = [0, 0, 0];
    while (wire.at < end) {
      const tag = wire.tag();
      if (tag === SAMPLE_VALUE) {
        if (wire.at + 8 > end) throw new Malformed('a sample is cut off');
        low = this.#view.getInt32(wire.at, true);
        high = this.#view.getInt32(wire.at + 4, true);
        wire.at += 8;
      } else if (tag === SAMPLE_TIME) timeMs = wire.int64();
      else wire.skip(tag);
    }
    series.at = end;
    sink.sample(timeMs, low, high);
  }
}
