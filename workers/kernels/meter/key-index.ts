// Finds the identity of a series: a hash table with open addressing, over keys made of label values.

import { LabelView, nameIndex, readLabel, TextAt } from "../decode/labels";
import { DAMAGED, SeriesCursor } from "../decode/series";
import { sameBytes } from "../decode/wire";

/** The most parts a key can have. */
const PARTS: u32 = 8;
export const NOT_FOUND: i32 = -11;

/**
 * Keys are `parts` values, each followed by a
 * zero byte; key k stands at keyBytes[keyOffsets[k], keyOffsets[k + 1]).
 */
@unmanaged
export class KeyIndex {
  /** `mask + 1` u32: 0 empty, else key + 1 */
  slots: u32;
  mask: u32;
  keyOffsets: u32;
  keyBytes: u32;
  /** label names to look for, see labels.ts */
  names: u32;
  /** u32 a name: the part it fills; of several that fill one part the first in `names` wins */
  partOfName: u32;
  parts: u32;
  /** a TextAt a part: its value when no label fills it */
  fallbacks: u32;
  /** KEY_SCRATCH_BYTES: a KeyLabel, then a Part for each part */
  scratch: u32;
}

/** The current label. */
@unmanaged
class KeyLabel extends LabelView {
  unused: u32;
}

/** A part of the sought key, and the name that filled it. */
@unmanaged
class Part {
  value: u32;
  bytes: u32;
  name: u32;
}
const PARTS_AT: u32 = <u32>offsetof<KeyLabel>();
export const KEY_SCRATCH_BYTES: u32 = PARTS_AT + PARTS * <u32>offsetof<Part>();

@inline function partAt(parts: u32, part: u32): Part {
  return changetype<Part>(<usize>(parts + part * <u32>offsetof<Part>()));
}

@inline function mix(hash: u32, at: u32, bytes: u32): u32 { // FNV-1a, then a zero byte
  for (let i: u32 = 0; i < bytes; i++) hash = (hash ^ load<u8>(at + i)) * 16777619;
  return hash * 16777619;
}

@inline function finish(hash: u32): u32 {
  hash ^= hash >>> 15;
  hash *= 0x2c1b3c6d;
  return hash ^ (hash >>> 13);
}

/** Enters keys 0..count-1, which must differ, into `slots`, which must be zero and have free ones. */
export function indexKeys(index: KeyIndex, count: u32): void {
  for (let key: u32 = 0; key < count; key++) {
    const from = load<u32>(index.keyOffsets + (key << 2));
    const bytes = load<u32>(index.keyOffsets + (key << 2), 4) - from;
    let hash: u32 = 2166136261;
    for (let i: u32 = 0; i < bytes; i++) hash = (hash ^ load<u8>(index.keyBytes + from + i)) * 16777619;
    let slot = finish(hash) & index.mask;
    while (load<u32>(index.slots + (slot << 2)) != 0) slot = (slot + 1) & index.mask;
    store<u32>(index.slots + (slot << 2), key + 1);
  }
}

/** The key that the labels at labels..labelsEnd spell, or NOT_FOUND, or DAMAGED. */
export function findKey(index: KeyIndex, labels: u32, labelsEnd: u32): i32 {
  const parts = index.scratch + PARTS_AT;
  for (let part: u32 = 0; part < index.parts; part++) {
    const entry = partAt(parts, part);
    const fallback = changetype<TextAt>(<usize>(index.fallbacks + part * <u32>offsetof<TextAt>()));
    entry.value = fallback.address;
    entry.bytes = fallback.bytes;
    entry.name = 0xffffffff;
  }
  const view = changetype<LabelView>(<usize>index.scratch);
  for (let at = labels; at < labelsEnd; at = view.next) {
    if (!readLabel(view, at, labelsEnd)) return DAMAGED;
    const name = nameIndex(index.names, view);
    if (name < 0 || view.valueBytes == 0) continue;
    const entry = partAt(parts, load<u32>(index.partOfName + (name << 2)));
    if (<u32>name >= entry.name) continue;
    entry.value = view.value;
    entry.bytes = view.valueBytes;
    entry.name = <u32>name;
  }
  return probe(index, parts);
}

function probe(index: KeyIndex, parts: u32): i32 {
  let hash: u32 = 2166136261;
  for (let part: u32 = 0; part < index.parts; part++) {
    const entry = partAt(parts, part);
    hash = mix(hash, entry.value, entry.bytes);
  }
  let slot = finish(hash) & index.mask;
  while (true) {
    const key = load<u32>(index.slots + (slot << 2));
    if (key == 0) return NOT_FOUND;
    if (isKey(index, parts, key - 1)) return key - 1;
    slot = (slot + 1) & index.mask;
  }
}

function isKey(index: KeyIndex, parts: u32, key: u32): bool {
  let at = index.keyBytes + load<u32>(index.keyOffsets + (key << 2));
  const end = index.keyBytes + load<u32>(index.keyOffsets + (key << 2), 4);
  for (let part: u32 = 0; part < index.parts; part++) {
    const value = partAt(parts, part).value;
    const bytes = partAt(parts, part).bytes;
    if (at + bytes + 1 > end || load<u8>(at + bytes) != 0) return false;
    if (!sameBytes(at, value, bytes)) return false;
    at += bytes + 1;
  }
  return at == end;
}

/** A hash of the values of the piece's labels that are in `names`. */
export function hashValues(index: KeyIndex, c: SeriesCursor, names: u32): u32 {
  let hash: u32 = 2166136261;
  if (load<u32>(names) == 0) return hash;
  const view = changetype<LabelView>(<usize>index.scratch);
  for (let at = c.labels; at < c.labelsEnd; at = view.next) {
    if (!readLabel(view, at, c.labelsEnd) || nameIndex(names, view) < 0) continue;
    for (let i: u32 = 0; i < view.valueBytes; i++) hash = (hash ^ load<u8>(view.value + i)) * 16777619;
  }
  return hash;
}
