import { refuse } from '../fault.ts';

/** Hours of a month in all monthly amounts. */
export const HOURS_PER_MONTH = 730;

/** Milliseconds of each unit; Go's (https://pkg.go.dev/time#ParseDuration) and days and weeks. */
const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3], // U+00B5, micro sign
  ['μs', 1e-3], // U+03BC, Greek mu
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

/** Units that are written, largest first; without weeks, as 7d reads better than 1w. */
const WRITTEN: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

/** Further digits of a fraction are below a millisecond in all units. */
const FRACTION_DIGITS = 15;

/**
 * A positive duration: one or more `<number><unit>`, number with or without a fraction, units ns,
 * us, ms, s, m, h, d (24 h), w (7 d), such as `1d12h` or `1.5h`. Reads each character once.
 *
 * @returns whole milliseconds, rounded, in [1, 2^53)
 * @throws Fault naming `parameter` for anything else, zero and negative ones included
 */
export function parseDuration(text: string, parameter: string): number {
  const durationMs = readDuration(text.trim());
  if (durationMs !== undefined) return durationMs;
  const accepted = 'a duration above zero: <number><unit>, units ms, s, m, h, d, w';
  throw refuse(parameter, text, accepted, '90s or 1d12h');
}

/** As `parseDuration`, for grammars that hold a duration: undefined where that one throws. */
export function readDuration(text: string): number | undefined {
  let totalMs = 0;
  let at = 0;
  while (at < text.length) {
    const whole = digitsFrom(text, at);
    const point = text[whole] === '.';
    const fraction = point ? digitsFrom(text, whole + 1) : whole;
    if (fraction === at + (point ? 1 : 0)) return undefined; // no digit at all
    const unitEnd = unitFrom(text, fraction);
    const unitMs = UNIT_MS.get(text.slice(fraction, unitEnd));
    if (unitMs === undefined) return undefined;
    totalMs += Number(text.slice(at, whole)) * unitMs;
    if (point) totalMs += scaled(text.slice(whole + 1, fraction), unitMs);
    at = unitEnd;
  }
  const durationMs = Math.round(totalMs);
  return durationMs >= 1 && Number.isSafeInteger(durationMs) ? durationMs : undefined;
}

/**
 * The shortest exact form in one unit, the largest that divides: `1d`, `25h`, `1445m`, `90s`.
 *
 * @param durationMs positive whole milliseconds
 */
export function formatDuration(durationMs: number): string {
  const row = WRITTEN.find(([, unitMs]) => durationMs % unitMs === 0);
  if (row === undefined || durationMs <= 0) throw new Error(`BUG: duration of ${durationMs} ms`);
  return `${durationMs / row[1]}${row[0]}`;
}

function digitsFrom(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

function unitFrom(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '.' && !isDigit(text.charCodeAt(at))) at++;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Computes in whole numbers before one division: .3h is 1,080,000 ms, not 1,079,999.9999999998. */
function scaled(digits: string, unitMs: number): number {
  const used = digits.slice(0, FRACTION_DIGITS);
  return (Number(used) * unitMs) / 10 ** used.length;
}
