// Passes over values of JSON that nobody asked for, token by token, brackets and all.

import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  fail,
  JsonBytes,
  MORE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  pastBlanks,
  QUOTE,
  textEnd,
  UNEXPECTED,
} from "./json-bytes";

/** Brackets are more than DEPTH_MAX deep. */
export const TOO_DEEP: i32 = -3;
const DEPTH_MAX: u32 = 60;

/** What may come next. */
export const VALUE: u32 = 0;
const FIRST_ITEM: u32 = 1;
const FIRST_NAME: u32 = 2;
const NAME: u32 = 3;
const AFTER: u32 = 4;

const TRUE: u32 = 0x65757274; // 'true'
const FALSE: u32 = 0x736c6166; // 'fals'
const NULL: u32 = 0x6c6c756e; // 'null'
const ZERO: u8 = 48;
const POINT: u8 = 46;
const MINUS: u8 = 45;
const PLUS: u8 = 43;
const LOWER_E: u8 = 101;

/** A value that is passed over, of whatever is read. */
@unmanaged
export class JsonSkip extends JsonBytes {
  /** VALUE and so on */
  expects: u32;
  /** brackets that are open */
  depth: u32;
  /** a bit each, the innermost the lowest: an array */
  arrays: u64;
}

/** @returns whether the value is passed; else the status says why not, and `at` where to go on */
export function skipValue(s: JsonSkip): bool {
  while (true) {
    const p = pastBlanks(s.at);
    s.at = p;
    const next = step(s, p, load<u8>(p));
    if (next == 0) return false;
    s.at = next;
    s.textKnown = 0;
    if (s.depth == 0 && s.expects == AFTER) return true;
  }
}

/** @returns behind the token at p, or 0 */
function step(s: JsonSkip, p: u32, byte: u8): u32 {
  const isInArray = (s.arrays & 1) != 0;
  switch (s.expects) {
    case AFTER:
      if (byte == COMMA) {
        s.expects = isInArray ? VALUE : NAME;
        return p + 1;
      }
      return close(s, p, byte, isInArray ? CLOSE_ARRAY : CLOSE_OBJECT);
    case FIRST_NAME:
      if (byte == CLOSE_OBJECT) return close(s, p, byte, CLOSE_OBJECT);
    case NAME:
      return byte == QUOTE ? name(s, p) : fail(s, p, UNEXPECTED);
    case FIRST_ITEM:
      if (byte == CLOSE_ARRAY) return close(s, p, byte, CLOSE_ARRAY);
    default:
      return value(s, p, byte);
  }
}

function close(s: JsonSkip, p: u32, byte: u8, expected: u8): u32 {
  if (byte != expected) return fail(s, p, UNEXPECTED);
  s.depth--;
  s.arrays >>= 1;
  s.expects = AFTER;
  return p + 1;
}

function name(s: JsonSkip, p: u32): u32 {
  const to = textEnd(s, p + 1);
  if (to == 0) return 0;
  const colon = pastBlanks(to + 1);
  if (load<u8>(colon) != COLON) return fail(s, colon, UNEXPECTED);
  s.expects = VALUE;
  return colon + 1;
}

function value(s: JsonSkip, p: u32, byte: u8): u32 {
  if (byte == OPEN_ARRAY || byte == OPEN_OBJECT) {
    if (s.depth == DEPTH_MAX) return fail(s, p, TOO_DEEP);
    s.depth++;
    s.arrays = s.arrays << 1 | <u64>(byte == OPEN_ARRAY);
    s.expects = byte == OPEN_ARRAY ? FIRST_ITEM : FIRST_NAME;
    return p + 1;
  }
  let end: u32;
  if (byte == QUOTE) {
    end = textEnd(s, p + 1);
    if (end != 0) end++;
  } else end = wordOrNumber(s, p);
  if (end != 0) s.expects = AFTER;
  return end;
}

/** @returns behind it, or 0 */
function wordOrNumber(s: JsonSkip, p: u32): u32 {
  const end = wordEnd(s, p);
  if (end == 0) return 0;
  const word = load<u32>(p);
  if (end - p == 4 && (word == TRUE || word == NULL)) return end;
  if (end - p == 5 && word == FALSE && load<u8>(p, 4) == LOWER_E) return end;
  const wrong = pastNumber(p);
  return wrong == end ? end : fail(s, wrong, UNEXPECTED);
}

/** @returns the byte that ends the number or word at p, or 0 */
export function wordEnd(j: JsonBytes, p: u32): u32 {
  const from = p;
  while (true) {
    const byte = load<u8>(p);
    if (byte <= 32 || byte == COMMA || byte == COLON || byte == QUOTE) break;
    if (byte == OPEN_ARRAY || byte == CLOSE_ARRAY || byte == OPEN_OBJECT || byte == CLOSE_OBJECT) break;
    p++;
  }
  if (p >= j.end) return fail(j, j.end, MORE);
  return p == from ? fail(j, p, UNEXPECTED) : p;
}

/** @returns the first byte that the number at p, as JSON has it, does not go on with; p itself: there is none */
export function pastNumber(p: u32): u32 {
  const from = p;
  if (load<u8>(p) == MINUS) p++;
  let end = load<u8>(p) == ZERO ? p + 1 : pastDigits(p);
  if (end == p) return from;
  if (load<u8>(end) == POINT) {
    p = end + 1;
    end = pastDigits(p);
    if (end == p) return from;
  }
  if ((load<u8>(end) | 32) != LOWER_E) return end;
  p = end + 1;
  if (load<u8>(p) == MINUS || load<u8>(p) == PLUS) p++;
  end = pastDigits(p);
  return end == p ? from : end;
}

function pastDigits(p: u32): u32 {
  while (<u32>load<u8>(p) - ZERO <= 9) p++;
  return p;
}
