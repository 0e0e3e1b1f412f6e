// Doubles in their shortest decimal form, byte for byte as ECMAScript's Number::toString
// (https://tc39.es/ecma262/#sec-numeric-types-number-tostring), with -0 as 0, as in String(x).
//
// Any double: Schubfach (Raffaello Giulietti, "The Schubfach way to render doubles", 2020), three
// products of 126 bits with a sticky bit. decimals.ts is faster, writes most numbers, and leaves those
// that it cannot decide to this file.

import { digits16, mulhi, places, SIXTEEN_DIGITS, writeWhole, ZERO } from "./digits";
import { LEAST_POWER, POWERS } from "./powers-of-ten";

const MANTISSA: u64 = 0xfffffffffffff;
const HIDDEN: u64 = 0x10000000000000;
const POINT: u8 = 46;
const MINUS: u8 = 45;

/** floor(log10(2^q)), q in [-1080, 980] */
@inline function log10OfPower(q: i32): i32 { return (q * 315653) >> 20; }

/** floor(log10(3/4 x 2^q)): below a power of two doubles are half as far apart as above it */
@inline function log10OfIrregular(q: i32): i32 { return <i32>((<i64>q * 661971961083 - 274743187321) >> 41); }

/** floor(log2(10^e)), e in the table */
@inline function log2OfPower(e: i32): i32 { return (e * 217707) >> 16; }

@inline function power(e: i32): usize { return POWERS + (<usize>(e - LEAST_POWER) << 4); }

/** Writes x, which is finite, at p (at most VALUE_BYTES are touched). @returns the end */
export function writeShortest(p: usize, x: f64): usize {
  const bits = reinterpret<u64>(x);
  if (<i64>bits < 0 && x != 0) {
    store<u8>(p, MINUS);
    p++;
  }
  const exponent = <i32>((bits >> 52) & 0x7ff);
  const whole = exponent - 1023;
  // Fast path: whole numbers below 2^52 are their digits.
  if (<u32>whole < 52 && bits << (12 + whole) == 0) {
    return writeWhole(p, ((bits & MANTISSA) | HIDDEN) >> (52 - whole));
  }
  const mantissa = bits & MANTISSA;
  if (exponent > 0) return exact(p, mantissa | HIDDEN, exponent - 1075, mantissa == 0 && exponent > 1);
  if (mantissa != 0) return exact(p, mantissa, -1074, false);
  store<u8>(p, ZERO);
  return p + 1;
}

/** g x cp / 2^127, g = g1 x 2^63 + g0, with a sticky last bit: Schubfach's `rop`. */
function roundToOdd(g1: u64, g0: u64, cp: u64): u64 {
  const x1 = mulhi(g0, cp), y0 = g1 * cp, y1 = mulhi(g1, cp);
  const z = (y0 >> 1) + x1, w = y1 + (z >> 63);
  return w | (((z & 0x7fffffffffffffff) + 0x7fffffffffffffff) >> 63);
}

/** c x 2^q in all cases. @param isIrregular c is 2^52, so that the double below is nearer */
function exact(p: usize, c: u64, q: i32, isIrregular: bool): usize {
  const k = isIrregular ? log10OfIrregular(q) : log10OfPower(q);
  const h: u64 = q + log2OfPower(-k) + 2;
  const t = power(-k);
  // 126 bits, rounded up, in halves of 63.
  const ph = load<u64>(t), pl = load<u64>(t, 8);
  let g0 = ((ph << 62) | (pl >> 2)) + 1;
  let g1 = (ph >> 2) + <u64>(g0 == 0);
  g1 = (g1 << 1) | (g0 >> 63);
  g0 &= 0x7fffffffffffffff;
  // Four times v and the ends of its interval, which belong to it when c is even.
  const isOdd = c & 1;
  const v = roundToOdd(g1, g0, (c << 2) << h);
  const left = roundToOdd(g1, g0, ((c << 2) - (isIrregular ? 1 : 2)) << h) + isOdd;
  const right = roundToOdd(g1, g0, ((c << 2) + 2) << h) - isOdd;
  let digits = nearest(v, left, right);
  let e = k + 16;
  while (digits < SIXTEEN_DIGITS) {
    digits *= 10;
    e--;
  }
  return writeDigits(p, digits / 10, <u32>(digits % 10), e);
}

/** The decimal in [left, right] with fewest digits, of those the one nearest to v; all times four. */
function nearest(v: u64, left: u64, right: u64): u64 {
  const s = v >> 2;
  if (s >= 10) {
    const below = s / 10 * 10, above = below + 10;
    const isBelow = left <= below << 2, isAbove = above << 2 <= right;
    if (isBelow != isAbove) return isBelow ? below : above;
  }
  const isBelow = left <= s << 2, isAbove = (s + 1) << 2 <= right;
  if (isBelow != isAbove) return isBelow ? s : s + 1;
  const middle = (s << 2) + 2;
  return v < middle || (v == middle && (s & 1) == 0) ? s : s + 1;
}

/**
 * Writes the digits `s` (16, the first not 0) and `last`, without the zeros at their end, as the
 * number s.last x 10^(e - 15).
 */
@inline function writeDigits(p: usize, s: u64, last: u32, e: i32): usize {
  const raw = digits16(s);
  const some = i8x16.bitmask(i8x16.ne(raw, i8x16.splat(0)));
  const count: i32 = select<i32>(17, 32 - clz(some), last);
  const text = v128.or(raw, i8x16.splat(ZERO));
  if (<u32>e < 15) return writeWithPoint(p, text, last, e, count);
  if (e < 0 && e >= -6) {
    store<u64>(p, 0x3030303030302e30); // 0.000000
    p += 1 - e;
    v128.store(p, text);
    store<u8>(p, ZERO + <u8>last, 16);
    return p + count;
  }
  return e >= 15 && e < 21 ? writeLong(p, text, last, e) : writeWithExponent(p, text, last, e, count);
}

/** The point stands among the first 16 digits: those after it move on by one. */
@inline function writeWithPoint(p: usize, text: v128, last: u32, e: i32, count: i32): usize {
  const iota = places();
  const at = i8x16.splat(<i8>(e + 1));
  const moved = i8x16.swizzle(text, i8x16.add(iota, i8x16.gt_s(iota, at)));
  v128.store(p, v128.bitselect(i8x16.splat(POINT), moved, i8x16.eq(iota, at)));
  store<u16>(p, <u32>i8x16.extract_lane_u(text, 15) | (last + ZERO) << 8, 16);
  return p + select<i32>(e + 1, count + 1, count <= e + 1);
}

/** 16 digits or more before the point, e in [15, 20]. */
function writeLong(p: usize, text: v128, last: u32, e: i32): usize {
  v128.store(p, text);
  if (e > 15) {
    store<u8>(p, ZERO + <u8>last, 16);
    store<u32>(p, 0x30303030, 17);
    return p + e + 1;
  }
  if (last == 0) return p + 16;
  store<u16>(p, POINT | (last + ZERO) << 8, 16);
  return p + 18;
}

function writeWithExponent(p: usize, text: v128, last: u32, e: i32, count: i32): usize {
  store<u8>(p, i8x16.extract_lane_u(text, 0));
  store<u8>(p, POINT, 1);
  v128.store(p, i8x16.swizzle(text, i8x16.add(places(), i8x16.splat(1))), 2);
  store<u8>(p, ZERO + <u8>last, 17);
  p += count == 1 ? 1 : count + 1;
  store<u16>(p, e < 0 ? 0x2d65 : 0x2b65); // e- or e+
  return writeWhole(p + 2, <u64>abs(e));
}
