// Decimals as doubles, each the nearest to what is written. Eight digits are read at a time. What is
// exact in two doubles is rounded once (W. D. Clinger, How to Read Floating Point Numbers Accurately,
// 1990); the rest is a product with the first 128 bits of a power of ten (D. Lemire, Number Parsing at
// a Gigabyte per Second, 2021, as Go's strconv has it), which tells where it cannot decide.

import { mulhi } from "../text/digits";
import { LEAST_POWER, POWERS } from "../text/powers-of-ten";

const ZEROS: u64 = 0x3030303030303030;
const POINT: u8 = 46;
const MINUS: u8 = 45;
const PLUS: u8 = 43;
const LOWER_E: u8 = 101;

/** Any number of so many digits is less than 2^64. */
const DIGITS_MAX: u32 = 19;
const EXPONENT_DIGITS_MAX: u32 = 4;
const EXACT: u64 = 9007199254740992; // 2^53
const EXACT_POWER_MAX: i32 = 22;
/** Greater ones make no double. */
const POWER_MAX: i32 = 308;
const BIAS: i32 = 1023;

const EXACT_POWERS: usize = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  1e19, 1e20, 1e21, 1e22,
]);
const WHOLE_POWERS: usize = memory.data<u64>([1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000]);

/** 10^exponent, exponent at most 8. */
@inline export function wholePower(exponent: u32): u64 { return load<u64>(WHOLE_POWERS + (exponent << 3)); }

/** The bytes from p on, those that are digits as 0 to 9. */
@inline export function digitsAt(p: u32): u64 { return load<u64>(p) ^ ZEROS; }

/** How many of the first bytes are digits: 0 to 8. */
@inline export function countDigits(word: u64): u32 {
  return <u32>(ctz(((word + 0x7676767676767676) | word) & 0x8080808080808080) >> 3);
}

/** The first `count` digits as a number, count in [1, 8]. */
@inline export function numberOf(word: u64, count: u32): u64 {
  word <<= 64 - (count << 3);
  word = ((word * 2561) >> 8) & 0x00ff00ff00ff00ff; // pairs
  word = ((word * 6553601) >> 16) & 0x0000ffff0000ffff; // fours
  return (word * 42949672960001) >> 32;
}

/**
 * Reads `[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?` at p, behind which stands a byte that is no digit; up
 * to seven more may be read. Stores the number at `to`, NaN where it takes another way to tell.
 * @returns the end, 0 where there is no such number
 */
export function readDecimal(p: u32, to: usize): u32 {
  const sign = load<u8>(p);
  if (sign == MINUS || sign == PLUS) p++;
  const first = p;
  let mantissa: u64 = 0;
  let word = digitsAt(p), count = countDigits(word);
  while (count == 8) {
    mantissa = mantissa * 100000000 + numberOf(word, 8);
    p += 8;
    word = digitsAt(p);
    count = countDigits(word);
  }
  if (count != 0) mantissa = mantissa * wholePower(count) + numberOf(word, count);
  p += count;
  let digits = p - first;
  let scale: i32 = 0;
  if (load<u8>(p) == POINT) {
    const fraction = ++p;
    word = digitsAt(p);
    count = countDigits(word);
    while (count == 8) {
      mantissa = mantissa * 100000000 + numberOf(word, 8);
      p += 8;
      word = digitsAt(p);
      count = countDigits(word);
    }
    if (count != 0) mantissa = mantissa * wholePower(count) + numberOf(word, count);
    p += count;
    digits += p - fraction;
    scale = -<i32>(p - fraction);
  }
  if (digits == 0) return 0;
  let isKnown = digits <= DIGITS_MAX || isShort(first, digits);
  if ((load<u8>(p) | 32) == LOWER_E) {
    const exponentSign = load<u8>(++p);
    if (exponentSign == MINUS || exponentSign == PLUS) p++;
    word = digitsAt(p);
    count = countDigits(word);
    if (count == 0) return 0;
    if (count <= EXPONENT_DIGITS_MAX) {
      const exponent = <i32>numberOf(word, count);
      scale += exponentSign == MINUS ? -exponent : exponent;
    } else isKnown = false;
    p += count;
    while ((count = countDigits(digitsAt(p))) != 0) p += count;
  }
  const size = isKnown ? toDouble(mantissa, scale) : NaN;
  store<f64>(to, sign == MINUS ? -size : size);
  return p;
}

/** Whether the digits from p on, one of which may follow a point, are short without the zeros before them. */
function isShort(p: u32, digits: u32): bool {
  for (; digits > DIGITS_MAX; p++) {
    const byte = load<u8>(p);
    if (byte == POINT) continue;
    if (byte != 48) return false;
    digits--;
  }
  return true;
}

/** mantissa x 10^scale; NaN where it takes another way to tell. */
@inline function toDouble(mantissa: u64, scale: i32): f64 {
  if (mantissa <= EXACT && scale <= 0 && scale >= -EXACT_POWER_MAX) {
    return <f64>mantissa / load<f64>(EXACT_POWERS + (<usize>-scale << 3));
  }
  return toDoubleByBits(mantissa, scale);
}

function toDoubleByBits(mantissa: u64, scale: i32): f64 {
  if (mantissa == 0) return 0;
  if (scale < LEAST_POWER || scale > POWER_MAX) return NaN;
  if (mantissa <= EXACT && scale >= 0 && scale <= EXACT_POWER_MAX) {
    return <f64>mantissa * load<f64>(EXACT_POWERS + (<usize>scale << 3));
  }
  const power = POWERS + (<usize>(scale - LEAST_POWER) << 4);
  const zeros = <u32>clz(mantissa);
  const m = mantissa << zeros;
  let high = mulhi(m, load<u64>(power)), low = m * load<u64>(power);
  if ((high & 0x1ff) == 0x1ff && low + m < m) {
    // The bits of the power that were left out could carry.
    const high2 = mulhi(m, load<u64>(power, 8)), low2 = m * load<u64>(power, 8);
    const sum = low + high2;
    if (sum < low) high++;
    if ((high & 0x1ff) == 0x1ff && sum + 1 == 0 && low2 + m < m) return NaN;
    low = sum;
  }
  const isLong = high >> 63;
  let bits = high >> (isLong + 9); // 54 of them
  let exponent = ((217706 * scale) >> 16) + 64 + BIAS - <i32>zeros - <i32>(1 ^ isLong);
  if (low == 0 && (high & 0x1ff) == 0 && (bits & 3) == 1) return NaN; // half way, perhaps
  bits = (bits + (bits & 1)) >> 1;
  if (bits >> 53 != 0) {
    bits >>= 1;
    exponent++;
  }
  if (exponent < 1 || exponent > 2046) return NaN;
  return reinterpret<f64>(<u64>exponent << 52 | (bits & 0xfffffffffffff));
}
