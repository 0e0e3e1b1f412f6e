// Prometheus XOR ("Gorilla") chunks: tsdb/chunkenc/xor.go and docs/bstream.md there.
//
//   samples              u16, big endian
//   first timestamp      zigzag varint, ms        first value    f64, big endian
//   second delta         uvarint, ms              second value   as below
//   every later sample   delta of delta, then value, most significant bit first:
//
//     0                       same delta             0                  same value
//     10    + 14 bits         -8191 to 8192          10 + the window    XOR inside the last window
//     110   + 17 bits         -65535 to 65536        11 + 5 bits        leading zeros
//     1110  + 20 bits         -524287 to 524288         + 6 bits        significant bits, 0 means 64
//     1111  + 64 bits         any                       + the window    XOR inside this new window
//
// The first window is all 64 bits: a writer that reopens a chunk of one or more samples uses it.

const DAMAGED: i32 = -1;
const NO_ROOM: i32 = -2;

// Bytes of the varint at `at`, or 0 when it does not end before `end` or in 64 bits.
@inline function varintBytes(at: usize, end: usize): usize {
  const start = at;
  while (at < end && load<u8>(at) > 127) at++;
  const bytes = at - start + 1;
  if (at >= end || bytes > 10 || (bytes == 10 && load<u8>(at) > 1)) return 0;
  return bytes;
}

@inline function varint(at: usize, bytes: usize): u64 {
  let value: u64 = 0;
  while (bytes-- > 0) value = (value << 7) | (load<u8>(at + bytes) & 127);
  return value;
}

@inline function bigEndian64(at: usize): u64 {
  const x = v128.load64_zero(at);
  return <u64>i64x2.extract_lane(v128.shuffle<u8>(x, x, 7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0), 0);
}

// The stream from `bit` on, left aligned: at least 57 bits are valid.
@inline function window(chunk: usize, bit: u64): u64 {
  return bigEndian64(chunk + <usize>(bit >> 3)) << (bit & 7);
}

// `count` bits (1 to 64) of the stream from `bit` on.
@inline function bits(chunk: usize, bit: u64, count: u64): u64 {
  if (count <= 57) return window(chunk, bit) >> (64 - count);
  return ((window(chunk, bit) >> 32) << (count - 32)) | (window(chunk, bit + 32) >> (96 - count));
}

// The top `size` bits of `word` as the signed number that Prometheus writes: 2^(size-1) is positive.
@inline function signed(word: u64, size: u64): i64 {
  const negated = <i64>(0 - (word >> (64 - size)));
  return -((negated << (64 - size)) >> (64 - size));
}

/**
 * Decodes the chunk of `length` bytes at `chunk` to `timestamps` (f64, ms) and `values` (f64, every
 * bit as written, so that stale markers survive), `room` of each. Reads at most 8 bytes beyond the
 * chunk. Returns the number of samples, -1 when the chunk is damaged (what it wrote until then lies
 * within `room`), -2 when there is no room.
 */
export function decodeXorChunk(chunk: usize, length: usize, timestamps: usize, values: usize, room: i32): i32 {
  if (length < 2) return DAMAGED;
  const samples = (<i32>load<u8>(chunk) << 8) | <i32>load<u8>(chunk, 1);
  if (samples > room) return NO_ROOM;
  if (samples == 0) return 0;
  const end = chunk + length;

  let at = chunk + 2;
  let bytes = varintBytes(at, end);
  if (bytes == 0 || at + bytes + 8 > end) return DAMAGED;
  const zigzag = varint(at, bytes);
  const first = <i64>(zigzag >> 1) ^ -<i64>(zigzag & 1);
  store<f64>(timestamps, <f64>first);
  store<u64>(values, bigEndian64(at + bytes));
  if (samples == 1) return 1;

  at += bytes + 8;
  bytes = varintBytes(at, end);
  if (bytes == 0) return DAMAGED;
  const delta = <i64>varint(at, bytes);
  return decodeRest(chunk, at + bytes - chunk, length, timestamps, values, samples, first, delta);
}

// All samples but the first; byte `from` starts with the second value.
@inline function decodeRest(
  chunk: usize, from: usize, length: usize, timestamps: usize, values: usize, samples: i32,
  timestamp: i64, delta: i64,
): i32 {
  const endBit = <u64>length << 3;
  const last = timestamps + (<usize>samples << 3);
  let value = load<u64>(values);
  let leading: u64 = 0, significant: u64 = 64;
  let bit = <u64>from << 3;
  let isSecond = true;
  timestamps += 8;
  values += 8;
  while (timestamps < last) {
    if (bit > endBit) return DAMAGED;
    let word = window(chunk, bit);
    if (!isSecond) {
      const zeros = clz(word);
      if (zeros > 3) { // Fast path: a run of samples with the same delta and the same value.
        const run = min(<usize>min<u64>(zeros, 56) >> 1, (last - timestamps) >> 3);
        const runEnd = timestamps + (run << 3);
        do {
          timestamp += delta;
          store<f64>(timestamps, <f64>timestamp);
          store<u64>(values, value);
          timestamps += 8;
          values += 8;
        } while (timestamps < runEnd);
        bit += <u64>run << 1;
        continue;
      }
      if (zeros > 0) {
        bit += 1;
        word <<= 1;
      } else {
        const ones = clz(~word);
        if (ones == 1) { delta += signed(word << 2, 14); bit += 16; }
        else if (ones == 2) { delta += signed(word << 3, 17); bit += 20; }
        else if (ones == 3) { delta += signed(word << 4, 20); bit += 24; }
        else {
          if (bit + 68 > endBit) return DAMAGED;
          delta += <i64>bits(chunk, bit + 4, 64);
          bit += 68;
        }
        if (bit > endBit) return DAMAGED;
        word = window(chunk, bit);
      }
    }
    isSecond = false;
    timestamp += delta;
    if (<i64>word >= 0) bit += 1;
    else {
      if (<i64>(word << 1) >= 0) bit += 2;
      else {
        leading = (word << 2) >> 59;
        significant = ((word << 7) >> 58) || 64;
        if (leading + significant > 64) return DAMAGED;
        bit += 13;
      }
      if (bit + significant > endBit) return DAMAGED;
      value ^= bits(chunk, bit, significant) << (64 - leading - significant);
      bit += significant;
    }
    store<f64>(timestamps, <f64>timestamp);
    store<u64>(values, value);
    timestamps += 8;
    values += 8;
  }
  return bit > endBit ? DAMAGED : samples;
}
