/** Bytes as Prometheus' files have them: big endian, varints as in Go, CRC-32C. */
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

  /** In [0, 2^53). */
  u64(value: number): this {
    return this.u32(Math.floor(value / 2 ** 32)).u32(value);
  }

  /** In [0, 2^53). */
  uvarint(value: number): this {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.u8((rest % 128) + 128);
    return this.u8(rest);
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

  /** Its length in bytes, then UTF-8. */
  text(text: string): this {
    const bytes = Buffer.from(text);
    return this.uvarint(bytes.length).bytes(bytes);
  }

  /** Zeros up to a multiple of `bytes`. */
  align(bytes: number): this {
    while (this.#at % bytes > 0) this.u8(0);
    return this;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * this.#bytes.length + bytes);
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let c = byte;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
  return c;
});

/** Castagnoli's, RFC 3720 appendix B.4. */
export function crc32c(bytes: Uint8Array): number {
  let c = -1;
  for (const byte of bytes) c = (c >>> 8) ^ (TABLE[(c ^ byte) & 255] ?? 0);
  return ~c >>> 0;
}
