/**
 * Counters in parts, such as those of single CPUs: what is above a request can be told only of their
 * sum. Parts are scraped together, so samples of equal times add up.
 */
import type { Arena, Block, Owner, Piece } from '../../columnar/index.ts';
import { appendPiece, piecesOf } from './stored-pieces.ts';

/** The tag of a label, and of its name, as prompb writes them. */
const LABEL_TAG = 0x0a;
const NAME_TAG = 0x0a;
/** A stale marker: the NaN with which Prometheus ends a series (model/value/value.go). */
const STALE_BITS = 0x7ff0000000000002n;

/** A counter: its labels but the one that splits it, and its parts. */
interface Counter {
  readonly labels: Buffer;
  /** Pieces by all labels, each in order of time. */
  readonly parts: Map<string, Piece[]>;
}

/** What the parts of a counter show at a time. */
interface Shown {
  sum: number;
  /** Parts with a number. */
  parts: number;
  /** Whether a part has no number, though it goes on. */
  isUnknown: boolean;
}

/**
 * Adds up counters in parts and frees `blocks`.
 *
 * @param label the label that tells parts apart
 * @returns a piece a counter, without that label
 */
export function sumParts(
  arena: Arena,
  owner: Owner,
  blocks: readonly Block[],
  label: string,
): Block[] {
  const sums: Block[] = [];
  for (const { labels, parts } of countersOf(arena, blocks, label)) {
    const shown = new Map<number, Shown>();
    for (const pieces of parts.values()) addPart(arena, pieces, shown);
    const size = { labelBytes: labels.length, samples: shown.size };
    write(arena, appendPiece(arena, owner, sums, size), labels, shown);
  }
  for (const { address, bytes } of blocks) arena.free(address, bytes);
  return sums;
}

function countersOf(arena: Arena, blocks: readonly Block[], label: string): Iterable<Counter> {
  const counters = new Map<string, Counter>();
  for (const piece of piecesOf(arena, blocks)) {
    const all = Buffer.from(arena.u8(piece.labels, piece.labelBytes));
    const labels = withoutLabel(all, label);
    const key = labels.toString('latin1');
    const counter = counters.get(key) ?? { labels, parts: new Map<string, Piece[]>() };
    counters.set(key, counter);
    const part = all.toString('latin1');
    const pieces = counter.parts.get(part) ?? [];
    counter.parts.set(part, pieces);
    pieces.push(piece);
  }
  return counters.values();
}

/** Cuts a label out of `labels` (repeated prompb Label as field 1, which the kernel has checked). */
function withoutLabel(labels: Buffer, name: string): Buffer {
  const head = Buffer.from([NAME_TAG, name.length, ...Buffer.from(name)]);
  const others: Buffer[] = [];
  for (let at = 0; at < labels.length;) {
    const { value: length, end } = varint(labels, at + 1);
    const isNamed =
      labels[at] === LABEL_TAG && head.equals(labels.subarray(end, end + head.length));
    if (!isNamed) others.push(labels.subarray(at, end + length));
    at = end + length;
  }
  return Buffer.concat(others);
}

function varint(bytes: Buffer, at: number): { value: number; end: number } {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, end: at };
  }
}

/** Adds a part at its times. The first of equal or falling times counts, as a store may repeat samples. */
function addPart(arena: Arena, pieces: readonly Piece[], shown: Map<number, Shown>): void {
  let lastMs = -Infinity;
  for (const { timestamps, values, samples } of pieces) {
    const times = arena.f64(timestamps, samples);
    const numbers = arena.f64(values, samples);
    const bits = bitsOf(numbers);
    for (const [i, timeMs] of times.entries()) {
      if (!(timeMs > lastMs)) continue;
      lastMs = timeMs;
      const at = shown.get(timeMs) ?? { sum: 0, parts: 0, isUnknown: false };
      shown.set(timeMs, at);
      const value = numbers[i] ?? NaN;
      if (Number.isFinite(value)) {
        at.sum += value;
        at.parts++;
      } else if (bits[i] !== STALE_BITS) at.isUnknown = true;
    }
  }
}

/** A part that ended ends no counter that goes on. */
function write(
  arena: Arena,
  piece: Piece,
  labels: Buffer,
  shown: ReadonlyMap<number, Shown>,
): void {
  arena.u8(piece.labels, labels.length).set(labels);
  const timesMs = arena.f64(piece.timestamps, piece.samples);
  const values = arena.f64(piece.values, piece.samples);
  const bits = bitsOf(values);
  timesMs.set([...shown.keys()]);
  timesMs.sort();
  for (const [i, timeMs] of timesMs.entries()) {
    const { sum, parts, isUnknown } = shown.get(timeMs) ?? { sum: 0, parts: 0, isUnknown: true };
    if (parts > 0 || isUnknown) values[i] = isUnknown ? NaN : sum;
    else bits[i] = STALE_BITS;
  }
}

/** As a number a NaN may lose what tells it from others. */
function bitsOf(values: Float64Array): BigUint64Array {
  return new BigUint64Array(values.buffer, values.byteOffset, values.length);
}
