/** Protobuf messages as bytes, written into memory that grows and is used again. */

const FIRST_BYTES = 64 * 1024;

export class Bytes {
  bytes: Buffer;
  at: number = 0;

  constructor(firstBytes: number = FIRST_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(firstBytes);
  }

  clear(): void {
    this.at = 0;
  }

  byte(value: number): void {
    this.#room(1);
    this.bytes[this.at++] = value;
  }

  /** In [0, 2^53). */
  varint(value: number): void {
    let rest = value;
    for (; rest > 0x7fffffff; rest = Math.floor(rest / 128)) this.byte((rest % 128) | 128);
    for (; rest > 127; rest >>>= 7) this.byte((rest & 127) | 128);
    this.byte(rest);
  }

  /** Ten bytes below 0. */
  int64(value: number): void {
    if (value >= 0) return this.varint(value);
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) this.byte(Number(rest & 127n) | 128);
    this.byte(Number(rest));
  }

  double(value: number): void {
    this.#room(8);
    this.at = this.bytes.writeDoubleLE(value, this.at);
  }

  words(low: number, high: number): void {
    this.#room(8);
    this.at = this.bytes.writeUInt32LE(low, this.at);
    this.at = this.bytes.writeUInt32LE(high, this.at);
  }

  copy(from: Buffer, start: number, end: number): void {
    this.#room(end - start);
    const { bytes } = this;
    // Most are short: a loop takes less time than the call of what copies any.
    if (end - start > SHORT_BYTES) this.at += from.copy(bytes, this.at, start, end);
    else for (let i = start; i < end; i++) bytes[this.at++] = from[i] ?? 0;
  }

  #room(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.at + bytes, 2 * this.bytes.length));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}

const SHORT_BYTES = 24;

/** A length below 2^28, and the place after it. */
export function lengthAt(bytes: Uint8Array, start: number): { at: number; length: number } {
  let at = start;
  let length = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[at++] ?? 0;
    length |= (byte & 127) << shift;
    if (byte < 128) break;
  }
  return { at, length };
}
