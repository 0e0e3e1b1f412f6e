// Plain decimals of at most 2^53, read exactly: one product or quotient of two doubles that are exact
// is rounded once (W. D. Clinger, How to Read Floating Point Numbers Accurately, 1990).

const EXACT: u64 = 9007199254740992;
const POWER_MAX: i32 = 22;
const DIGITS_MAX: i32 = 19;
const POWERS: usize = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  1e19, 1e20, 1e21, 1e22,
]);

const SPACE: u8 = 32;
const MINUS: u8 = 45;
const PLUS: u8 = 43;
const POINT: u8 = 46;
const NULL: u32 = 0x4c4c554e; // 'NULL'

@inline function digit(at: u32): u32 { // above 9: none
  return <u32>load<u8>(at) - 48;
}

/**
 * Reads the number at from..to, with blanks around it; NaN for an empty cell or NULL.
 * @returns false for a cell that is no plain number, or too long to be read exactly here; NaN is stored
 */
export function readNumber(from: u32, to: u32, place: u32): bool {
  while (from < to && load<u8>(from) == SPACE) from++;
  while (from < to && load<u8>(to - 1) == SPACE) to--;
  store<f64>(place, NaN);
  if (from == to || (to - from == 4 && load<u32>(from) == NULL)) return true;
  const isNegative = load<u8>(from) == MINUS;
  if (isNegative || load<u8>(from) == PLUS) from++;
  let mantissa: u64 = 0;
  let digits: i32 = 0; // of the mantissa, at least
  let p = from;
  for (; p < to && digit(p) <= 9; p++) {
    mantissa = mantissa * 10 + digit(p);
    if (mantissa != 0) digits++;
  }
  let seen = p - from;
  let scale: i32 = 0;
  if (p < to && load<u8>(p) == POINT) {
    p++;
    let zeros: i32 = 0; // not yet in the mantissa; those at the end never get there
    for (; p < to && digit(p) <= 9; p++) {
      seen++;
      zeros++;
      if (digit(p) == 0) continue;
      scale += zeros;
      if (mantissa != 0) digits += zeros;
      else digits = 1;
      if (digits > DIGITS_MAX) return false;
      for (; zeros > 0; zeros--) mantissa *= 10;
      mantissa += digit(p);
    }
  }
  if (p != to || seen == 0 || digits > DIGITS_MAX || mantissa > EXACT || scale > POWER_MAX) return false;
  const value = <f64>mantissa / load<f64>(POWERS + (<usize>scale << 3));
  store<f64>(place, isNegative ? -value : value);
  return true;
}
