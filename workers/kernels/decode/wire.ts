// Protocol buffers, as far as prompb needs them (https://protobuf.dev/programming-guides/encoding/).

/**
 * The varint at `at`, which must end before `end`: its value << 4 | its bytes (1 to 9).
 * 0 when it is cut off or longer than the 60 bits that lengths and tags ever need.
 */
@inline export function varint(at: usize, end: usize): u64 {
  if (at < end) {
    const byte = <u64>load<u8>(at);
    if (byte < 128) return (byte << 4) | 1;
  }
  return longVarint(at, end);
}

function longVarint(at: usize, end: usize): u64 {
  if (at + 8 <= end) {
    let x = load<u64>(at);
    const last = ~x & 0x8080808080808080; // the first bit of each byte that ends a varint
    if (last != 0) {
      // Seven bits of each byte up to the first such byte, joined in pairs, fours, all eight.
      x &= (last ^ (last - 1)) & 0x7f7f7f7f7f7f7f7f;
      x = (x & 0x007f007f007f007f) | ((x & 0x7f007f007f007f00) >> 1);
      x = (x & 0x00003fff00003fff) | ((x & 0x3fff00003fff0000) >> 2);
      x = (x & 0x000000000fffffff) | ((x & 0x0fffffff00000000) >> 4);
      return (x << 4) | ((ctz(last) >> 3) + 1);
    }
  }
  let value: u64 = 0;
  let shift: u64 = 0;
  let p = at;
  while (p < end && shift < 63) {
    const byte = <u64>load<u8>(p++);
    value |= (byte & 127) << shift;
    if (byte < 128) return value >> 60 != 0 ? 0 : (value << 4) | <u64>(p - at);
    shift += 7;
  }
  return 0;
}

@inline export function valueOf(read: u64): u64 { return read >> 4; }
@inline export function bytesOf(read: u64): u32 { return <u32>(read & 15); }

/** Whether the `length` bytes at `a` and `b` are the same. */
@inline export function sameBytes(a: usize, b: usize, length: usize): bool {
  return memory.compare(a, b, length) == 0;
}

/** A hash of the bytes at [at, end), eight at a time, as labels of a series are hundreds of bytes. */
export function hashBytes(at: u32, end: u32): u32 {
  let hash: u64 = 0x9e3779b97f4a7c15;
  for (; at + 8 <= end; at += 8) hash = (rotl<u64>(hash, 29) ^ load<u64>(at)) * 0x9e3779b97f4a7c15;
  for (; at < end; at++) hash = (rotl<u64>(hash, 29) ^ load<u8>(at)) * 0x9e3779b97f4a7c15;
  return <u32>(hash >> 32);
}
