// Doubles with a fixed number of places, as toFixed writes them
// (https://tc39.es/ecma262/#sec-number.prototype.tofixed): of two equally near numbers the greater in
// magnitude. A number that rounds to zero has no sign. All steps are exact:
//
//   |x| = c x 2^-s, c < 2^53. The whole part is c >> s. The fraction f / 2^s times 10^16 has at most
//   107 bits, what is left of it times 10^4 no more than 120: two steps in 128 bits make 20 places.

import { mulhi, SIXTEEN_DIGITS, writePadded, writeWhole, ZERO } from "./digits";

/** Powers of ten for the places of one step, 10^0 to 10^16. */
const TENS: usize = memory.data<u64>([
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000,
  1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000,
]);
const STEP: i32 = 16;
/** 5^16 */
const FIVES: u64 = 152587890625;

@inline function ten(places: i32): u64 { return load<u64>(TENS + (<usize>places << 3)); }

/**
 * Writes x, |x| < 10^21, with `decimals` places in [0, 20] at p (at most VALUE_BYTES are touched).
 * @returns the end
 */
export function writeFixed(p: usize, x: f64, decimals: i32): usize {
  const bits = reinterpret<u64>(x);
  const exponent = <i32>((bits >> 52) & 0x7ff);
  const c = (bits & 0xfffffffffffff) | select<u64>(0x10000000000000, 0, exponent);
  const s = 1075 - select<i32>(exponent, 1, exponent);
  const start = p;
  store<u8>(p, 45); // -
  p += <usize>(bits >> 63);
  if (s <= 0) return writeZeros(writeGreat(p, c, -s), decimals);
  let whole: u64 = s < 64 ? c >> s : 0;
  const fraction = s < 64 ? c & ((<u64>1 << s) - 1) : c;
  // Places of the first step and of the second; the last step rounds.
  const first = min(decimals, STEP), second = decimals - first;
  let upper = scaled(fraction, ten(first), s, second == 0);
  let lower: u64 = 0;
  if (second > 0) {
    lower = scaledRest(fraction, s, second);
    if (lower == ten(second)) {
      lower = 0;
      upper++;
    }
  }
  if (upper == ten(first)) { // also for 10^0: rounding reached the next whole number
    upper = 0;
    whole++;
  }
  if ((whole | upper | lower) == 0) p = start;
  p = writeWhole(p, whole);
  if (decimals == 0) return p;
  store<u8>(p, 46);
  p = writePadded(p + 1, upper, first);
  return second > 0 ? writePadded(p, lower, second) : p;
}

/** fraction x factor / 2^s, rounded down, or to the nearest with ties up. */
@inline function scaled(fraction: u64, factor: u64, s: i32, isRounded: bool): u64 {
  return shifted(mulhi(fraction, factor), fraction * factor, s, isRounded);
}

/** What is below 2^s in fraction x 10^16, x 10^second / 2^s, rounded. */
function scaledRest(fraction: u64, s: i32, second: i32): u64 {
  let high = mulhi(fraction, SIXTEEN_DIGITS), low = fraction * SIXTEEN_DIGITS;
  if (s < 64) {
    high = 0;
    low &= (<u64>1 << s) - 1;
  } else if (s < 128) high &= (<u64>1 << (s - 64)) - 1;
  const factor = ten(second);
  const product = low * factor;
  return shifted(high * factor + mulhi(low, factor), product, s, true);
}

/** (high x 2^64 + low) / 2^s, rounded down, or to the nearest with ties up; the product is < 2^120. */
@inline function shifted(high: u64, low: u64, s: i32, isRounded: bool): u64 {
  if (s > 121) return 0;
  if (isRounded) {
    const at = s - 1;
    const half: u64 = <u64>1 << (at & 63);
    const sum = low + select<u64>(half, 0, at < 64);
    high += select<u64>(0, half, at < 64) + <u64>(sum < low);
    low = sum;
  }
  if (s >= 64) return high >> (s - 64);
  return (high << (64 - s)) | (low >> s);
}

/** c x 2^q as a whole number, q in [0, 17]: below 10^21. */
function writeGreat(p: usize, c: u64, q: i32): usize {
  const upper = (q < 16 ? c >> (16 - q) : c << (q - 16)) / FIVES; // / 10^16
  const lower = (c << q) - upper * SIXTEEN_DIGITS; // what wraps around cancels out
  if (upper == 0) return writeWhole(p, lower);
  return writePadded(writeWhole(p, upper), lower, 16);
}

function writeZeros(p: usize, decimals: i32): usize {
  if (decimals == 0) return p;
  store<u8>(p, 46);
  p++;
  for (let i = 0; i < decimals; i++) store<u8>(p + i, ZERO);
  return p + decimals;
}
