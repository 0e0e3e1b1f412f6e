/**
 * The series of one page, from one reading to the next: which are there, and the time of their newest
 * samples. All labels stand in one piece of memory, since ten thousands of small ones cost more than
 * what they hold.
 *
 *   bytes  │ labels of 0 │ labels of 1 │ labels of 2 │ …
 *   ends        ▲ of 0        ▲ of 1        ▲ of 2
 *   times   newest sample of 0, of 1, of 2 …, as the page has it
 */
import { Unavailable } from '../../query/index.ts';

const FIRST_SERIES = 256;
const FIRST_BYTES = 64 * 1024;

/** The most of a page that is kept; a node of 500 pods with four containers each has a tenth. */
const SERIES_MAX = 50_000;
const BYTES_MAX = 16 * 1024 * 1024;

export class KeptSeries {
  count = 0;
  bytes: Buffer;
  ends: Uint32Array;
  times: Float64Array;
  values: Float64Array;

  constructor(series: number = FIRST_SERIES, labelBytes: number = FIRST_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(labelBytes);
    this.ends = new Uint32Array(series);
    this.times = new Float64Array(series);
    this.values = new Float64Array(series);
  }

  clear(): void {
    this.count = 0;
  }

  /** Where the labels of the next series begin. */
  get at(): number {
    return this.startOf(this.count);
  }

  startOf(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] ?? 0);
  }

  labelsOf(index: number): Buffer {
    return this.bytes.subarray(this.startOf(index), this.ends[index]);
  }

  /** Makes room for the labels of another series. @throws {Unavailable} beyond the bounds */
  room(labelBytes: number): void {
    const need = this.at + labelBytes;
    if (this.count === SERIES_MAX || need > BYTES_MAX) {
      throw new Unavailable(`its page has more than ${SERIES_MAX} series of usage`);
    }
    if (need > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(need, 2 * this.bytes.length));
      this.bytes.copy(larger, 0, 0, this.at);
      this.bytes = larger;
    }
    if (this.count < this.ends.length) return;
    this.ends = copied(this.ends, new Uint32Array(2 * this.count));
    this.times = copied(this.times, new Float64Array(2 * this.count));
    this.values = copied(this.values, new Float64Array(2 * this.count));
  }

  /** The labels end here: the series is complete. */
  add(end: number, timeMs: number, value: number): void {
    const index = this.count++;
    this.ends[index] = end;
    this.times[index] = timeMs;
    this.values[index] = value;
  }

  isSame(index: number, other: KeptSeries, otherIndex: number): boolean {
    const [from, to] = [this.startOf(index), this.ends[index] ?? 0];
    const [start, end] = [other.startOf(otherIndex), other.ends[otherIndex] ?? 0];
    return to - from === end - start && this.bytes.compare(other.bytes, start, end, from, to) === 0;
  }

  /** A copy that has no room to spare, without values. */
  packed(): KeptSeries {
    const copy = new KeptSeries(0, this.at);
    copy.count = this.count;
    this.bytes.copy(copy.bytes, 0, 0, this.at);
    copy.ends = this.ends.slice(0, this.count);
    copy.times = this.times.slice(0, this.count);
    return copy;
  }
}

function copied<T extends Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Finds series of a page by their labels, in any order; quickest in the page's own. */
export class SeriesFinder {
  readonly #series: KeptSeries;
  readonly #found: Uint8Array;
  #next = 0;
  #byHash: Map<number, number[]> | undefined;

  constructor(series: KeptSeries) {
    this.#series = series;
    this.#found = new Uint8Array(series.count);
  }

  /** The index of the same series, -1 without it. */
  find(page: KeptSeries, index: number): number {
    let at = this.#next;
    if (at >= this.#series.count || !this.#series.isSame(at, page, index)) {
      at = this.#search(page, index);
    }
    if (at < 0) return at;
    this.#found[at] = 1;
    this.#next = at + 1;
    return at;
  }

  /** Indices of series that were not found. */
  *missing(): Iterable<number> {
    for (let i = 0; i < this.#found.length; i++) if (this.#found[i] === 0) yield i;
  }

  #search(page: KeptSeries, index: number): number {
    this.#byHash ??= hashesOf(this.#series);
    const same = this.#byHash.get(hash(page, index)) ?? [];
    return same.find((at) => this.#series.isSame(at, page, index)) ?? -1;
  }
}

function hashesOf(series: KeptSeries): Map<number, number[]> {
  const indices = new Map<number, number[]>();
  for (let i = 0; i < series.count; i++) {
    const key = hash(series, i);
    const same = indices.get(key);
    if (same === undefined) indices.set(key, [i]);
    else same.push(i);
  }
  return indices;
}

/** FNV-1a. */
function hash(series: KeptSeries, index: number): number {
  const end = series.ends[index] ?? 0;
  let value = 0x811c9dc5;
  for (let at = series.startOf(index); at < end; at++) {
    value = Math.imul(value ^ (series.bytes[at] ?? 0), 0x01000193);
  }
  return value;
}
