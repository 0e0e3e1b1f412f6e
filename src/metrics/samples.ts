/** Writes batches of the `samples` encoding (source.ts). */
import { blockPlaces, SAMPLES_BLOCK } from '../columnar/index.ts';
import { fieldBytes, writeHead } from './field-heads.ts';
import type { Room } from './source.ts';

/** A stale marker: the NaN with which Prometheus ends a series (model/value/value.go). */
const STALE_MARKER_BITS = 0x7ff0000000000002n;

/** Views on the batch being written, of equal length, for the caller to fill. */
export interface SamplesBlock {
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
}

/** The initial size of a batch, which grows: most reads have few series. */
const FIRST_BYTES = 64 * 1024;

export class SamplesWriter {
  readonly #capacityBytes: number;
  #bytes: Uint8Array<ArrayBuffer>;
  #used = 0;

  /** @param capacityBytes of one batch; a larger block gets a batch of its own size */
  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes;
    this.#bytes = new Uint8Array(Math.min(FIRST_BYTES, capacityBytes));
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** @returns undefined when the batch has no room: `take` it first */
  block(labels: Uint8Array, samples: number): SamplesBlock | undefined {
    const places = blockPlaces(this.#used, labels.length, samples);
    if (places.end > this.#bytes.length && !this.#grow(places.end)) return undefined;
    const head = new DataView(this.#bytes.buffer, this.#used, SAMPLES_BLOCK.bytes);
    head.setUint32(SAMPLES_BLOCK.u32.labelBytes, labels.length, true);
    head.setUint32(SAMPLES_BLOCK.u32.samples, samples, true);
    this.#bytes.set(labels, places.labels);
    this.#used = places.end;
    return {
      timesMs: new Float64Array(this.#bytes.buffer, places.times, samples),
      values: new Float64Array(this.#bytes.buffer, places.values, samples),
    };
  }

  /** Returns the batch, with its memory, to the caller and begins a new one. */
  take(): Uint8Array {
    const batch = this.#bytes.subarray(0, this.#used);
    this.#bytes = new Uint8Array(Math.min(FIRST_BYTES, this.#capacityBytes));
    this.#used = 0;
    return batch;
  }

  /** The batch as a copy in `room`; a new one is begun in the same memory. */
  takeTo(room: Room): Uint8Array {
    const batch = room(this.#used);
    batch.set(this.#bytes.subarray(0, this.#used));
    this.#used = 0;
    return batch;
  }

  #grow(bytes: number): boolean {
    if (this.#used > 0 && bytes > this.#capacityBytes) return false;
    const doubled = Math.min(2 * this.#bytes.length, this.#capacityBytes);
    const larger = new Uint8Array(Math.max(bytes, doubled));
    larger.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = larger;
    return true;
  }
}

/** Writes bits, as a NaN that passes through a number may lose its payload. */
export function markStale(values: Float64Array, index: number): void {
  const at = values.byteOffset + 8 * index;
  new BigUint64Array(values.buffer, at, 1)[0] = STALE_MARKER_BITS;
}

/** Writing fewer, all of ASCII, takes less time than the call of what writes any. */
const SHORT_CHARACTERS = 24;
/** Tags of prompb.Label within its list, and of its two fields. */
const [LABEL, LABEL_NAME, LABEL_VALUE] = [0x0a, 0x0a, 0x12] as const;

/** Repeated prompb.Label as field 1, sorted by name; labels with an empty value are left out. */
export function encodeLabels(labels: Readonly<Record<string, string>>): Uint8Array {
  const names = Object.keys(labels).sort();
  let total = 0;
  for (const name of names) {
    const size = labelBytes(name, labels[name] ?? '');
    if (size > 0) total += fieldBytes(size);
  }
  const encoded = Buffer.allocUnsafe(total);
  let at = 0;
  for (const name of names) {
    const value = labels[name] ?? '';
    const size = labelBytes(name, value);
    if (size === 0) continue;
    at = writeHead(encoded, at, LABEL, size);
    at = writeText(encoded, at, LABEL_NAME, name);
    at = writeText(encoded, at, LABEL_VALUE, value);
  }
  return encoded;
}

/** Length of the message of one label, 0 without a value. */
function labelBytes(name: string, value: string): number {
  if (value === '') return 0;
  return fieldBytes(Buffer.byteLength(name)) + fieldBytes(Buffer.byteLength(value));
}

function writeText(bytes: Buffer, at: number, tag: number, text: string): number {
  const size = Buffer.byteLength(text);
  const from = writeHead(bytes, at, tag, size);
  if (size > SHORT_CHARACTERS || size !== text.length)
    return from + bytes.write(text, from, 'utf8');
  for (let i = 0; i < size; i++) bytes[from + i] = text.charCodeAt(i);
  return from + size;
}
