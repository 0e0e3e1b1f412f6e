// Texts of names and values, {"app":"cart","tier":"web"}, as rows of stored sets have them: a label as a
// text of its own, and the pairs that several rows share.
//
//   offsets, bytes   texts of a dictionary, u32 each and one more; code 0 is the empty text
//   used             one byte a code, 0 for texts that no row has
//
// Plain texts alone are read: ASCII without blanks between members and without escapes, no name twice and none
// that begins with a digit, as objects put such names first. For others ODD_LABELS is told.

import { addText, FULL, TextTable } from "./texts";
import { MIXED_CODES } from "../columns/codes";

/** The text is not plain. */
export const ODD_LABELS: u32 = 0xfffffffe;

const QUOTE: u8 = 34, COMMA: u8 = 44, COLON: u8 = 58, EQUALS: u8 = 61, BACKSLASH: u8 = 92;
const OPEN: u8 = 123, CLOSE: u8 = 125;
const BLANK: u8 = 32, DELETE: u8 = 127, UNDERSCORE: u8 = 95;
/** From a capital to its small letter. */
const CASE: u8 = 32;

/** After the name where an object has several that are written alike: `_conflict` and digits. */
const CONFLICT = memory.data<u8>([95, 99, 111, 110, 102, 108, 105, 99, 116]);
const CONFLICT_BYTES: usize = 9;

/** The quote that ends a string which begins at `at`; 0 where there is none, or another byte than plain ASCII. */
@inline function closingQuote(at: usize, end: usize): usize {
  for (; at < end; at++) {
    const byte = load<u8>(at);
    if (byte == QUOTE) return at;
    if (byte < BLANK || byte >= DELETE || byte == BACKSLASH) return 0;
  }
  return 0;
}

@inline function isDigit(byte: u8): bool {
  return byte - 48 < 10;
}

/** The end of the name of the pair that begins at `at`; 0: it is not plain. */
@inline function endOfName(at: usize, end: usize): usize {
  if (load<u8>(at) != QUOTE || isDigit(load<u8>(at + 1))) return 0;
  const nameEnd = closingQuote(at + 1, end);
  if (nameEnd == 0 || load<u8>(nameEnd + 1) != COLON || load<u8>(nameEnd + 2) != QUOTE) return 0;
  return nameEnd;
}

