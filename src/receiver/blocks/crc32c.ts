/** CRC-32C, eight bytes a step (slicing by 8): tables[n][b] is the checksum's share of byte b, n bytes further on. */

const TABLES: Int32Array = makeTables();

function makeTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let c = byte;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
    tables[byte] = c;
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256] ?? 0;
    tables[at] = (before >>> 8) ^ (tables[before & 255] ?? 0);
  }
  return tables;
}

/** Castagnoli's, RFC 3720 appendix B.4, of bytes [from, to). */
export function crc32c(bytes: Uint8Array, from: number = 0, to: number = bytes.length): number {
  return finishCrc(addToCrc(-1, bytes, from, to));
}

/** A checksum in parts: begin with -1, end with `finishCrc`. */
export function addToCrc(crc: number, bytes: Uint8Array, from: number, to: number): number {
  const t = TABLES;
  let c = crc;
  let at = from;
  // Indices are masked or below `to`: what `| 0` guards against does not happen within the bytes.
  for (const last = to - 7; at < last; at += 8) {
    const low =
      c ^
      ((bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24));
    c =
      (t[1792 + (low & 255)] as number) ^
      (t[1536 + ((low >>> 8) & 255)] as number) ^
      (t[1280 + ((low >>> 16) & 255)] as number) ^
      (t[1024 + (low >>> 24)] as number) ^
      (t[768 + (bytes[at + 4] as number)] as number) ^
      (t[512 + (bytes[at + 5] as number)] as number) ^
      (t[256 + (bytes[at + 6] as number)] as number) ^
      (t[bytes[at + 7] as number] as number);
  }
  for (; at < to; at++) c = (c >>> 8) ^ (t[(c ^ (bytes[at] as number)) & 255] as number);
  return c;
}

export function finishCrc(crc: number): number {
  return ~crc >>> 0;
}
