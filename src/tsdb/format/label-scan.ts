/** Walks the labels of a series without making texts of them. */
import type { LabelBytes } from './series.ts';

const LABEL = 0x0a;
const NAME = 0x0a;
const VALUE = 0x12;

/**
 * The place of one label after the other:
 *
 * ```
 *   0a length ┌ 0a length  name ┐ ┌ 12 length  value ┐
 * ```
 */
export class LabelScan {
  bytes: LabelBytes = new Uint8Array(0);
  nameStart = 0;
  nameEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  #at = 0;
  #length = 0;

  open(bytes: LabelBytes): this {
    this.bytes = bytes;
    this.#at = 0;
    return this;
  }

  /** @throws {Error} for bytes that are no labels as `encodeLabels` writes them */
  next(): boolean {
    if (this.#at >= this.bytes.length) return false;
    const end = this.#field(LABEL, this.bytes.length);
    this.nameEnd = this.#field(NAME, end);
    this.nameStart = this.nameEnd - this.#length;
    this.#at = this.nameEnd;
    this.valueEnd = this.#field(VALUE, end);
    this.valueStart = this.valueEnd - this.#length;
    this.#at = this.valueEnd;
    if (this.valueEnd !== end) throw new Error('BUG: malformed labels');
    return true;
  }

  /** Moves to the content of a field. @returns its end */
  #field(tag: number, limit: number): number {
    const { bytes } = this;
    if (bytes[this.#at] !== tag) throw new Error('BUG: malformed labels');
    let length = 0;
    let at = this.#at + 1;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined || scale > 2 ** 28) throw new Error('BUG: malformed labels');
      length += (byte & 127) * scale;
      if (byte < 128) break;
    }
    if (at + length > limit) throw new Error('BUG: malformed labels');
    this.#at = at;
    this.#length = length;
    return at + length;
  }
}

const left = new LabelScan();
const right = new LabelScan();

/** The order of series in a block: label by label, name then value, bytewise, as Prometheus compares. */
export function compareLabels(a: LabelBytes, b: LabelBytes): number {
  left.open(a);
  right.open(b);
  for (;;) {
    const isMore = left.next();
    if (!right.next()) return isMore ? 1 : 0;
    if (!isMore) return -1;
    const order =
      compareBytes(a, left.nameStart, left.nameEnd, b, right.nameStart, right.nameEnd) ||
      compareBytes(a, left.valueStart, left.valueEnd, b, right.valueStart, right.valueEnd);
    if (order !== 0) return order;
  }
}

// oxlint-disable-next-line max-params
function compareBytes(
  a: Uint8Array,
  from: number,
  end: number,
  b: Uint8Array,
  otherFrom: number,
  otherEnd: number,
): number {
  const length = Math.min(end - from, otherEnd - otherFrom);
  for (let i = 0; i < length; i++) {
    const order = (a[from + i] ?? 0) - (b[otherFrom + i] ?? 0);
    if (order !== 0) return order;
  }
  return end - from - (otherEnd - otherFrom);
}
