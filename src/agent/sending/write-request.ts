/**
 * prometheus.WriteRequest of remote write 1.0, written sample by sample into memory that is used again:
 *
 *   WriteRequest  1 timeseries …
 *   TimeSeries    1 labels …     2 samples (one)
 *   Sample        1 value f64    2 timestamp ms
 */
import type { LabelBytes, Sample } from '../series.ts';

/** A NaN that passes through a number may lose its payload, so stale markers are written as bits. */
const STALE_LOW = 0x00000002;
const STALE_HIGH = 0x7ff00000;

const FIRST_BYTES = 512 * 1024;
/** Heads of a series, and its sample. */
const FIXED_BYTES = 48;
/** Tag, value, tag. */
const VALUE_BYTES = 10;

/** Labels that are put into each series that lacks them, sorted by name. */
export interface AddedLabel {
  readonly name: Buffer;
  /** The message with its tag and length, as `encodeLabels` writes it. */
  readonly message: Buffer;
}

export class WriteRequest {
  readonly #added: readonly AddedLabel[];
  readonly #addedBytes: number;
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #at = 0;
  #samples = 0;

  constructor(added: readonly AddedLabel[] = []) {
    this.#added = added;
    this.#addedBytes = added.reduce((sum, { message }) => sum + message.length, 0);
  }

  get samples(): number {
    return this.#samples;
  }

  get bytes(): number {
    return this.#at;
  }

  add({ labels, timeMs, value }: Sample): void {
    this.#room(labels.length + this.#addedBytes + FIXED_BYTES);
    const time = varintBytes(timeMs);
    const sampleBytes = VALUE_BYTES + time;
    const merged = this.#added.length === 0 ? [] : missing(labels, this.#added);
    const labelBytes = merged.reduce((sum, { message }) => sum + message.length, labels.length);
    this.#byte(0x0a);
    this.#varint(labelBytes + 2 + sampleBytes);
    this.#labels(labels, merged);
    this.#byte(0x12);
    this.#byte(sampleBytes);
    this.#byte(0x09);
    if (value === undefined) {
      this.#bytes.writeUInt32LE(STALE_LOW, this.#at);
      this.#bytes.writeUInt32LE(STALE_HIGH, this.#at + 4);
    } else this.#bytes.writeDoubleLE(value, this.#at);
    this.#at += 8;
    this.#byte(0x10);
    this.#varint(timeMs);
    this.#samples++;
  }

  /** A view of the message so far, valid until the next sample; another one is begun. */
  take(): Buffer {
    const message = this.#bytes.subarray(0, this.#at);
    this.#at = 0;
    this.#samples = 0;
    return message;
  }

  #labels(labels: LabelBytes, merged: readonly Insertion[]): void {
    let from = 0;
    for (const { at, message } of merged) {
      this.#copy(labels, from, at);
      this.#copy(message, 0, message.length);
      from = at;
    }
    this.#copy(labels, from, labels.length);
  }

  #copy(bytes: Uint8Array, from: number, to: number): void {
    this.#bytes.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), this.#at);
    this.#at += to - from;
  }

  #byte(value: number): void {
    this.#bytes[this.#at++] = value;
  }

  /** Times need more than 32 bits, and may be below 0. */
  #varint(value: number): void {
    if (value < 0) {
      for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
        if (rest < 128n) return this.#byte(Number(rest));
        this.#byte(Number(rest & 127n) | 128);
      }
    }
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#byte((rest % 128) | 128);
    this.#byte(rest);
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#at + bytes, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

function varintBytes(value: number): number {
  if (value < 0) return 10;
  let bytes = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

interface Insertion {
  readonly at: number;
  readonly message: Buffer;
}

/** Where the labels that a series lacks are inserted; those that it has stay. */
function missing(labels: LabelBytes, added: readonly AddedLabel[]): readonly Insertion[] {
  const insertions: Insertion[] = [];
  let next = 0;
  for (let at = 0; at < labels.length && next < added.length;) {
    const [contentAt, bytes] = lengthAt(labels, at + 1);
    const [nameAt, nameBytes] = lengthAt(labels, contentAt + 1);
    for (; next < added.length; next++) {
      const { name, message } = added[next] ?? { name: labels, message: EMPTY };
      const order = compareName(name, labels, nameAt, nameBytes);
      if (order > 0) break;
      if (order < 0) insertions.push({ at, message });
    }
    at = contentAt + bytes;
  }
  for (; next < added.length; next++) {
    insertions.push({ at: labels.length, message: added[next]?.message ?? EMPTY });
  }
  return insertions;
}

const EMPTY = Buffer.alloc(0);

/** @returns the place after the length, and the length */
export function lengthAt(bytes: Uint8Array, start: number): [at: number, length: number] {
  let at = start;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0;
    length |= (byte & 127) << shift;
    if (byte < 128) return [at, length];
  }
}

function compareName(name: Uint8Array, labels: LabelBytes, at: number, bytes: number): number {
  const shared = Math.min(name.length, bytes);
  for (let i = 0; i < shared; i++) {
    const difference = (name[i] ?? 0) - (labels[at + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return name.length - bytes;
}
