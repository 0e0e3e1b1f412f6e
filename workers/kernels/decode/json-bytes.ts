// Tokens of JSON (RFC 8259) in bytes that come piece by piece. Behind a piece stand sixteen zeros, which
// no token has: whatever is read stops there at the latest. A token that is not whole is read again from
// its start once there is more.

export const MORE: i32 = 0;
/** `wrong` is the address of a byte that may not stand there. */
export const UNEXPECTED: i32 = -1;
/** A string has an escape that there is not, or a control character. */
export const BAD_TEXT: i32 = -2;

const TAB: u8 = 9;
const LINE_FEED: u8 = 10;
const RETURN: u8 = 13;
const SPACE: u8 = 32;
export const QUOTE: u8 = 34;
export const COMMA: u8 = 44;
export const COLON: u8 = 58;
export const OPEN_ARRAY: u8 = 91;
export const CLOSE_ARRAY: u8 = 93;
export const OPEN_OBJECT: u8 = 123;
export const CLOSE_OBJECT: u8 = 125;
const BACKSLASH: u8 = 92;
const SLASH: u8 = 47;
const LOWER_B: u8 = 98;
const LOWER_F: u8 = 102;
const LOWER_N: u8 = 110;
const LOWER_R: u8 = 114;
const LOWER_T: u8 = 116;
const LOWER_U: u8 = 117;
const UNIT: u16 = 0x755c; // \u
const NULL: u32 = 0x6c6c756e; // 'null'

/** What is read, and how far it was. */
@unmanaged
export class JsonBytes {
  /** where what is not read yet begins */
  at: u32;
  /** behind the bytes; so many as SLACK behind it are the kernel's */
  end: u32;
  /** why the last token could not be read: MORE or what is wrong */
  status: i32;
  wrong: u32;
  /**
   * of a string that is not whole: where it begins (from `at`), how much of it is known, and whether that has
   * escapes; none of it is known once another token stands at `at`
   */
  textFrom: u32;
  textKnown: u32;
  textEscapes: u32;
  /** whether the string that was read last has escapes */
  hasEscapes: u32;
}

/** Bytes behind the end that are written and read. */
export const SLACK: u32 = 16;

export function endBytes(j: JsonBytes): void {
  store<u64>(j.end, 0);
  store<u64>(j.end, 0, 8);
}

/** @returns 0, with the status: the byte at p is wrong, or not there yet */
export function fail(j: JsonBytes, p: u32, status: i32): u32 {
  j.status = p >= j.end ? MORE : status;
  j.wrong = p;
  return 0;
}

/** The first byte from p on that is no blank. */
@inline export function pastBlanks(p: u32): u32 { return load<u8>(p) > SPACE ? p : pastMore(p); }

function pastMore(p: u32): u32 {
  while (true) {
    const byte = load<u8>(p);
    if (byte != SPACE && byte != LINE_FEED && byte != RETURN && byte != TAB) return p;
    p++;
  }
}

/** @returns behind `null` at p, or 0 */
export function pastNull(j: JsonBytes, p: u32): u32 {
  if (load<u32>(p) == NULL) return p + 4;
  return fail(j, load<u8>(p) == LOWER_N && p + 4 > j.end ? j.end : p, UNEXPECTED);
}

/** @returns behind the escape at q, or 0 */
function pastEscape(j: JsonBytes, q: u32): u32 {
  const kind = load<u8>(q, 1);
  if (kind == LOWER_U) {
    for (let i: u32 = 2; i < 6; i++) if (hexDigit(q + i) > 15) return fail(j, q + i, BAD_TEXT);
    return q + 6;
  }
  return escaped(kind) == 0 ? fail(j, q + 1, BAD_TEXT) : q + 2;
}

/** What a byte stands for behind a backslash; 0 where that is no escape. */
function escaped(kind: u8): u8 {
  switch (kind) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
      return kind;
    case LOWER_B:
      return 8;
    case LOWER_F:
      return 12;
    case LOWER_N:
      return LINE_FEED;
    case LOWER_R:
      return RETURN;
    case LOWER_T:
      return TAB;
    default:
      return 0;
  }
}

/** Above 15: it is none. */
function hexDigit(p: u32): u32 {
  const byte = <u32>load<u8>(p);
  const digit = byte - 48;
  if (digit <= 9) return digit;
  const letter = (byte | 32) - 97;
  return letter < 6 ? letter + 10 : 16;
}

/** @returns the closing quote of the string whose first byte is at p, or 0 */
export function textEnd(j: JsonBytes, p: u32): u32 {
  const isKnown = j.textKnown != 0 && j.textFrom == p - j.at;
  let q = isKnown ? p + j.textKnown : p;
  let escapes: u32 = isKnown ? j.textEscapes : 0;
  const quotes = i8x16.splat(QUOTE), slashes = i8x16.splat(BACKSLASH), spaces = i8x16.splat(SPACE);
  while (true) {
    const bytes = v128.load(q);
    const isQuote = i8x16.eq(bytes, quotes), isSlash = i8x16.eq(bytes, slashes);
    const found = i8x16.bitmask(v128.or(v128.or(isQuote, isSlash), i8x16.lt_u(bytes, spaces)));
    if (found == 0) {
      q += 16;
      continue;
    }
    q += ctz(found);
    const byte = load<u8>(q);
    if (byte == QUOTE) {
      j.hasEscapes = escapes;
      return q;
    }
    const next = byte == BACKSLASH ? pastEscape(j, q) : fail(j, q, BAD_TEXT);
    if (next == 0) {
      if (j.status != MORE) return 0;
      break;
    }
    escapes = 1;
    q = next;
  }
  j.textFrom = p - j.at;
  j.textKnown = q - p;
  j.textEscapes = escapes;
  return fail(j, j.end, MORE);
}

/** Half of a pair of UTF-16 without its other half stands for this, U+FFFD, as everywhere. */
const REPLACEMENT: u32 = 0xfffd;

/** Resolves the escapes of the string from..to where it stands. @returns its end */
export function unescape(from: u32, to: u32): u32 {
  let out = from;
  for (let p = from; p < to;) {
    const byte = load<u8>(p);
    if (byte != BACKSLASH) {
      store<u8>(out++, byte);
      p++;
    } else if (load<u8>(p, 1) != LOWER_U) {
      store<u8>(out++, escaped(load<u8>(p, 1)));
      p += 2;
    } else {
      let unit = unitAt(p);
      p += 6;
      if (unit >> 11 == 0x1b) { // half a pair
        const low = p < to && load<u16>(p) == UNIT ? unitAt(p) : 0;
        if (unit < 0xdc00 && low >> 10 == 0x37) {
          unit = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
          p += 6;
        } else unit = REPLACEMENT;
      }
      out = writeUtf8(out, unit);
    }
  }
  return out;
}

/** The number of the escape at p, backslash and all. */
function unitAt(p: u32): u32 {
  return hexDigit(p + 2) << 12 | hexDigit(p + 3) << 8 | hexDigit(p + 4) << 4 | hexDigit(p + 5);
}

function writeUtf8(out: u32, point: u32): u32 {
  if (point < 0x80) {
    store<u8>(out, <u8>point);
    return out + 1;
  }
  let bytes: u32 = 2 + <u32>(point >= 0x800) + <u32>(point >= 0x10000);
  const end = out + bytes;
  const head: u32 = 0xff00 >> bytes & 0xff;
  while (--bytes > 0) {
    store<u8>(out + bytes, <u8>(0x80 | (point & 0x3f)));
    point >>= 6;
  }
  store<u8>(out, <u8>(head | point));
  return end;
}
