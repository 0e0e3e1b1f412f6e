/** The bytes of frames of remote read, as far as labels: src/metrics/source.ts has their form. */

/** Tag of a series in a message. */
const SERIES = 0x0a;

/** Where a series stands: its tag, and its labels and chunks. */
export interface Series {
  readonly tagAt: number;
  readonly from: number;
  readonly end: number;
}

/** The series of the message [from, end); undefined for what is no such message. */
export function seriesIn(bytes: Uint8Array, from: number, end: number): Series[] | undefined {
  if (end > bytes.length) return undefined;
  const found: Series[] = [];
  for (let at = from; at < end;) {
    const tag = bytes[at] ?? 0;
    const number = uvarintAt(bytes, at + 1);
    if (number.end === 0 || number.end > end) return undefined;
    if (tag === SERIES) {
      const series = { tagAt: at, from: number.end, end: number.end + number.value };
      found.push(series);
      at = series.end;
    } else if (tag % 8 === 0) at = number.end;
    else return undefined;
    if (at > end) return undefined;
  }
  return found;
}

export function isText(bytes: Uint8Array, at: number, length: number, text: Buffer): boolean {
  if (length !== text.length) return false;
  for (let i = 0; i < length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

export interface Uvarint {
  readonly value: number;
  /** Where the next byte is; 0 for one that does not end. */
  readonly end: number;
}

export function uvarintAt(bytes: Uint8Array, from: number): Uvarint {
  let value = 0;
  let scale = 1;
  for (let at = from; at < bytes.length && at < from + 8; scale *= 128) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return { value, end: at };
  }
  return { value: 0, end: 0 };
}

export function uvarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | 128);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
