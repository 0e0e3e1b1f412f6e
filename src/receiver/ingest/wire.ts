/**
 * Reads the wire format of protocol buffers (https://protobuf.dev/programming-guides/encoding/) where it
 * lies: requests of a thousand series a hundred times a second leave no time for objects.
 */

/** The body is no request: nothing of it is stored. */
export class Malformed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Malformed';
  }
}

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const FIXED32 = 5;

const CUT_OFF = 'the message is cut off';

/** A place in a message that moves on as fields are read. */
export class Wire {
  bytes: Uint8Array;
  at: number;
  /** Where the bytes end that may be read. */
  end: number;

  constructor(bytes: Uint8Array, at: number = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** Number and type of the next field, as one: number times 8 and type. */
  tag(): number {
    const tag = this.length();
    if (tag < 8) throw new Malformed('a field has no number');
    return tag;
  }

  /** A varint of at most 32 bits. */
  length(): number {
    const bytes = this.bytes;
    let at = this.at;
    if (at >= this.end) throw new Malformed(CUT_OFF);
    let byte = bytes[at++] ?? 0;
    let value = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      if (at >= this.end) throw new Malformed(CUT_OFF);
      byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (value > 0xffffffff) throw new Malformed('a number has more than 32 bits');
      if (scale > 2 ** 28) throw new Malformed('a number does not end');
    }
    this.at = at;
    return value;
  }

  /** An int64, exact within ±2^53. */
  int64(): number {
    let [low, high] = [0, 0];
    for (let bits = 0; bits < 70; bits += 7) {
      if (this.at >= this.end) throw new Malformed(CUT_OFF);
      const byte = this.bytes[this.at++] ?? 0;
      if (bits < 28) low |= (byte & 127) << bits;
      else high += (byte & 127) * 2 ** (bits - 28);
      if (byte < 128)
        return high >= 2 ** 35 ? (high - 2 ** 36) * 2 ** 28 + low : high * 2 ** 28 + low;
    }
    throw new Malformed('a number does not end');
  }

  /** The end of the field of bytes that begins here. */
  bytesEnd(): number {
    const length = this.length();
    const end = this.at + length;
    if (end > this.end)
      throw new Malformed(`a field claims ${length} bytes, and ${this.end - this.at} are there`);
    return end;
  }

  /** Passes the content of a field. */
  skip(tag: number): void {
    const type = tag & 7;
    if (type === BYTES) this.at = this.bytesEnd();
    else if (type === VARINT) this.int64();
    else if (type === FIXED64) this.#pass(8);
    else if (type === FIXED32) this.#pass(4);
    else throw new Malformed(`a field has the wire type ${type}`);
  }

  #pass(bytes: number): void {
    if (this.at + bytes > this.end) throw new Malformed(CUT_OFF);
    this.at += bytes;
  }
}

/** Hands over where the content of each field of bytes with the tag is, and passes the others. */
export function eachField(
  message: Uint8Array,
  wanted: number,
  onField: (from: number, end: number) => void,
): void {
  const wire = new Wire(message);
  while (wire.at < message.length) {
    const tag = wire.tag();
    if (tag !== wanted) {
      wire.skip(tag);
      continue;
    }
    const end = wire.bytesEnd();
    onField(wire.at, end);
    wire.at = end;
  }
}
