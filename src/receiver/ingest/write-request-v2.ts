/**
 * Reads requests of remote write 2.0, io.prometheus.write.v2.Request
 * (https://github.com/prometheus/prometheus/blob/main/prompb/io/prometheus/write/v2/types.proto):
 *
 *   request   4: symbol, a text …   5: TimeSeries …
 *   series    1: symbols of names and values in turn …   2: Sample …   3: Histogram …   4: Exemplar …
 */
import { fieldBytes, writeHead } from '../../metrics/field-heads.ts';
import { BYTES, eachField, Malformed, VARINT, Wire } from './wire.ts';
import { SAMPLE, SampleReader, type RequestSink } from './write-request.ts';

const SYMBOL = (4 << 3) | BYTES;
const TIME_SERIES = (5 << 3) | BYTES;
const REFS = (1 << 3) | BYTES;
const REF = (1 << 3) | VARINT;
const HISTOGRAM = (3 << 3) | BYTES;
const EXEMPLAR = (4 << 3) | BYTES;
const LABEL = 0x0a;
const LABEL_NAME = 0x0a;
const LABEL_VALUE = 0x12;
/** Symbols of the labels of one series: more is none's, and each is copied. */
const REFS_MAX = 2048;
const LABELS_BYTES_MAX = 1 << 17;
/** Labels of all series of a request: a few bytes can refer to as many as a symbol has. */
const ALL_LABELS_BYTES_MAX = 64 << 20;
const SYMBOLS_MAX = 1_000_000;

/** @throws {Malformed} perhaps after a part of it was read */
export function readWriteRequestV2(body: Buffer, sink: RequestSink): void {
  const labels = new LabelsOfSymbols(body);
  eachField(body, SYMBOL, (from, end) => labels.addSymbol(from, end));
  const series = new Wire(body);
  const samples = new SampleReader(body);
  eachField(body, TIME_SERIES, (from, end) => {
    series.at = from;
    series.end = end;
    readSeries({ series, samples, labels, sink });
  });
}

interface Reading {
  readonly series: Wire;
  readonly samples: SampleReader;
  readonly labels: LabelsOfSymbols;
  readonly sink: RequestSink;
}

function readSeries({ series, samples, labels, sink }: Reading): void {
  const from = series.at;
  labels.begin();
  while (series.at < series.end) {
    const tag = series.tag();
    if (tag === REFS) labels.addRefs(series);
    else if (tag === REF) labels.addRef(series.length());
    else series.skip(tag);
  }
  labels.hand(sink);
  series.at = from;
  while (series.at < series.end) {
    const tag = series.tag();
    if (tag === SAMPLE) {
      samples.read(series, sink);
      continue;
    }
    series.skip(tag);
    if (tag === HISTOGRAM) sink.histogram();
    else if (tag === EXEMPLAR) sink.exemplar();
  }
}

/** Labels of 1.0, of symbols. */
class LabelsOfSymbols {
  readonly #body: Buffer;
  #symbols = 0;
  /** Where each symbol begins and ends. */
  #places: Int32Array = new Int32Array(1024);
  #refs: number[] = [];
  #labels: Buffer = Buffer.allocUnsafe(4096);
  #allBytes = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  addSymbol(from: number, end: number): void {
    if (this.#symbols === SYMBOLS_MAX) throw new Malformed(`more than ${SYMBOLS_MAX} symbols`);
    if (2 * this.#symbols === this.#places.length) {
      const larger = new Int32Array(2 * this.#places.length);
      larger.set(this.#places);
      this.#places = larger;
    }
    this.#places[2 * this.#symbols] = from;
    this.#places[2 * this.#symbols + 1] = end;
    this.#symbols++;
  }

  begin(): void {
    this.#refs.length = 0;
  }

  addRefs(series: Wire): void {
    const end = series.bytesEnd();
    while (series.at < end) this.addRef(series.length());
    if (series.at !== end) throw new Malformed('references of labels are cut off');
  }

  addRef(ref: number): void {
    if (ref >= this.#symbols) throw new Malformed(`there is no symbol ${ref}`);
    if (this.#refs.length === REFS_MAX)
      throw new Malformed(`a series has more than ${REFS_MAX / 2} labels`);
    this.#refs.push(ref);
  }

  hand(sink: RequestSink): void {
    const refs = this.#refs;
    if (refs.length % 2 !== 0) throw new Malformed('a label has no value');
    let at = 0;
    for (let i = 0; i < refs.length; i += 2) at = this.#write(at, refs[i] ?? 0, refs[i + 1] ?? 0);
    this.#allBytes += at;
    if (this.#allBytes > ALL_LABELS_BYTES_MAX)
      throw new Malformed(`labels of more than ${ALL_LABELS_BYTES_MAX} bytes`);
    sink.series(this.#labels, 0, at);
  }

  #write(start: number, nameRef: number, valueRef: number): number {
    const places = this.#places;
    const [nameFrom, nameEnd] = [places[2 * nameRef] ?? 0, places[2 * nameRef + 1] ?? 0];
    const [valueFrom, valueEnd] = [places[2 * valueRef] ?? 0, places[2 * valueRef + 1] ?? 0];
    const [name, value] = [nameEnd - nameFrom, valueEnd - valueFrom];
    const size = fieldBytes(name) + fieldBytes(value);
    this.#reserve(start + fieldBytes(size));
    const labels = this.#labels;
    let at = writeHead(labels, start, LABEL, size);
    at = writeHead(labels, at, LABEL_NAME, name);
    at = copy(this.#body, nameFrom, nameEnd, labels, at);
    at = writeHead(labels, at, LABEL_VALUE, value);
    return copy(this.#body, valueFrom, valueEnd, labels, at);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#labels.length) return;
    if (bytes > LABELS_BYTES_MAX)
      throw new Malformed(`labels of more than ${LABELS_BYTES_MAX} bytes`);
    const larger = Buffer.allocUnsafe(2 * bytes);
    this.#labels.copy(larger);
    this.#labels = larger;
  }
}

/** Most texts are so short that a call takes longer. */
const SHORT_BYTES = 48;

// oxlint-disable-next-line max-params
function copy(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  const length = end - start;
  if (length > SHORT_BYTES) return at + from.copy(to, at, start, end);
  for (let i = 0; i < length; i++) to[at + i] = from[start + i] ?? 0;
  return at + length;
}
