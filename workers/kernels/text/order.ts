// The order of texts, byte by byte; equal texts stay in the order in which they came. The common prefix
// of all is left out; the next 8 bytes are stored beside each text's number. They differ for most texts,
// so that few have to be compared in full.
//
//   offsets   of texts, one u32 each and one more, counted from `bytes`
//   records   an OrderRecord a text

import { isGreater } from "./joined";

@unmanaged
export class OrderRecord {
  /** 8 bytes of the text, the first the highest */
  key: u64;
  text: u32;
  unused: u32;
}
const RECORD_BYTES: usize = offsetof<OrderRecord>();

/**
 * Merges runs that are twice as long each time. Up to 7 bytes after the texts may be read.
 * @param records room for as many as there are texts
 * @param spare as much again
 * @param order the texts' numbers, u32 each
 */
export function orderTexts(
  offsets: usize, bytes: usize, count: usize, records: usize, spare: usize, order: usize,
): void {
  const shared = sharedBytes(offsets, bytes, count);
  for (let i: usize = 0; i < count; i++) {
    const record = changetype<OrderRecord>(records + i * RECORD_BYTES);
    record.key = keyOf(offsets, bytes, i, shared);
    record.text = <u32>i;
  }
  let runs = records, longer = spare;
  for (let width: usize = 1; width < count; width <<= 1) {
    for (let i: usize = 0; i < count; i += width << 1) {
      merge(offsets, bytes, runs, longer, i, min(i + width, count), min(i + (width << 1), count));
    }
    const merged = longer;
    longer = runs;
    runs = merged;
  }
  for (let i: usize = 0; i < count; i++) {
    store<u32>(order + (i << 2), changetype<OrderRecord>(runs + i * RECORD_BYTES).text);
  }
}

/** The length of the common prefix of all texts. */
function sharedBytes(offsets: usize, bytes: usize, count: usize): usize {
  if (count == 0) return 0;
  const first = bytes + load<u32>(offsets);
  let shared = <usize>(load<u32>(offsets, 4) - load<u32>(offsets));
  for (let i: usize = 1; i < count && shared > 0; i++) {
    const at = offsets + (i << 2);
    const text = bytes + load<u32>(at);
    shared = min(shared, <usize>(load<u32>(at, 4) - load<u32>(at)));
    for (let b: usize = 0; b < shared; b++) {
      if (load<u8>(text + b) != load<u8>(first + b)) shared = b;
    }
  }
  return shared;
}

/** 0 stands for bytes after the end. */
function keyOf(offsets: usize, bytes: usize, text: usize, shared: usize): u64 {
  const at = offsets + (text << 2);
  const left = <usize>(load<u32>(at, 4) - load<u32>(at)) - shared;
  if (left == 0) return 0;
  const key = bswap(load<u64>(bytes + load<u32>(at) + shared));
  return left < 8 ? key & ~(<u64>-1 >> (<u64>left << 3)) : key;
}

/** Merges the runs [start, middle) and [middle, end). */
function merge(
  offsets: usize, bytes: usize, runs: usize, out: usize, start: usize, middle: usize, end: usize,
): void {
  let left = runs + start * RECORD_BYTES;
  let right = runs + middle * RECORD_BYTES;
  const leftEnd = right, rightEnd = runs + end * RECORD_BYTES;
  out += start * RECORD_BYTES;
  while (left < leftEnd && right < rightEnd) {
    if (isAfter(offsets, bytes, left, right)) {
      v128.store(out, v128.load(right));
      right += RECORD_BYTES;
    } else {
      v128.store(out, v128.load(left));
      left += RECORD_BYTES;
    }
    out += RECORD_BYTES;
  }
  memory.copy(out, left, leftEnd - left);
  memory.copy(out + (leftEnd - left), right, rightEnd - right);
}

@inline function isAfter(offsets: usize, bytes: usize, a: usize, b: usize): bool {
  const left = changetype<OrderRecord>(a), right = changetype<OrderRecord>(b);
  if (left.key != right.key) return left.key > right.key;
  const one = offsets + (<usize>left.text << 2), other = offsets + (<usize>right.text << 2);
  return isGreater(
    bytes + load<u32>(one), load<u32>(one, 4) - load<u32>(one),
    bytes + load<u32>(other), load<u32>(other, 4) - load<u32>(other),
  );
}
