// Texts of dictionaries and of files as numbers of one table, in the order in which they first appear,
// and some of them as a dictionary of their own. A hash table with open addressing: `mask + 1` slots, a
// power of two and twice as many as there is room for texts, u32 each; 0 is free, else number + 1.
// Nothing is grown here.

/** Texts and their numbers. */
@unmanaged
export class TextTable {
  slots: u32;
  mask: u32;
  count: u32;
  /** u32 a text, and one more: its start in `bytes` */
  offsets: u32;
  bytes: u32;
  /** u32 a text */
  hashes: u32;
  /** room in texts, and in bytes */
  textsRoom: u32;
  bytesRoom: u32;
}

/** There is no room for the text. */
export const FULL: u32 = 0xffffffff;

/** The last 8 bytes, or as many as there are. */
@inline function lastWord(at: u32, bytes: u32): u64 {
  if (bytes >= 8) return load<u64>(at + bytes - 8);
  if (bytes >= 4) return <u64>load<u32>(at) | (<u64>load<u32>(at + bytes - 4)) << 32;
  if (bytes == 0) return 0;
  return <u64>load<u8>(at) | (<u64>load<u8>(at + (bytes >> 1))) << 8 | (<u64>load<u8>(at + bytes - 1)) << 16;
}

/** Mixes words by products, as in FxHash, and folds the high bits into the low ones. */
@inline function hashOf(at: u32, bytes: u32): u32 {
  const factor: u64 = 0x9e3779b97f4a7c15;
  let hash: u64 = <u64>bytes * factor;
  for (let i: u32 = 8; i < bytes; i += 8) hash = rotl<u64>(hash ^ load<u64>(at + i - 8), 23) * factor;
  hash = rotl<u64>(hash ^ lastWord(at, bytes), 23) * factor;
  hash ^= hash >> 29;
  hash *= 0xbf58476d1ce4e5b9;
  return <u32>(hash >> 32);
}

@inline function same(a: u32, b: u32, bytes: u32): bool {
  // Names often begin alike: the ends are compared first.
  if (lastWord(a, bytes) != lastWord(b, bytes)) return false;
  for (let i: u32 = 8; i < bytes; i += 8) if (load<u64>(a + i - 8) != load<u64>(b + i - 8)) return false;
  return true;
}

/** Whether the text has the number. */
@inline export function isText(t: TextTable, number: u32, at: u32, length: u32): bool {
  const start = load<u32>(t.offsets + (number << 2));
  const known = load<u32>(t.offsets + (number << 2), 4) - start;
  return known == length && same(t.bytes + start, at, length);
}

/** @returns its number, or FULL */
export function addText(t: TextTable, at: u32, length: u32): u32 {
  const hash = hashOf(at, length);
  let slot = hash & t.mask;
  for (;;) {
    const found = load<u32>(t.slots + (slot << 2));
    if (found == 0) break;
    const number = found - 1;
    if (load<u32>(t.hashes + (number << 2)) == hash && isText(t, number, at, length)) return number;
    slot = (slot + 1) & t.mask;
  }
  const number = t.count;
  const end = load<u32>(t.offsets + (number << 2));
  if (number == t.textsRoom || length > t.bytesRoom - end) return FULL;
  t.count = number + 1;
  store<u32>(t.slots + (slot << 2), number + 1);
  store<u32>(t.hashes + (number << 2), hash);
  memory.copy(t.bytes + end, at, length);
  store<u32>(t.offsets + (number << 2), end + length, 4);
  return number;
}

/**
 * Adds the texts of another dictionary, `count` of them, for which there is room: offsets as above.
 * @param out their numbers here, u32 each
 */
export function mergeTexts(t: TextTable, offsets: u32, bytes: u32, count: u32, out: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const at = bytes + load<u32>(offsets + (i << 2));
    const length = load<u32>(offsets + (i << 2), 4) - load<u32>(offsets + (i << 2));
    store<u32>(out + (i << 2), addText(t, at, length));
  }
}

/** @returns the text's number, or FULL where it has none */
export function findText(t: TextTable, at: u32, length: u32): u32 {
  const hash = hashOf(at, length);
  let slot = hash & t.mask;
  let found = load<u32>(t.slots + (slot << 2));
  while (found != 0) {
    const number = found - 1;
    if (load<u32>(t.hashes + (number << 2)) == hash && isText(t, number, at, length)) return number;
    slot = (slot + 1) & t.mask;
    found = load<u32>(t.slots + (slot << 2));
  }
  return FULL;
}

/**
 * Adds the used texts of another dictionary, from code `from` on: offsets as above.
 * @param used one byte a code, 0 for texts that no row has
 * @param out their numbers here, u32 a code; others stay
 * @returns `count`, or the code for which there is no room
 */
export function addUsed(
  t: TextTable, offsets: u32, bytes: u32, used: u32, count: u32, from: u32, out: u32,
): u32 {
  for (let code = from; code < count; code++) {
    if (load<u8>(used + code) == 0) continue;
    const start = load<u32>(offsets + (code << 2));
    const number = addText(t, bytes + start, load<u32>(offsets + (code << 2), 4) - start);
    if (number == FULL) return code;
    store<u32>(out + (code << 2), number);
  }
  return count;
}

/** Whether all bytes are ASCII, and none is `other`. */
export function isPlain(at: u32, length: u32, other: u32): bool {
  for (const end = at + length; at < end; at++) {
    const byte = <u32>load<u8>(at);
    if (byte > 127 || byte == other) return false;
  }
  return true;
}

/**
 * Writes offsets for a dictionary of the listed texts, `count + 1` u32.
 * @param listed the numbers of the texts, u32 each
 * @returns the bytes of all listed texts
 */
export function placeTexts(offsets: u32, listed: u32, count: u32, out: u32): u32 {
  let bytes: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const from = offsets + (load<u32>(listed + (i << 2)) << 2);
    store<u32>(out + (i << 2), bytes);
    bytes += load<u32>(from, 4) - load<u32>(from);
  }
  store<u32>(out + (count << 2), bytes);
  return bytes;
}

/** The bytes of the listed texts, one after the other. */
export function copyTexts(offsets: u32, bytes: u32, listed: u32, count: u32, out: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const from = offsets + (load<u32>(listed + (i << 2)) << 2);
    const length = load<u32>(from, 4) - load<u32>(from);
    memory.copy(out, bytes + load<u32>(from), length);
    out += length;
  }
}
