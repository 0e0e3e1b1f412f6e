/**
 * io.prometheus.write.v2.Request of remote write 2.0, written sample by sample. Texts are there once, and
 * series name them by number, so that it takes a tenth of the bytes of 1.0:
 *
 *   Request     4 symbols …             5 timeseries …
 *   TimeSeries  1 label refs (packed)   2 samples (one)   5 metadata
 *   Sample      1 value f64             2 timestamp ms
 *   Metadata    1 type
 */
import type { LabelBytes, Sample } from '../series.ts';
import { Bytes, lengthAt } from './bytes.ts';

/** A NaN that passes through a number may lose its payload, so stale markers are written as bits. */
const [STALE_LOW, STALE_HIGH] = [0x00000002, 0x7ff00000];
const [SYMBOL_TAG, SERIES_TAG] = [0x22, 0x2a];
/** Metadata of the types counter and gauge, with tag and length. */
const [COUNTER, GAUGE] = [Buffer.from([0x2a, 2, 0x08, 1]), Buffer.from([0x2a, 2, 0x08, 2])];
const NAME = Buffer.from('__name__');
const COUNTER_END = Buffer.from('_total');
/** Tag, length, tag, value, tag. */
const SAMPLE_HEAD_BYTES = 12;

/** A label that is put into each series that lacks it. */
export interface AddedLabel {
  readonly name: Buffer;
  readonly value: Buffer;
}

export class SymbolsRequest {
  readonly #added: readonly AddedLabel[];
  readonly #symbols = new Symbols();
  readonly #series = new Bytes();
  readonly #refs = new Bytes(1024);
  #samples = 0;

  /** @param added sorted by name */
  constructor(added: readonly AddedLabel[] = []) {
    this.#added = added;
  }

  get samples(): number {
    return this.#samples;
  }

  get bytes(): number {
    return this.#series.at + this.#symbols.texts.at;
  }

  add({ labels, timeMs, value }: Sample): void {
    const metadata = this.#readLabels(labels) ? COUNTER : GAUGE;
    const [refs, series] = [this.#refs, this.#series];
    const timeBytes = varintBytes(timeMs);
    const refsBytes = 1 + varintBytes(refs.at) + refs.at;
    series.byte(SERIES_TAG);
    series.varint(refsBytes + SAMPLE_HEAD_BYTES + timeBytes + metadata.length);
    series.byte(0x0a);
    series.varint(refs.at);
    series.copy(refs.bytes, 0, refs.at);
    series.byte(0x12);
    series.byte(SAMPLE_HEAD_BYTES - 2 + timeBytes);
    series.byte(0x09);
    if (value === undefined) series.words(STALE_LOW, STALE_HIGH);
    else series.double(value);
    series.byte(0x10);
    series.int64(timeMs);
    series.copy(metadata, 0, metadata.length);
    this.#samples++;
  }

  /** The message so far; another one is begun. */
  take(): Buffer {
    const { texts } = this.#symbols;
    const parts = [
      texts.bytes.subarray(0, texts.at),
      this.#series.bytes.subarray(0, this.#series.at),
    ];
    const message = Buffer.concat(parts);
    this.#symbols.clear();
    this.#series.clear();
    this.#samples = 0;
    return message;
  }

  /** Writes the numbers of all labels. @returns whether the series is named as counters are */
  #readLabels(labels: LabelBytes): boolean {
    const bytes = Buffer.from(labels.buffer, labels.byteOffset, labels.length);
    const symbols = this.#symbols;
    this.#refs.clear();
    symbols.begin();
    let isCounter = false;
    let next = 0;
    for (let at = 0; at < bytes.length;) {
      const content = lengthAt(bytes, at + 1);
      const name = lengthAt(bytes, content.at + 1);
      const nameEnd = name.at + name.length;
      const value = lengthAt(bytes, nameEnd + 1);
      at = content.at + content.length;
      for (; next < this.#added.length; next++) {
        const added = this.#added[next] ?? NO_LABEL;
        const order = added.name.compare(bytes, name.at, nameEnd);
        if (order > 0) break;
        if (order < 0) this.#addLabel(added);
      }
      if (name.length === NAME.length && NAME.compare(bytes, name.at, nameEnd) === 0) {
        isCounter = endsWith(bytes, value.at + value.length, COUNTER_END);
      }
      this.#refs.varint(symbols.refOf(bytes, name.at, nameEnd));
      this.#refs.varint(symbols.refOf(bytes, value.at, value.at + value.length));
    }
    for (; next < this.#added.length; next++) this.#addLabel(this.#added[next] ?? NO_LABEL);
    return isCounter;
  }

  #addLabel({ name, value }: AddedLabel): void {
    this.#refs.varint(this.#symbols.refOf(name, 0, name.length));
    this.#refs.varint(this.#symbols.refOf(value, 0, value.length));
  }
}

const NO_LABEL: AddedLabel = { name: Buffer.alloc(0), value: Buffer.alloc(0) };

/** Texts by number. Most texts of a series stand at the same place in the one before it. */
class Symbols {
  /** The messages of all symbols. */
  readonly texts = new Bytes();
  readonly #byText = new Map<string, number>();
  /** Where each text is in the messages, from and to. */
  readonly #places: number[] = [];
  /** Numbers of the series before, and of this one, by place. */
  readonly #before: number[] = [];
  #place = 0;

  constructor() {
    this.clear();
  }

  clear(): void {
    this.texts.clear();
    this.#byText.clear();
    this.#places.length = 0;
    this.#before.length = 0;
    this.#newRef(NO_TEXT, 0, 0);
  }

  /** Begins a series. */
  begin(): void {
    this.#place = 0;
  }

  refOf(bytes: Buffer, from: number, to: number): number {
    const place = this.#place++;
    const before = this.#before[place];
    if (before !== undefined && this.#isText(before, bytes, from, to)) return before;
    // Latin-1 has one character a byte, so that texts of any bytes stay apart.
    const text = bytes.toString('latin1', from, to);
    const ref = this.#byText.get(text) ?? this.#newRef(bytes, from, to, text);
    this.#before[place] = ref;
    return ref;
  }

  #newRef(bytes: Buffer, from: number, to: number, text: string = ''): number {
    const ref = this.#places.length / 2;
    this.texts.byte(SYMBOL_TAG);
    this.texts.varint(to - from);
    const { at } = this.texts;
    this.texts.copy(bytes, from, to);
    this.#places.push(at, this.texts.at);
    this.#byText.set(text, ref);
    return ref;
  }

  #isText(ref: number, bytes: Buffer, from: number, to: number): boolean {
    const start = this.#places[2 * ref] ?? 0;
    const length = to - from;
    if ((this.#places[2 * ref + 1] ?? 0) - start !== length) return false;
    const texts = this.texts.bytes;
    // Names of one kind begin alike.
    for (let i = length - 1; i >= 0; i--) if (texts[start + i] !== bytes[from + i]) return false;
    return true;
  }
}

const NO_TEXT = Buffer.alloc(0);

function endsWith(bytes: Buffer, end: number, text: Buffer): boolean {
  return end >= text.length && text.compare(bytes, end - text.length, end) === 0;
}

function varintBytes(value: number): number {
  if (value < 0) return 10;
  let bytes = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}
