/**
 * Writes the `samples` encoding of src/metrics/source.ts, and prompb labels as both encodings have
 * them.
 */
import { bitsOf } from './xor-encoder.ts';

/** A store's marker for "the series ends here". */
export const STALE_BITS = 0x7ff0000000000002n;

export interface TestSeries {
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly timestampsMs: readonly number[];
  /** As many as timestamps; `stale` is an end marker. */
  readonly values: readonly (number | 'stale')[];
}

export function valueBits(value: number | 'stale'): bigint {
  return value === 'stale' ? STALE_BITS : bitsOf(value);
}

/** A protocol buffers field of wire type 2: tag, length, bytes. */
export function lengthDelimited(field: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([uvarint((field << 3) | 2), uvarint(bytes.length), bytes]);
}

export function uvarint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

export function encodeLabels(labels: TestSeries['labels']): Buffer {
  return Buffer.concat(
    labels.map(([name, value]) =>
      lengthDelimited(
        1,
        Buffer.concat([
          lengthDelimited(1, Buffer.from(name)),
          lengthDelimited(2, Buffer.from(value)),
        ]),
      ),
    ),
  );
}

/** One block a series. */
export function encodeSamples(series: readonly TestSeries[]): Buffer {
  return Buffer.concat(series.map(encodeBlock));
}

function encodeBlock({ labels, timestampsMs, values }: TestSeries): Buffer {
  const text = encodeLabels(labels);
  const timesAt = 8 + Math.ceil(text.length / 8) * 8;
  const block = Buffer.alloc(timesAt + 16 * values.length);
  block.writeUInt32LE(text.length, 0);
  block.writeUInt32LE(values.length, 4);
  text.copy(block, 8);
  timestampsMs.forEach((ms, i) => block.writeDoubleLE(ms, timesAt + 8 * i));
  const valuesAt = timesAt + 8 * values.length;
  values.forEach((value, i) => block.writeBigUInt64LE(valueBits(value), valuesAt + 8 * i));
  return block;
}
