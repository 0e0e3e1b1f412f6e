// Usual doubles, 1e-5 to 1e14, in their shortest decimal form: the same bytes as shortest.ts, in two
// steps of which neither branches on digits. Many numbers take the first step before any takes the
// second, so that a processor works on several at once.
//
// For v = c x 2^q let 10^k <= 2^q < 10^(k+1): decimals of k + 1 and fewer places are further apart
// than doubles are, so at most one of them reads back as v. v / 10^(k+1) is a product with a number of
// 86 bits or less that is exact, and is taken with 32 bits of fraction:
//
//   the whole part       candidate with one digit less, if the fraction is below half a unit of v's
//                        last place; its successor, if one less the fraction is
//   else fraction x 10   rounded, is the last digit: a tenth is finer than a unit of v's last place
//
// Less than 3 units of 2^-32 are cut off. Where that could matter (one number in 20 million), and for
// powers of two, with neighbours that are not equally far, shortest.ts decides.

import {
  EXPONENT_BYTES,
  EXPONENTS,
  EXPONENTS_COUNT,
  LAYOUT_BYTES,
  LAYOUTS,
  LEAST_EXPONENT,
} from "./decimal-tables";
import { ZERO } from "./digits";

const MANTISSA: u64 = 0xfffffffffffff;
const HIDDEN: u64 = 0x10000000000000;
const LOW: u64 = 0xffffffff;
const MINUS: u8 = 45;
/** Fractions this near to a limit are left to shortest.ts, in units of 2^-32; ten times that for tenths. */
const DOUBT: u64 = 4;

/** Results of the first step: sixteen digits in halves of eight, and the word at DIGIT_AT. */
const HALVES_AT: usize = 0;
const DIGIT_AT: usize = 8;
const LAYOUT_AT: usize = 12;
/** Parts of the word at DIGIT_AT: the last digit as a byte, whether it is a digit of its own, the sign. */
const IS_LAST: u32 = 0x10000;
const SIGN_SHIFT: u32 = 24;

/** Factors of the divisions below, a vector each. */
const FACTORS: usize = memory.data<u32>([
  109951163, 109951163, 109951163, 109951163, // / 10^4, after 40 bits
  1, 4294957296, 1, 4294957296, // 1, -10^4
  5243, 5243, 5243, 5243, // / 100, after 19 bits
  4288413697, 4288413697, 4288413697, 4288413697, // 1 - (100 << 16)
  6750311, 6750311, 6750311, 6750311, // / 10, after 10 bits
  4127323649, 4127323649, 4127323649, 4127323649, // 1 - (10 << 8)
  808464432, 808464432, 808464432, 808464432, // '0'
], 16);

/** The first step. @returns whether |x| is such a number; then `at`, 16 bytes, is for `writeDecimal` */
@inline export function takeDecimal(bits: u64, at: usize): bool {
  const mantissa = bits & MANTISSA;
  const exponent = (<u32>(bits >> 52) & 0x7ff) - LEAST_EXPONENT;
  if (exponent >= EXPONENTS_COUNT || mantissa == 0) return false;
  const entry = EXPONENTS + exponent * EXPONENT_BYTES;
  const c = (mantissa | HIDDEN) << 10;
  const high = c >> 32, low = c & LOW;
  const t0 = <u64>load<u32>(entry, 8), t1 = <u64>load<u32>(entry), t2 = <u64>load<u32>(entry, 4);
  const middle = high * t1 + low * t2 + ((low * t1) >> 32) + ((high * t0) >> 32);
  const fraction = middle & LOW, half = <u64>load<u32>(entry, 12);
  const below = fraction - half, above = fraction + half;
  const tenths = fraction * 10 + 0x80000000;
  if (below + DOUBT <= 2 * DOUBT) return false;
  if (<u32>above + <u32>DOUBT <= <u32>(2 * DOUBT)) return false;
  if (<u32>tenths + <u32>(10 * DOUBT) <= <u32>(20 * DOUBT)) return false;
  const isUp = above >> 32;
  const whole = high * t2 + (middle >> 32) + isUp;
  const isShort = <u32>isUp | <u32>(below >> 63);
  const upper = whole / 100000000;
  store<u64>(at, upper | (whole - upper * 100000000) << 32, HALVES_AT);
  const digit = (isShort - 1) & (<u32>(tenths >> 32) | IS_LAST);
  store<u32>(at, digit | ZERO | <u32>(bits >> 63) << SIGN_SHIFT, DIGIT_AT);
  const isCut = <u32>(upper < 10000000);
  store<u32>(at, LAYOUTS + load<u32>(entry, 16) + isCut * LAYOUT_BYTES, LAYOUT_AT);
  return true;
}

/**
 * The second step: writes a number (at most VALUE_BYTES are touched). Two numbers below 10^8 become four
 * below 10^4, eight below 100 and sixteen digits, each step a product with a divisor's inverse that is
 * exact in that range. There is no branch on digits, which would often be mispredicted.
 * @returns the end
 */
@inline export function writeDecimal(p: usize, at: usize): usize {
  const halves = v128.load64_splat(at, HALVES_AT);
  const last = load<u32>(at, DIGIT_AT);
  const layout = <usize>load<u32>(at, LAYOUT_AT);
  const q4 = i64x2.shr_u(i64x2.extmul_low_i32x4_u(halves, v128.load(FACTORS)), 40);
  const pairs = i32x4.mul(v128.shuffle<u32>(q4, q4, 0, 0, 2, 2), v128.load(FACTORS, 16));
  const n4 = i32x4.add(v128.shuffle<u32>(i32x4.splat(0), halves, 0, 4, 1, 5), pairs);
  const q2 = i32x4.shr_u(i32x4.mul(n4, v128.load(FACTORS, 32)), 19);
  const n2 = i32x4.add(i32x4.shl(n4, 16), i32x4.mul(q2, v128.load(FACTORS, 48)));
  const q1 = i16x8.shr_u(i16x8.mul(n2, v128.load(FACTORS, 64)), 10);
  const digits = i16x8.add(i16x8.shl(n2, 8), i16x8.mul(q1, v128.load(FACTORS, 80)));
  const some = <u32>i8x16.bitmask(i8x16.gt_s(digits, i8x16.splat(0))) | (last & IS_LAST);
  const count: i32 = 32 - clz(some);
  const text = v128.or(digits, v128.load(FACTORS, 96));
  store<u8>(p, MINUS);
  const start = p + (last >> SIGN_SHIFT);
  store<u64>(start, 0x3030303030302e30); // 0.000000
  const first = start + load<u32>(layout, 32), added = load<i32>(layout, 36);
  v128.store(first + added, text);
  store<u8>(first + added, <u8>last, 16);
  v128.store(first, v128.or(i8x16.swizzle(text, v128.load(layout)), v128.load(layout, 16)));
  return first + select<i32>(count + added, load<i32>(layout, 44), count > load<i32>(layout, 40));
}
