/** Reads decimal numbers from bytes, as the nearest double, like `JSON.parse`. */

/** Powers of ten that a double holds exactly. */
const POWERS_OF_TEN: readonly number[] = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
/** Ten times this plus nine is still a whole number that a double holds exactly. */
const MANTISSA_MAX = 900_719_925_474_098;
const EXPONENT_MAX = 9999;
const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

const [PLUS, MINUS, POINT, ZERO, UPPER_E, LOWER_E] = [43, 45, 46, 48, 69, 101] as const;

/**
 * The number in `bytes[from, to)`, NaN for anything else. An exact significand and an exact power of ten
 * need one rounding (Clinger, How to Read Floating Point Numbers Accurately, 1990, section 3); longer
 * numbers go to the engine's own parser.
 */
export function parseDecimal(bytes: Uint8Array, from: number, to: number): number {
  const first = bytes[from];
  let at = first === MINUS || first === PLUS ? from + 1 : from;
  let mantissa = 0;
  let digits = 0;
  let fraction = 0;
  let point = false;
  for (; at < to; at++) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit >= 0 && digit <= 9) {
      if (mantissa > MANTISSA_MAX) return parseSlowly(bytes, from, to);
      mantissa = mantissa * 10 + digit;
      digits++;
      if (point) fraction++;
    } else if (bytes[at] === POINT && !point) point = true;
    else break;
  }
  const exponent = at === to ? 0 : readExponent(bytes, at, to);
  const power = exponent - fraction;
  if (digits === 0 || !(power >= -22 && power <= 22)) return parseSlowly(bytes, from, to);
  const scale = POWERS_OF_TEN[Math.abs(power)] ?? Number.NaN;
  const size = power < 0 ? mantissa / scale : mantissa * scale;
  return first === MINUS ? -size : size;
}

/** NaN when `bytes[at, to)` is not an exponent. */
function readExponent(bytes: Uint8Array, at: number, to: number): number {
  if (bytes[at] !== LOWER_E && bytes[at] !== UPPER_E) return Number.NaN;
  const sign = bytes[at + 1];
  let digit = sign === MINUS || sign === PLUS ? at + 2 : at + 1;
  if (digit >= to) return Number.NaN;
  let size = 0;
  for (; digit < to; digit++) {
    const value = (bytes[digit] ?? 0) - ZERO;
    if (!(value >= 0 && value <= 9) || size > EXPONENT_MAX) return Number.NaN;
    size = size * 10 + value;
  }
  return sign === MINUS ? -size : size;
}

function parseSlowly(bytes: Uint8Array, from: number, to: number): number {
  const text = latin1(bytes, from, to);
  return DECIMAL.test(text) ? Number(text) : Number.NaN;
}

/** A value as metrics stores write it: a decimal, `NaN`, `+Inf`, `-Inf`, `Infinity`, `-Infinity`. */
export function parseValue(bytes: Uint8Array, from: number, to: number): number | undefined {
  const value = parseDecimal(bytes, from, to);
  if (value === value) return value;
  switch (latin1(bytes, from, to)) {
    case 'NaN':
      return Number.NaN;
    case '+Inf':
    case 'Inf':
    case 'Infinity':
    case '+Infinity':
      return Infinity;
    case '-Inf':
    case '-Infinity':
      return -Infinity;
    default:
      return undefined;
  }
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
}
