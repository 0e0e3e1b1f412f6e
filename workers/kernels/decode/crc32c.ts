// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78, RFC 3720 appendix B.4). All but the last bytes
// are folded away as in crc32.ts: a multiple of the polynomial, 1 + x^(8·58) + x^(8·171) + x^(8·176) +
// x^(8·177) + x^(8·437), says that bytes may be moved 260, 261, 266, 379 and 437 on, by xor, and the sum
// stays. It was searched for among those whose terms lie whole bytes apart, far enough that bytes are
// stored long before they are loaded again. The last ones are summed by slicing by 16, whose look-ups
// wait for one sum only.

/** Bytes of the table that `crc32cTable` fills: 16 x 256 u32. */
const TABLE_BYTES: usize = 16384;
/** The farthest that bytes are moved, rounded up to whole vectors. */
const REMAINDER: usize = 448;
/** Bytes folded in one go. */
const BLOCK: usize = 8192;
/** From this length on folding is faster. */
const LEAST: usize = 1024;

/** Bytes of the table and of the room for folding behind it. */
export const CRC_ROOM: usize = TABLE_BYTES + 3 * REMAINDER + BLOCK;

/** Fills the 16 KiB table at `table`. */
export function crc32cTable(table: usize): void {
  for (let i: u32 = 0; i < 256; i++) {
    let c = i;
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
    store<u32>(table + (<usize>i << 2), c);
  }
  for (let i: u32 = 0; i < 256; i++) {
    let c = load<u32>(table + (<usize>i << 2));
    for (let k = 1; k < 16; k++) {
      c = (c >>> 8) ^ load<u32>(table + (<usize>(c & 255) << 2));
      store<u32>(table + (<usize>k << 10) + (<usize>i << 2), c);
    }
  }
}

@inline function entry(table: usize, slice: usize, byte: u32): u32 {
  return load<u32>(table + (slice << 10) + (<usize>(byte & 255) << 2));
}

/**
 * CRC-32C of the `length` bytes at `bytes`, any alignment.
 * @param table as filled by `crc32cTable`, CRC_ROOM bytes with the room behind it
 */
export function crc32c(table: usize, bytes: usize, length: usize): u32 {
  if (length < LEAST) return ~sliced(table, bytes, length, 0xffffffff);
  const room = table + TABLE_BYTES;
  const out = room + REMAINDER;
  clear(room);
  // A CRC begins with ones instead of zeros: as if folded from before the first bytes.
  store<u32>(out - 437, 0xffffffff);
  const end = bytes + length;
  let rest = (length - REMAINDER) & ~15;
  let count = min(rest, BLOCK);
  fold(bytes, out, out, count);
  for (rest -= count; rest != 0; rest -= count) {
    for (let i: usize = 0; i < REMAINDER; i += 16) v128.store(room + i, v128.load(room + count + i));
    bytes += count;
    count = min(rest, BLOCK);
    fold(bytes, out, out, count);
  }
  // The remainder stays in place and is not folded into what follows it.
  bytes += count;
  const left = out + BLOCK + REMAINDER;
  clear(out + count);
  fold(bytes, out + count, left, REMAINDER);
  bytes += REMAINDER;
  return ~sliced(table, bytes, end - bytes, sliced(table, left, REMAINDER, 0));
}

@inline function clear(at: usize): void {
  for (const end = at + REMAINDER; at < end; at += 16) v128.store(at, i64x2.splat(0));
}

/** Copies `count` bytes to `out`, folding in the bytes from `seen - REMAINDER` on. */
@inline function fold(bytes: usize, seen: usize, out: usize, count: usize): void {
  const end = bytes + count;
  for (let from = seen - REMAINDER; bytes < end; from += 16) {
    const a = v128.xor(v128.load(bytes), v128.load(from, REMAINDER - 437));
    const b = v128.xor(v128.load(from, REMAINDER - 379), v128.load(from, REMAINDER - 266));
    const c = v128.xor(v128.load(from, REMAINDER - 261), v128.load(from, REMAINDER - 260));
    v128.store(out, v128.xor(v128.xor(a, b), c));
    bytes += 16;
    out += 16;
  }
}

/** The sum `c` continued over the bytes. */
function sliced(table: usize, bytes: usize, length: usize, c: u32): u32 {
  const end = bytes + length;
  while (bytes + 16 <= end) {
    const a = load<u32>(bytes) ^ c;
    const b = load<u32>(bytes, 4);
    const d = load<u32>(bytes, 8);
    const e = load<u32>(bytes, 12);
    // The terms that need the sum so far come last.
    c = (entry(table, 11, b) ^ entry(table, 10, b >>> 8) ^ entry(table, 9, b >>> 16) ^ entry(table, 8, b >>> 24))
      ^ (entry(table, 7, d) ^ entry(table, 6, d >>> 8) ^ entry(table, 5, d >>> 16) ^ entry(table, 4, d >>> 24))
      ^ (entry(table, 3, e) ^ entry(table, 2, e >>> 8) ^ entry(table, 1, e >>> 16) ^ entry(table, 0, e >>> 24))
      ^ (entry(table, 15, a) ^ entry(table, 14, a >>> 8) ^ entry(table, 13, a >>> 16) ^ entry(table, 12, a >>> 24));
    bytes += 16;
  }
  while (bytes < end) c = (c >>> 8) ^ entry(table, 0, c ^ load<u8>(bytes++));
  return c;
}