@inline function equal(a: usize, b: usize, bytes: usize): bool {
  for (let i: usize = 0; i < bytes; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false;
  return true;
}

/** Whether a name is another where bytes that are neither letters, digits nor `_` are `_`. */
@inline function isSpelled(at: usize, bytes: usize, name: usize): bool {
  for (let i: usize = 0; i < bytes; i++) {
    const byte = load<u8>(at + i), letter = byte | 32;
    const isWord = letter - 97 < 26 || isDigit(byte);
    if ((isWord ? byte : UNDERSCORE) != load<u8>(name + i)) return false;
  }
  return true;
}

@inline function isUpper(byte: u8): bool {
  return byte - 65 < 26;
}

@inline function isLowerOrDigit(byte: u8): bool {
  return byte - 97 < 26 || isDigit(byte);
}

function isConflict(at: usize, bytes: usize): bool {
  if (bytes <= CONFLICT_BYTES || !equal(at, CONFLICT, CONFLICT_BYTES)) return false;
  for (let i = CONFLICT_BYTES; i < bytes; i++) if (!isDigit(load<u8>(at + i))) return false;
  return true;
}

/** Whether a name is written like another by kube-state-metrics: `isAlike` of query/filter/label-values.ts. */
function isAlike(at: usize, bytes: usize, name: usize, nameBytes: usize): bool {
  let place: usize = 0, before = UNDERSCORE;
  for (let i: usize = 0; i < bytes; i++) {
    const own = load<u8>(at + i);
    const byte = isUpper(own) || isLowerOrDigit(own) ? own : UNDERSCORE;
    if (isUpper(byte) && isLowerOrDigit(before)) {
      if (place == nameBytes || load<u8>(name + place) != UNDERSCORE) return false;
      place++;
    }
    if (place == nameBytes) return isConflict(at + i, bytes - i);
    if ((isUpper(byte) ? byte + CASE : byte) != load<u8>(name + place)) return false;
    place++;
    before = byte;
  }
  return place == nameBytes && nameBytes > 0;
}

/** The length of the longest text. */
export function longestText(offsets: usize, count: usize): u32 {
  let longest: u32 = 0;
  for (let i: usize = 0; i < count; i++) {
    longest = max(longest, load<u32>(offsets + (i << 2), 4) - load<u32>(offsets + (i << 2)));
  }
  return longest;
}

/** The value of a label, else that of the first name that is written alike; 0 where there is none, 1 where the text is not plain. */
function valueOf(
  start: usize, end: usize, name: usize, nameBytes: usize, alike: usize, alikeBytes: usize,
): usize {
  if (start == end) return 0;
  let found: usize = 0, foundName: usize = 0, foundBytes: usize = 0;
  let other: usize = 0, otherName: usize = 0, otherBytes: usize = 0;
  let at = start, before = OPEN;
  while (at < end && load<u8>(at) == before) {
    const own = at + 1;
    const nameEnd = endOfName(own, end);
    if (nameEnd == 0) return 1;
    const valueEnd = closingQuote(nameEnd + 3, end);
    if (valueEnd == 0) return 1;
    const bytes = nameEnd - own - 1;
    if (found != 0 && bytes == foundBytes && equal(own + 1, foundName, bytes)) return 1;
    if (other != 0 && bytes == otherBytes && equal(own + 1, otherName, bytes)) return 1;
    if (found == 0 && bytes == nameBytes && isSpelled(own + 1, bytes, name)) {
      found = nameEnd + 3;
      foundName = own + 1;
      foundBytes = bytes;
    } else if (found == 0 && other == 0 && isAlike(own + 1, bytes, alike, alikeBytes)) {
      other = nameEnd + 3;
      otherName = own + 1;
      otherBytes = bytes;
    }
    at = valueEnd + 1;
    before = COMMA;
    if (at == end - 1 && load<u8>(at) == CLOSE) return found != 0 ? found : other;
  }
  return 1;
}

/**
 * Adds a text `name=value` for each used text that has a value for the label, another text for those that have none,
 * from code `from` on. name: as a metrics store spells it. alike: as kube-state-metrics does. scratch: room for the longest text and `name=`.
 * @param out u32 a code: its number in `t`; ODD_LABELS
 * @returns `count`, the code of a text that is not plain, or that for which there is no room in `t`
 */
export function addLabels(
  t: TextTable, offsets: usize, bytes: usize, used: usize, count: u32,
  name: usize, nameBytes: usize, alike: usize, alikeBytes: usize, other: usize, otherBytes: usize,
  scratch: usize, from: u32, out: usize,
): u32 {
  memory.copy(scratch, name, nameBytes);
  store<u8>(scratch + nameBytes, EQUALS);
  const target = scratch + nameBytes + 1;
  for (let code = from; code < count; code++) {
    if (load<u8>(used + code) == 0) continue;
    const text = offsets + (<usize>code << 2);
    const end = bytes + load<u32>(text, 4);
    const value = valueOf(bytes + load<u32>(text), end, name, nameBytes, alike, alikeBytes);
    const place = out + (<usize>code << 2);
    if (value == 1) {
      store<u32>(place, ODD_LABELS);
      return code;
    }
    const length: usize = value == 0 ? 0 : closingQuote(value, end) - value;
    if (length > 0) memory.copy(target, value, length);
    const number = length > 0
      ? addText(t, <u32>scratch, <u32>(nameBytes + 1 + length))
      : addText(t, <u32>other, <u32>otherBytes);
    if (number == FULL) return code;
    store<u32>(place, number);
  }
  return count;
}

/**
 * Lists the pairs of each used text, from code `from` on, as numbers of `t`: `"name":"value"`.
 * starts: u32 a code, and one more: its list in `lists`. names: bytes of the name, u32 a pair of a list.
 * @returns `count`, or the code for which there is no room in `t`; ODD_LABELS where a text is not plain
 */
export function splitLabels(
  t: TextTable, offsets: usize, bytes: usize, used: usize, count: u32,
  from: u32, starts: usize, lists: usize, names: usize,
): u32 {
  for (let code = from; code < count; code++) {
    const first = load<u32>(starts + (<usize>code << 2));
    let last = first;
    const text = offsets + (<usize>code << 2);
    let at = bytes + load<u32>(text);
    const end = bytes + load<u32>(text, 4);
    if (load<u8>(used + code) != 0 && at < end) {
      let before = OPEN, isWhole = false;
      while (at < end && load<u8>(at) == before) {
        const own = at + 1;
        const nameEnd = endOfName(own, end);
        if (nameEnd == 0) return ODD_LABELS;
        const valueEnd = closingQuote(nameEnd + 3, end);
        if (valueEnd == 0) return ODD_LABELS;
        const pair = addText(t, <u32>own, <u32>(valueEnd + 1 - own));
        if (pair == FULL) return code;
        const nameBytes = <u32>(nameEnd - own);
        if (hasName(t, lists, names, first, last, own, nameBytes)) return ODD_LABELS;
        store<u32>(lists + (<usize>last << 2), pair);
        store<u32>(names + (<usize>last << 2), nameBytes);
        last++;
        at = valueEnd + 1;
        before = COMMA;
        isWhole = at == end - 1 && load<u8>(at) == CLOSE;
        if (isWhole) break;
      }
      if (!isWhole) return ODD_LABELS;
    }
    store<u32>(starts + (<usize>code << 2), last, 4);
  }
  return count;
}

/** Whether a pair of the list [first, last) has the name. */
@inline function hasName(
  t: TextTable, lists: usize, names: usize, first: u32, last: u32, at: usize, bytes: u32,
): bool {
  for (let i = first; i < last; i++) {
    if (load<u32>(names + (<usize>i << 2)) != bytes) continue;
    const pair = load<u32>(lists + (<usize>i << 2));
    const own = <usize>t.bytes + load<u32>(<usize>t.offsets + (<usize>pair << 2));
    if (equal(own, at, bytes)) return true;
  }
  return false;
}

/**
 * The pairs that the texts of a group share, in the order of its first text, for groups of MIXED_CODES.
 * found: (group, code) u32 each, from the first row on. common: of `commonCodes`.
 * work: room for `longest` pairs a group. lengths: u32 a group, pairs + 1, 0 at first.
 */
export function agreeLabels(
  found: usize, count: usize, common: usize, groups: u32, starts: usize, lists: usize, longest: u32,
  work: usize, lengths: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const group = load<u32>(found + (i << 3));
    if (group >= groups || load<i32>(common + (<usize>group << 2)) != MIXED_CODES) continue;
    const start = starts + (<usize>load<u32>(found + (i << 3), 4) << 2);
    const first = lists + (<usize>load<u32>(start) << 2), end = lists + (<usize>load<u32>(start, 4) << 2);
    const own = work + (<usize>group * longest << 2), length = lengths + (<usize>group << 2);
    const known = load<u32>(length);
    if (known == 0) {
      memory.copy(own, first, end - first);
      store<u32>(length, <u32>((end - first) >> 2) + 1);
      continue;
    }
    let kept: u32 = 0;
    for (let at: u32 = 0; at < known - 1; at++) {
      const pair = load<u32>(own + (<usize>at << 2));
      for (let other = first; other < end; other += 4) {
        if (load<u32>(other) != pair) continue;
        store<u32>(own + (<usize>kept << 2), pair);
        kept++;
        break;
      }
    }
    store<u32>(length, kept + 1);
  }
}

