// The samples of a series in JSON, `[1710028800.123,"1.5"]` each, as times in ms and values.

import { countDigits, digitsAt, numberOf, readDecimal, wholePower } from "./decimal";
import { CLOSE_ARRAY, COMMA, fail, MORE, OPEN_ARRAY, pastBlanks, QUOTE, textEnd } from "./json-bytes";
import { pastNumber, wordEnd } from "./json-skip";
import { MatrixReader } from "./matrix-reader";

/** There is no room for the next sample: call again with more. */
export const SAMPLES_FULL: i32 = 3;
/** An odd number stands at tokenFrom..tokenTo: call again with what it is. */
export const ODD_TIME: i32 = 5;
export const ODD_VALUE: i32 = 6;
/** A sample is not a time and a value. */
export const NOT_PAIR: i32 = -4;

const ZERO: u8 = 48;
const POINT: u8 = 46;
const NAN: u32 = 0x4e614e; // 'NaN'
const PLUS_INF: u32 = 0x666e492b; // '+Inf'
const MINUS_INF: u32 = 0x666e492d; // '-Inf'

/**
 * Reads samples, the first of which is at p, as long as one follows the other. @returns whether it
 * stands at what follows the last one; else at one that it cannot read, and the status says why
 */
export function readPairs(m: MatrixReader, p: u32): bool {
  const times = m.times, values = m.values, room = m.room;
  let samples = m.samples;
  while (true) {
    m.at = p;
    if (samples == room) {
      m.status = SAMPLES_FULL;
      return false;
    }
    let next = readTime(m, pastBlanks(p + 1));
    if (next == 0) return false;
    const ms = m.number;
    next = readValue(m, next);
    if (next == 0) return false;
    const offset = samples << 3;
    const value = m.number;
    store<f64>(times + offset, ms);
    store<f64>(values + offset, value);
    m.samples = ++samples;
    m.textKnown = 0;
    if (value - value != 0) m.nonFinite++;
    p = pastBlanks(next);
    const first = load<u8>(p) == COMMA ? pastBlanks(p + 1) : p;
    if (first == p || load<u8>(first) != OPEN_ARRAY) {
      m.at = p;
      return true;
    }
    p = first;
  }
}

/** Leaves the ms of the time at p in `number`. @returns where its value stands, or 0 */
@inline function readTime(m: MatrixReader, p: u32): u32 {
  // Fast path: up to fifteen digits, and up to three after a point.
  const isPlainFirst = load<u8>(p) != ZERO;
  let next = p;
  let word = digitsAt(next), count = countDigits(word);
  let ms: u64 = 0;
  if (count == 8) {
    ms = numberOf(word, 8);
    next += 8;
    word = digitsAt(next);
    count = countDigits(word);
  }
  if (count != 0) ms = ms * wholePower(count) + numberOf(word, count);
  next += count;
  let isPlain = isPlainFirst && count != 8 && next != p;
  ms *= 1000;
  if (load<u8>(next) == POINT) {
    word = digitsAt(next + 1);
    count = countDigits(word);
    if (count - 1 < 3) ms += numberOf(word, count) * wholePower(3 - count);
    else isPlain = false;
    next += count + 1;
  }
  next = pastBlanks(next);
  if (isPlain && load<u8>(next) == COMMA) {
    m.number = <f64>ms;
    return pastBlanks(next + 1);
  }
  return readOddTime(m, p);
}

/** Any number of seconds. */
function readOddTime(m: MatrixReader, p: u32): u32 {
  const end = numberEnd(m, p);
  if (end == 0) return 0;
  if (m.oddTimeAt == p) m.number = m.oddTime;
  else if (readDecimal(p, numberOfReader(m)) == end && m.number == m.number) {
    m.number = rounded(m.number * 1000);
  } else {
    m.tokenFrom = p;
    m.tokenTo = end;
    m.status = ODD_TIME;
    return 0;
  }
  p = pastBlanks(end);
  if (load<u8>(p) != COMMA || !isFinite(m.number)) return fail(m, p, NOT_PAIR);
  return pastBlanks(p + 1);
}

/** As Math.round of JavaScript, but -0, which no clock shows. */
function rounded(x: f64): f64 {
  const whole = Math.floor(x);
  return (x - whole >= 0.5 ? whole + 1 : whole) + 0;
}

/** Leaves the value at p in `number`. @returns behind the sample, or 0 */
@inline function readValue(m: MatrixReader, p: u32): u32 {
  const isQuoted = load<u8>(p) == QUOTE;
  let end = isQuoted ? readDecimal(p + 1, numberOfReader(m)) : 0;
  if (end == 0 || load<u8>(end) != QUOTE || m.number != m.number) {
    end = isQuoted ? readOddValue(m, p + 1, textEnd(m, p + 1)) : readOddValue(m, p, numberEnd(m, p));
    if (end == 0) return 0;
  }
  end = pastBlanks(end + <u32>isQuoted);
  return load<u8>(end) == CLOSE_ARRAY ? end + 1 : fail(m, end, NOT_PAIR);
}

/** Any value that ends at `end`. @returns that, or 0 */
function readOddValue(m: MatrixReader, from: u32, end: u32): u32 {
  if (end == 0) return 0;
  const bytes = end - from;
  const word = load<u32>(from);
  if (m.oddValueAt == from) m.number = m.oddValue;
  else if (bytes == 3 && (word & 0xffffff) == NAN) m.number = NaN;
  else if (bytes == 4 && word == PLUS_INF) m.number = Infinity;
  else if (bytes == 4 && word == MINUS_INF) m.number = -Infinity;
  else if (readDecimal(from, numberOfReader(m)) != end || m.number != m.number) {
    m.tokenFrom = from;
    m.tokenTo = end;
    m.status = ODD_VALUE;
    return 0;
  }
  return end;
}

/** @returns the end of the number at p, as JSON has it, or 0 */
function numberEnd(m: MatrixReader, p: u32): u32 {
  const end = wordEnd(m, p);
  if (end != 0 && pastNumber(p) == end) return end;
  return end == 0 && m.status == MORE ? 0 : fail(m, p, NOT_PAIR);
}

@inline function numberOfReader(m: MatrixReader): usize {
  return changetype<usize>(m) + offsetof<MatrixReader>("number");
}
