/**
 * prometheus.WriteRequest of remote write 1.0, made of the Request of 2.0 that this agent writes
 * (symbols-request.ts). Samples have the same bytes in both:
 *
 *   WriteRequest  1 timeseries …
 *   TimeSeries    1 labels …     2 samples
 *   Label         1 name         2 value
 */
import { fieldBytes } from '../../metrics/field-heads.ts';
import { Bytes, lengthAt } from './bytes.ts';

const SYMBOL_TAG = 0x22;

/** A part of the message. */
interface Place {
  readonly at: number;
  readonly length: number;
}

export function plainRequest(message: Buffer): Buffer {
  const symbols: Place[] = [];
  const to = new Bytes(4 * message.length);
  for (let at = 0; at < message.length;) {
    const isSymbol = message[at] === SYMBOL_TAG;
    const part = lengthAt(message, at + 1);
    at = part.at + part.length;
    if (isSymbol) symbols.push(part);
    else writeSeries(message, part, symbols, to);
  }
  return to.bytes.subarray(0, to.at);
}

function writeSeries(message: Buffer, series: Place, symbols: readonly Place[], to: Bytes): void {
  const refs = lengthAt(message, series.at + 1);
  const end = refs.at + refs.length;
  const labels: Place[] = [];
  for (let at = refs.at; at < end;) {
    const ref = lengthAt(message, at);
    labels.push(symbols[ref.length] ?? NOTHING);
    at = ref.at;
  }
  const sample = lengthAt(message, end + 1);
  const sampleBytes = sample.at + sample.length - end;
  let labelBytes = 0;
  for (let i = 0; i < labels.length; i += 2) {
    labelBytes += fieldBytes(contentBytes(labels[i], labels[i + 1]));
  }
  to.byte(0x0a);
  to.varint(labelBytes + sampleBytes);
  for (let i = 0; i < labels.length; i += 2) writeLabel(message, labels[i], labels[i + 1], to);
  to.copy(message, end, end + sampleBytes);
}

function writeLabel(
  message: Buffer,
  name: Place = NOTHING,
  value: Place = NOTHING,
  to: Bytes,
): void {
  to.byte(0x0a);
  to.varint(contentBytes(name, value));
  to.byte(0x0a);
  to.varint(name.length);
  to.copy(message, name.at, name.at + name.length);
  to.byte(0x12);
  to.varint(value.length);
  to.copy(message, value.at, value.at + value.length);
}

function contentBytes(name: Place = NOTHING, value: Place = NOTHING): number {
  return fieldBytes(name.length) + fieldBytes(value.length);
}

const NOTHING: Place = { at: 0, length: 0 };
