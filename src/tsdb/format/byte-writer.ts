/** Bytes as Prometheus' files have them: big endian, varints as in Go. */

export class ByteWriter {
  #bytes: Buffer = Buffer.allocUnsafe(1024);
  #at = 0;

  get length(): number {
    return this.#at;
  }

  /** What was written from `from` on; holds until the next write. */
  view(from: number): Uint8Array {
    return this.#bytes.subarray(from, this.#at);
  }

  clear(): void {
    this.#at = 0;
  }

  u8(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#at++] = value;
    return this;
  }

  u32(value: number): this {
    this.#reserve(4);
    this.#at = this.#bytes.writeUInt32BE(value >>> 0, this.#at);
    return this;
  }

  setU32(at: number, value: number): void {
    this.#bytes.writeUInt32BE(value >>> 0, at);
  }

  /** In [0, 2^53). */
  u64(value: number): this {
    return this.u32(Math.floor(value / 2 ** 32)).u32(value);
  }

  /** In [0, 2^53). */
  uvarint(value: number): this {
    this.#reserve(8);
    const bytes = this.#bytes;
    let at = this.#at;
    let rest = value;
    for (; rest > 0x7fffffff; rest = Math.floor(rest / 128)) bytes[at++] = (rest & 127) | 128;
    for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128;
    bytes[at++] = rest;
    this.#at = at;
    return this;
  }

  /** Zigzag, in (-2^52, 2^52). */
  varint(value: number): this {
    return this.uvarint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  bytes(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }

  /** Its length in bytes, then the bytes, given as latin-1. */
  text(latin1: string): this {
    this.uvarint(latin1.length).#reserve(latin1.length);
    this.#at += this.#bytes.write(latin1, this.#at, 'latin1');
    return this;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * this.#bytes.length + bytes);
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}
