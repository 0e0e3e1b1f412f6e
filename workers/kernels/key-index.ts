// Finds whose series it is: an open-addressing table over keys made of a few labels' values.

import { LabelView, nameIndex, readLabel } from "./labels";
import { DAMAGED } from "./series";
import { sameBytes } from "./wire";

/** The most parts a key can have. */
const PARTS: u32 = 8;
export const NOT_FOUND: i32 = -11;

/**
 * 9 u32; src/columnar/key-index.ts mirrors the order. Keys are `parts` values, each followed by a
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
  /** u32 address, u32 bytes a part: its value when no label fills it */
  fallbacks: u32;
  /** scratch: 20 bytes for a LabelView, then from +24 for each part u32 address, bytes, name */
  scratch: u32;
}

// @ts-ignore: decorator
@inline function mix(hash: u32, at: u32, bytes: u32): u32 { // FNV-1a, then a zero byte
  for (let i: u32 = 0; i < bytes; i++) hash = (hash ^ load<u8>(at + i)) * 16777619;
  return hash * 16777619;
}

// @ts-ignore: decorator
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
  const parts = index.scratch + 24;
  for (let part: u32 = 0; part < index.parts; part++) {
    const entry = parts + part * 12;
    store<u32>(entry, load<u32>(index.fallbacks + (part << 3)));
    store<u32>(entry, load<u32>(index.fallbacks + (part << 3), 4), 4);
    store<u32>(entry, 0xffffffff, 8);
  }
  const view = changetype<LabelView>(<usize>index.scratch);
  for (let at = labels; at < labelsEnd; at = view.next) {
    if (!readLabel(view, at, labelsEnd)) return DAMAGED;
    const name = nameIndex(index.names, view);
    if (name < 0 || view.valueBytes == 0) continue;
    const entry = parts + load<u32>(index.partOfName + (name << 2)) * 12;
    if (<u32>name >= load<u32>(entry, 8)) continue;
    store<u32>(entry, view.value);
    store<u32>(entry, view.valueBytes, 4);
    store<u32>(entry, <u32>name, 8);
  }
  return probe(index, parts);
}

function probe(index: KeyIndex, parts: u32): i32 {
  let hash: u32 = 2166136261;
  for (let part: u32 = 0; part < index.parts; part++) {
    const entry = parts + part * 12;
    hash = mix(hash, load<u32>(entry), load<u32>(entry, 4));
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
    const value = load<u32>(parts + part * 12);
    const bytes = load<u32>(parts + part * 12, 4);
    if (at + bytes + 1 > end || load<u8>(at + bytes) != 0) return false;
    if (!sameBytes(at, value, bytes)) return false;
    at += bytes + 1;
  }
  return at == end;
}
