// CRC-32 (that of zip and zlib) of long bytes, without tables: a multiple of its polynomial with five
// terms says that 16 bytes may be moved 145, 183, 211 and 300 times 16 bytes on, by xor, and the sum
// stays. So all but the last 4,800 bytes are folded into later ones. The idea is that of Chorba
// (Russell, "Chorba: a novel CRC32 implementation", arXiv:2412.16398); the multiple was searched for
// among those whose terms lie whole vectors apart: x^(300·128) + x^(155·128) + x^(117·128) +
// x^(89·128) + 1. The remainder is short and has the same CRC-32.

/** Bytes of the remainder, without those that do not fill a vector. */
const REMAINDER: usize = 16 * 300;
/** Bytes folded in one go; together with the remainder less than half of a first-level cache. */
const BLOCK: usize = 16 * 1280;

/** Bytes of `room`. */
export const FOLD_ROOM: usize = REMAINDER + BLOCK + 16;
/** Where in `room` the result is. */
export const FOLDED_AT: usize = 2 * REMAINDER;

/**
 * Folds the `length` bytes at `bytes`, 9,600 or more, into 4,800 to 4,815 of the same CRC-32.
 * @param room FOLD_ROOM bytes, of which the result takes those from FOLDED_AT on
 * @returns its length
 */
export function foldCrc32(bytes: usize, length: usize, room: usize): usize {
  const out = room + REMAINDER;
  const tail = length & 15;
  const end = bytes + length - tail - REMAINDER;
  memory.fill(room, 0, REMAINDER);
  // A CRC begins with ones instead of zeros: as if folded from before the first bytes.
  store<u32>(room, 0xffffffff);
  while (bytes < end) {
    const count = min(end - bytes, BLOCK);
    fold(bytes, out, out, count);
    memory.copy(room, room + count, REMAINDER);
    bytes += count;
  }
  // The remainder stays in place and is not folded into what follows it.
  memory.fill(out, 0, REMAINDER);
  const left = out + REMAINDER;
  fold(bytes, out, left, REMAINDER);
  store<u32>(left, load<u32>(left) ^ 0xffffffff);
  memory.copy(left + REMAINDER, bytes + REMAINDER, tail);
  return REMAINDER + tail;
}

/** Copies `count` bytes to `out`, folding in the bytes from `seen - REMAINDER` on. */
@inline function fold(bytes: usize, seen: usize, out: usize, count: usize): void {
  let from = seen - REMAINDER;
  const end = bytes + count;
  // Sources are at least 145 vectors before their targets: four at a time do not wait for each other.
  while (bytes + 64 <= end) {
    const a = folded(bytes, from);
    const b = folded(bytes + 16, from + 16);
    const c = folded(bytes + 32, from + 32);
    const d = folded(bytes + 48, from + 48);
    v128.store(out, a);
    v128.store(out, b, 16);
    v128.store(out, c, 32);
    v128.store(out, d, 48);
    bytes += 64; from += 64; out += 64;
  }
  while (bytes < end) {
    v128.store(out, folded(bytes, from));
    bytes += 16; from += 16; out += 16;
  }
}

@inline function folded(bytes: usize, from: usize): v128 {
  const a = v128.xor(v128.load(bytes), v128.load(from));
  const b = v128.xor(v128.load(from, 16 * (300 - 211)), v128.load(from, 16 * (300 - 183)));
  return v128.xor(v128.xor(a, b), v128.load(from, 16 * (300 - 145)));
}
