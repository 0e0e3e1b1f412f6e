/**
 * CRC-32C (Castagnoli's, RFC 3720 appendix B.4), sixteen bytes a step: tables[n][b] is the checksum's share of
 * byte b, n bytes further on.
 */

const POLYNOMIAL = 0x82f63b78;
const STEP = 16;
const TABLES: Int32Array = makeTables();

/** The bytes that were read last: a view costs as much as the checksum of a small chunk. */
let view: DataView = new DataView(new ArrayBuffer(0));

function makeTables(): Int32Array {
  const tables = new Int32Array(STEP * 256);
  for (let byte = 0; byte < 256; byte++) {
    let c = byte;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ POLYNOMIAL : c >>> 1;
    tables[byte] = c;
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256] ?? 0;
    tables[at] = (before >>> 8) ^ (tables[before & 255] ?? 0);
  }
  return tables;
}

/** The checksum of bytes [from, to). */
export function crc32c(bytes: Uint8Array, from: number = 0, to: number = bytes.length): number {
  return crcOfMore(0, bytes, from, to);
}

/** The checksum of what has the checksum `crc`, 0 for nothing, and of bytes [from, to) after it. */
export function crcOfMore(crc: number, bytes: Uint8Array, from: number, to: number): number {
  if (view.buffer !== bytes.buffer) view = new DataView(bytes.buffer);
  const [v, t] = [view, TABLES];
  let at = bytes.byteOffset + from;
  const end = bytes.byteOffset + to;
  let c = ~crc;
  // Indices of the table are within it by their masks.
  for (const last = end - STEP; at <= last; at += STEP) {
    const w = c ^ v.getInt32(at, true);
    const x = v.getInt32(at + 4, true);
    const y = v.getInt32(at + 8, true);
    const z = v.getInt32(at + 12, true);
    c =
      (t[3840 + (w & 255)] as number) ^
      (t[3584 + ((w >>> 8) & 255)] as number) ^
      (t[3328 + ((w >>> 16) & 255)] as number) ^
      (t[3072 + (w >>> 24)] as number) ^
      (t[2816 + (x & 255)] as number) ^
      (t[2560 + ((x >>> 8) & 255)] as number) ^
      (t[2304 + ((x >>> 16) & 255)] as number) ^
      (t[2048 + (x >>> 24)] as number) ^
      (t[1792 + (y & 255)] as number) ^
      (t[1536 + ((y >>> 8) & 255)] as number) ^
      (t[1280 + ((y >>> 16) & 255)] as number) ^
      (t[1024 + (y >>> 24)] as number) ^
      (t[768 + (z & 255)] as number) ^
      (t[512 + ((z >>> 8) & 255)] as number) ^
      (t[256 + ((z >>> 16) & 255)] as number) ^
      (t[z >>> 24] as number);
  }
  for (; at < end; at++) c = (c >>> 8) ^ (t[(c ^ v.getUint8(at)) & 255] as number);
  return ~c >>> 0;
}