/**
 * Adds what the rows of each group share, from group `from` on: their text, or the text of the pairs in groups of
 * MIXED_CODES. pairs: of `splitLabels`. offsets: 0 where codes are numbers of `t`. scratch: room for the longest text.
 * @param out u32 a group: the text's number in `t`
 * @returns `groups`, or the group for which there is no room in `t`
 */
export function addAgreed(
  t: TextTable, offsets: usize, bytes: usize, pairs: TextTable, common: usize, groups: u32, longest: u32,
  work: usize, lengths: usize, scratch: usize, from: u32, out: usize,
): u32 {
  for (let group = from; group < groups; group++) {
    const code = load<i32>(common + (<usize>group << 2));
    if (code != MIXED_CODES) {
      let known: u32 = max<i32>(code, 0);
      if (known != 0 && offsets != 0) {
        const text = offsets + (<usize>known << 2), start = load<u32>(text);
        known = addText(t, <u32>bytes + start, load<u32>(text, 4) - start);
        if (known == FULL) return group;
      }
      store<u32>(out + (<usize>group << 2), known);
      continue;
    }
    const own = work + (<usize>group * longest << 2);
    const length = load<u32>(lengths + (<usize>group << 2));
    let at = scratch;
    for (let i: u32 = 0; i + 1 < length; i++) {
      store<u8>(at++, i == 0 ? OPEN : COMMA);
      const place = <usize>pairs.offsets + (<usize>load<u32>(own + (<usize>i << 2)) << 2);
      const bytes = load<u32>(place, 4) - load<u32>(place);
      memory.copy(at, <usize>pairs.bytes + load<u32>(place), bytes);
      at += bytes;
    }
    if (at > scratch) store<u8>(at++, CLOSE);
    const number = addText(t, <u32>scratch, <u32>(at - scratch));
    if (number == FULL) return group;
    store<u32>(out + (<usize>group << 2), number);
  }
  return groups;
}
