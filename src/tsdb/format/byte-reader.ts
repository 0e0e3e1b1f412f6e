/** Reads what `ByteWriter` writes; whatever the bytes are, it stays within them. */
import { DamagedBlock } from './damaged-block.ts';

export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;
  readonly #end: number;
  readonly #path: string;
  /** Offset in the file of the bytes' beginning. */
  readonly #offset: number;

  /** Reads [from, to) of `bytes`, which stand in the file at `offset`. */
  constructor(
    path: string,
    bytes: Uint8Array,
    offset: number,
    from: number = 0,
    to: number = bytes.length,
  ) {
    this.#path = path;
    this.bytes = bytes;
    this.#offset = offset;
    this.at = from;
    this.#end = to;
  }

  get left(): number {
    return this.#end - this.at;
  }

  /** @throws {DamagedBlock} always, with the offset in the file */
  fail(reason: string, at: number = this.at): never {
    throw new DamagedBlock(this.#path, this.#offset + at, reason);
  }

  u8(): number {
    if (this.at >= this.#end) this.fail('it is cut off');
    return this.bytes[this.at++] ?? 0;
  }

  u32(): number {
    const { bytes, at } = this;
    if (this.left < 4) this.fail('it is cut off');
    this.at = at + 4;
    const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  }

  u64(): number {
    const from = this.at;
    const value = this.u32() * 2 ** 32 + this.u32();
    return Number.isSafeInteger(value) ? value : this.fail('a number is too large', from);
  }

  uvarint(): number {
    const from = this.at;
    let byte = this.u8();
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let scale = 128; ; scale *= 128) {
      if (scale > 2 ** 49) this.fail('a number is too large', from);
      byte = this.u8();
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    return Number.isSafeInteger(value) ? value : this.fail('a number is too large', from);
  }

  /** Zigzag. */
  varint(): number {
    const value = this.uvarint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** A zigzag that may be any int64, such as the first or last time there is; those become infinite. */
  time(): number {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.u8();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    const whole = Number(value & 1n ? -((value + 1n) >> 1n) : value >> 1n);
    return Number.isSafeInteger(whole) ? whole : Math.sign(whole) * Infinity;
  }

  /** Moves past as many bytes. @returns where they begin in `bytes` */
  skip(count: number): number {
    if (count > this.left) this.fail('it is cut off');
    const from = this.at;
    this.at += count;
    return from;
  }
}
