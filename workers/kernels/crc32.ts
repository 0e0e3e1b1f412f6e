// CRC-32 (that of zip and zlib) of long bytes, without tables: a multiple of its polynomial with five
// terms says that 16 bytes may be moved 145, 183, 211 and 300 times 16 bytes on, by xor, and the sum
// stays. So all but the last 4,800 bytes go into those that follow. The idea is that of Chorba
// (Russell, "Chorba: a novel CRC32 implementation", arXiv:2412.16398); the multiple was searched for
// among those whose terms lie whole vectors apart: x^(300·128) + x^(155·128) + x^(117·128) +
// x^(89·128) + 1. What is left has the same CRC-32, and is short.

/** Of what is left, but for bytes that do not fill a vector. */
const KEPT: usize = 16 * 300;
/** Folded between two looks at what is left; with that, less than half of a first cache. */
const BLOCK: usize = 16 * 1280;

/** Bytes of `room`. */
export const FOLD_ROOM: usize = KEPT + BLOCK + 16;

/**
 * Folds the `length` bytes at `bytes`, 9,600 or more, into 4,800 to 4,815 of the same CRC-32.
 * @param room FOLD_ROOM bytes, of which the result takes those from 9,600 on
 * @returns its length
 */
export function foldCrc32(bytes: usize, length: usize, room: usize): usize {
  const out = room + KEPT;
  const tail = length & 15;
  const end = bytes + length - tail - KEPT;
  memory.fill(room, 0, KEPT);
  // Sums begin with ones instead of zeros: what comes from before the first bytes.
  store<u32>(room, 0xffffffff);
  while (bytes < end) {
    const count = min(end - bytes, BLOCK);
    fold(bytes, out, out, count);
    memory.copy(room, room + count, KEPT);
    bytes += count;
  }
  // What is left stays where it is: there, it gives nothing to what follows it.
  memory.fill(out, 0, KEPT);
  const left = out + KEPT;
  fold(bytes, out, left, KEPT);
  store<u32>(left, load<u32>(left) ^ 0xffffffff);
  memory.copy(left + KEPT, bytes + KEPT, tail);
  return KEPT + tail;
}

/** `count` bytes to `out`, with what those of the KEPT bytes before `seen`, and after it, give them. */
// @ts-ignore: decorator
@inline function fold(bytes: usize, seen: usize, out: usize, count: usize): void {
  let from = seen - KEPT;
  const end = bytes + count;
  // What gives lies 145 vectors before what takes: four at a time do not wait for each other.
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

// @ts-ignore: decorator
@inline function folded(bytes: usize, from: usize): v128 {
  const a = v128.xor(v128.load(bytes), v128.load(from));
  const b = v128.xor(v128.load(from, 16 * (300 - 211)), v128.load(from, 16 * (300 - 183)));
  return v128.xor(v128.xor(a, b), v128.load(from, 16 * (300 - 145)));
}
