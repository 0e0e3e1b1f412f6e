/**
 * Rows of a window's log: the samples of one commit, in the order they came.
 *
 *   uvarint   the ref of the first series that begins in this row
 *   entries   u8 flags | [uvarint length, labels] | [zigzag ref step] | [zigzag time step] | value
 *
 * A ref is a series' place in the order in which series began in this log. Steps are from the entry
 * before: senders send the same series in the same order at the same time, so that they are mostly none.
 * A value is the upper bytes of its double, without those that are zero at the end, as whole numbers have.
 */
import { crc32 } from 'node:zlib';

/** Flags: the number of bytes of the value in the low four bits. */
const VALUE_BYTES = 15;
const IS_NEW = 16;
const HAS_REF_STEP = 32;
const HAS_TIME_STEP = 64;

/** Room of an entry without its labels: flags, two steps, a value. */
const ENTRY_BYTES = 1 + 10 + 10 + 8;
const FIRST_BYTES = 64 * 1024;

export interface LoggedSamples {
  /** The series that a ref means from here on. */
  series(ref: number, labels: Uint8Array): void;
  sample(ref: number, timeMs: number, low: number, high: number): void;
}

export class EntryWriter {
  #bytes: Uint8Array = new Uint8Array(FIRST_BYTES);
  #at = 0;
  #ref = -1;
  #timeMs = 0;

  begin(firstNewRef: number): void {
    this.#at = 0;
    this.#ref = -1;
    this.#timeMs = 0;
    this.#uvarint(firstNewRef);
  }

  /** @param labels only of a series that begins here: its ref is one above the highest so far */
  add(
    ref: number,
    labels: Uint8Array | undefined,
    timeMs: number,
    low: number,
    high: number,
  ): void {
    this.#reserve(ENTRY_BYTES + (labels === undefined ? 0 : labels.length + 5));
    const valueBytes = low === 0 ? 4 - zeroBytes(high) : 8 - zeroBytes(low);
    const refStep = ref - this.#ref - 1;
    const timeStep = timeMs - this.#timeMs;
    let flags = valueBytes;
    if (labels !== undefined) flags |= IS_NEW;
    if (refStep !== 0) flags |= HAS_REF_STEP;
    if (timeStep !== 0) flags |= HAS_TIME_STEP;
    this.#bytes[this.#at++] = flags;
    if (labels !== undefined) {
      this.#uvarint(labels.length);
      this.#bytes.set(labels, this.#at);
      this.#at += labels.length;
    }
    if (refStep !== 0) this.#uvarint(zigzag(refStep));
    if (timeStep !== 0) this.#uvarint(zigzag(timeStep));
    this.#value(valueBytes, low, high);
    this.#ref = ref;
    this.#timeMs = timeMs;
  }

  /** A view that holds until the next entry. */
  row(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  #value(count: number, low: number, high: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = 0; i < count && i < 4; i++) bytes[at++] = high >>> (24 - 8 * i);
    for (let i = 4; i < count; i++) bytes[at++] = low >>> (56 - 8 * i);
    this.#at = at;
  }

  #uvarint(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 128;
    this.#bytes[this.#at++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#at + bytes));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}

/** How many of the word's four bytes are zero from the low end on. */
function zeroBytes(word: number): number {
  if (word === 0) return 4;
  return (31 - Math.clz32(word & -word)) >>> 3;
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

export function rowChecksum(row: Uint8Array): number {
  return crc32(row);
}

/** Reads a row whose checksum is right. @throws {RangeError} when it was written otherwise */
export function readRow(row: Uint8Array, to: LoggedSamples): void {
  let at = 0;
  const byte = (): number => {
    if (at >= row.length) throw new RangeError('a row of the log is cut off');
    return row[at++] ?? 0;
  };
  const uvarint = (): number => {
    for (let [value, scale] = [0, 1]; ; scale *= 128) {
      const next = byte();
      value += (next & 127) * scale;
      if (next < 128) return value;
    }
  };
  let newRef = uvarint();
  let [ref, timeMs] = [-1, 0];
  while (at < row.length) {
    const flags = byte();
    let labels: Uint8Array | undefined;
    if ((flags & IS_NEW) !== 0) {
      const length = uvarint();
      labels = row.slice(at, at + length);
      at += length;
    }
    ref += 1 + ((flags & HAS_REF_STEP) === 0 ? 0 : unzigzag(uvarint()));
    if ((flags & HAS_TIME_STEP) !== 0) timeMs += unzigzag(uvarint());
    if (labels !== undefined) to.series(newRef++, labels);
    let [low, high] = [0, 0];
    const count = flags & VALUE_BYTES;
    for (let i = 0; i < count && i < 4; i++) high |= byte() << (24 - 8 * i);
    for (let i = 4; i < count; i++) low |= byte() << (56 - 8 * i);
    to.sample(ref, timeMs, low, high);
  }
}
