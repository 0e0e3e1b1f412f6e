// Texts of a dictionary as JSON strings or as cells of CSV, each once, so that rows only copy them.
// `measureTexts` comes first and finds the room they need, then `escapeTexts`.
//
//   offsets   one u32 a text, and one more: its start in `bytes`
//   used      one bit a text, in u32 words: texts that no row has are left empty

import { copyText } from "./rows";

/** As JSON.stringify writes them (ECMA-262, 25.5.2.3). */
export const FORM_JSON: u32 = 0;
/** RFC 4180, with an apostrophe before texts that a spreadsheet would run as a formula. */
export const FORM_CSV: u32 = 1;

const QUOTE: u8 = 34;
const BACKSLASH: u8 = 92;
const APOSTROPHE: u8 = 39;
const COMMA: u8 = 44;
const LINE_FEED: u8 = 10;
const RETURN: u8 = 13;

/** Fills outOffsets, one a text and one more. @returns the last one; offsets beyond 4 GiB are void */
export function measureTexts(form: u32, offsets: u32, bytes: u32, used: u32, count: u32, outOffsets: u32): f64 {
  let total: f64 = 0;
  for (let code: u32 = 0; code < count; code++) {
    store<u32>(outOffsets + (code << 2), <u32>total);
    if ((load<u32>(used + (code >> 5 << 2)) >> (code & 31) & 1) == 0) continue;
    const from = bytes + load<u32>(offsets + (code << 2));
    const end = bytes + load<u32>(offsets + (code << 2), 4);
    total += <f64>(form == FORM_JSON ? jsonBytes(from, end) : csvBytes(from, end));
  }
  store<u32>(outOffsets + (count << 2), <u32>total);
  return total;
}

/** Writes the texts that `measureTexts` measured to `out`, after which 16 bytes may be touched. */
export function escapeTexts(form: u32, offsets: u32, bytes: u32, count: u32, outOffsets: u32, out: u32): void {
  for (let code: u32 = 0; code < count; code++) {
    const from = bytes + load<u32>(offsets + (code << 2));
    const end = bytes + load<u32>(offsets + (code << 2), 4);
    const to = out + load<u32>(outOffsets + (code << 2));
    const room = load<u32>(outOffsets + (code << 2), 4) - load<u32>(outOffsets + (code << 2));
    if (room == 0) continue;
    if (form == FORM_JSON) writeJson(to, from, end, room);
    else writeCsv(to, from, end, room);
  }
}

/** Bytes that a byte takes beyond its own in JSON. */
@inline function jsonExtra(byte: u8): u32 {
  if (byte >= 32) return <u32>(byte == QUOTE || byte == BACKSLASH);
  return byte >= 8 && byte <= 13 && byte != 11 ? 1 : 5;
}

function jsonBytes(from: u32, end: u32): u32 {
  let extra: u32 = 2;
  let p = from;
  for (; p + 16 <= end; p += 16) {
    const x = v128.load(p);
    const quotes = v128.or(i8x16.eq(x, i8x16.splat(QUOTE)), i8x16.eq(x, i8x16.splat(BACKSLASH)));
    if (!v128.any_true(v128.or(quotes, i8x16.lt_u(x, i8x16.splat(32))))) continue;
    for (let j: u32 = 0; j < 16; j++) extra += jsonExtra(load<u8>(p + j));
  }
  for (; p < end; p++) extra += jsonExtra(load<u8>(p));
  return end - from + extra;
}

function writeJson(to: u32, from: u32, end: u32, room: u32): void {
  store<u8>(to, QUOTE);
  const plain = end - from;
  if (room == plain + 2) {
    copyText(to + 1, from, plain);
  } else {
    let p = to + 1;
    for (let at = from; at < end; at++) p = writeJsonByte(p, load<u8>(at));
  }
  store<u8>(to + room - 1, QUOTE);
}

function writeJsonByte(p: u32, byte: u8): u32 {
  const extra = jsonExtra(byte);
  if (extra == 0) {
    store<u8>(p, byte);
    return p + 1;
  }
  store<u8>(p, BACKSLASH);
  if (extra == 1) {
    store<u8>(p, byte >= 32 ? byte : letterOf(byte), 1);
    return p + 2;
  }
  store<u32>(p, 0x30303075, 1); // u000
  store<u8>(p, 48 + (byte >> 4), 4);
  store<u8>(p, (byte & 15) + ((byte & 15) < 10 ? 48 : 87), 5);
  return p + 6;
}

/** b, t, n, f or r. */
function letterOf(byte: u8): u8 {
  if (byte == 8) return 98;
  if (byte == 9) return 116;
  if (byte == LINE_FEED) return 110;
  return byte == 12 ? 102 : 114;
}

/** = + - @, a tab, a carriage return (https://owasp.org/www-community/attacks/CSV_Injection). */
@inline function beginsFormula(from: u32, end: u32): bool {
  if (from == end) return false;
  const byte = load<u8>(from);
  return byte == 61 || byte == 43 || byte == 45 || byte == 64 || byte == 9 || byte == RETURN;
}

function csvBytes(from: u32, end: u32): u32 {
  let quotes: u32 = 0;
  let isBare = true;
  let p = from;
  for (; p + 16 <= end; p += 16) {
    const x = v128.load(p);
    const isQuote = i8x16.eq(x, i8x16.splat(QUOTE));
    const parts = v128.or(i8x16.eq(x, i8x16.splat(COMMA)), i8x16.eq(x, i8x16.splat(LINE_FEED)));
    const others = v128.or(parts, i8x16.eq(x, i8x16.splat(RETURN)));
    if (!v128.any_true(v128.or(isQuote, others))) continue;
    isBare = false;
    quotes += popcnt(i8x16.bitmask(isQuote));
  }
  for (; p < end; p++) {
    const byte = load<u8>(p);
    if (byte == QUOTE) quotes++;
    if (byte == QUOTE || byte == COMMA || byte == LINE_FEED || byte == RETURN) isBare = false;
  }
  return end - from + <u32>beginsFormula(from, end) + (isBare ? 0 : 2 + quotes);
}

function writeCsv(to: u32, from: u32, end: u32, room: u32): void {
  const isLed = <u32>beginsFormula(from, end);
  const plain = end - from;
  let p = to;
  const isQuoted = room > plain + isLed;
  if (isQuoted) store<u8>(p++, QUOTE);
  if (isLed) store<u8>(p++, APOSTROPHE);
  if (room <= plain + isLed + 2) {
    p = copyText(p, from, plain);
  } else {
    for (let at = from; at < end; at++) {
      const byte = load<u8>(at);
      if (byte == QUOTE) store<u8>(p++, QUOTE);
      store<u8>(p++, byte);
    }
  }
  if (isQuoted) store<u8>(p, QUOTE);
}
