/**
 * io.prometheus.write.v2.Request of remote write 2.0, made of a WriteRequest of 1.0 as this agent writes
 * it (write-request.ts). Texts are there once, and series name them by number:
 *
 *   Request     4 symbols …      5 timeseries …
 *   TimeSeries  1 label refs (packed)   2 samples   5 metadata
 *   Metadata    1 type
 *
 * Samples have the same bytes in both.
 */
import { lengthAt } from './write-request.ts';

const [COUNTER, GAUGE] = [1, 2];
const NAME = '__name__';
const SERIES_TAG = 0x2a;
const SYMBOL_TAG = 0x22;
const FIRST_BYTES = 128 * 1024;

/** @param message must outlive the call only */
export function symbolsRequest(message: Buffer): Buffer {
  const symbols = new Map<string, number>([['', 0]]);
  const series = new Bytes();
  const one = new Bytes();
  for (let at = 0; at < message.length;) {
    const [start, bytes] = lengthAt(message, at + 1);
    at = start + bytes;
    one.clear();
    writeSeries(message.subarray(start, at), symbols, one);
    series.byte(SERIES_TAG);
    series.varint(one.at);
    series.copy(one.bytes, 0, one.at);
  }
  const texts = new Bytes();
  for (const text of symbols.keys()) {
    texts.byte(SYMBOL_TAG);
    texts.varint(text.length);
    texts.latin1(text);
  }
  return Buffer.concat([texts.bytes.subarray(0, texts.at), series.bytes.subarray(0, series.at)]);
}

function writeSeries(series: Buffer, symbols: Map<string, number>, to: Bytes): void {
  const refs: number[] = [];
  let isCounter = false;
  let at = 0;
  while (series[at] === 0x0a) {
    const [start, bytes] = lengthAt(series, at + 1);
    const [nameAt, nameBytes] = lengthAt(series, start + 1);
    const [valueAt, valueBytes] = lengthAt(series, nameAt + nameBytes + 1);
    at = start + bytes;
    // Latin-1 is one character a byte, so that texts of any bytes stay apart.
    const name = series.toString('latin1', nameAt, nameAt + nameBytes);
    const value = series.toString('latin1', valueAt, valueAt + valueBytes);
    if (name === NAME) isCounter = value.endsWith('_total');
    refs.push(symbolOf(symbols, name), symbolOf(symbols, value));
  }
  to.byte(0x0a);
  to.varint(refs.reduce((sum, ref) => sum + (ref < 128 ? 1 : ref < 16_384 ? 2 : 3), 0));
  for (const ref of refs) to.varint(ref);
  to.copy(series, at, series.length);
  to.byte(0x2a);
  to.byte(2);
  to.byte(0x08);
  to.byte(isCounter ? COUNTER : GAUGE);
}

function symbolOf(symbols: Map<string, number>, text: string): number {
  const known = symbols.get(text);
  if (known !== undefined) return known;
  symbols.set(text, symbols.size);
  return symbols.size - 1;
}

class Bytes {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  at = 0;

  clear(): void {
    this.at = 0;
  }

  byte(value: number): void {
    this.#room(1);
    this.bytes[this.at++] = value;
  }

  varint(value: number): void {
    let rest = value;
    for (; rest > 127; rest >>>= 7) this.byte((rest & 127) | 128);
    this.byte(rest);
  }

  copy(from: Buffer, start: number, end: number): void {
    this.#room(end - start);
    this.at += from.copy(this.bytes, this.at, start, end);
  }

  latin1(text: string): void {
    this.#room(text.length);
    this.at += this.bytes.write(text, this.at, 'latin1');
  }

  #room(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.at + bytes, 2 * this.bytes.length));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}
