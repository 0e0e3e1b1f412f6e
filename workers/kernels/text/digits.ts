// Decimal digits of whole numbers, sixteen at a time.

/** Bytes that the writer of a number or a moment may touch: a sign, 21 digits, a point, 20 places, slack. */
export const VALUE_BYTES: u32 = 64;

/** 10^16: one more than what fits in sixteen digits. */
export const SIXTEEN_DIGITS: u64 = 10000000000000000;

@inline export const ZERO: u8 = 48; // '0'

/** The upper half of a x b. */
@inline export function mulhi(a: u64, b: u64): u64 {
  const al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
  const m = ah * bl + ((al * bl) >> 32);
  const n = al * bh + (m & 0xffffffff);
  return ah * bh + (m >> 32) + (n >> 32);
}

/**
 * The 16 digits of x < 10^16 as bytes 0 to 9, the first digit first. Halved four times: two numbers
 * below 10^8, four below 10^4, eight below 100, sixteen digits; each division is a product with the
 * divisor's inverse that is exact in that range.
 */
@inline export function digits16(x: u64): v128 {
  const hi = x / 100000000, lo = x - hi * 100000000;
  const v = i64x2.replace_lane(i64x2.splat(hi), 1, lo);
  const n = v128.shuffle<u32>(v, v, 0, 2, 0, 2);
  const q4 = i64x2.shr_u(i64x2.extmul_low_i32x4_u(n, i32x4.splat(109951163)), 40); // / 10^4
  const n4 = v128.shuffle<u32>(q4, q4, 0, 2, 0, 2);
  const r4 = i64x2.sub(v, i64x2.extmul_low_i32x4_u(n4, i32x4.splat(10000)));
  const a = v128.or(q4, i64x2.shl(r4, 32));
  const q2 = i32x4.shr_u(i32x4.mul(a, i32x4.splat(5243)), 19); // / 100
  const b = v128.or(q2, i32x4.shl(i32x4.sub(a, i32x4.mul(q2, i32x4.splat(100))), 16));
  const q1 = i16x8.shr_u(i16x8.mul(b, i16x8.splat(103)), 10); // / 10
  return v128.or(q1, i16x8.shl(i16x8.sub(b, i16x8.mul(q1, i16x8.splat(10))), 8));
}

/** 0 to 15. */
@inline export function places(): v128 {
  return i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/** Writes x < 10^16 without leading zeros at p (16 bytes are touched). @returns the end */
@inline export function writeWhole(p: usize, x: u64): usize {
  const raw = digits16(x);
  const some = <u32>i8x16.bitmask(i8x16.ne(raw, i8x16.splat(0)));
  const zeros = <i32>ctz(some | 0x8000); // 0 itself has one digit
  const text = i8x16.add(raw, i8x16.splat(ZERO));
  v128.store(p, i8x16.swizzle(text, i8x16.add(places(), i8x16.splat(<i8>zeros))));
  return p + 16 - zeros;
}

/** Writes the last `count` of the 16 digits of x < 10^16, count in [1, 16] (16 bytes are touched). */
export function writePadded(p: usize, x: u64, count: i32): usize {
  const text = i8x16.add(digits16(x), i8x16.splat(ZERO));
  v128.store(p, i8x16.swizzle(text, i8x16.add(places(), i8x16.splat(<i8>(16 - count)))));
  return p + count;
}
