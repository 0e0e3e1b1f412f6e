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

// The stream from `bit` on (8 times its address), left aligned: at least 57 bits are valid.
@inline function window(bit: i64): u64 {
  return bigEndian64(<usize>(bit >>> 3)) << (bit & 7);
}

// `count` bits (1 to 64) of the stream from `bit` on.
@inline function bits(bit: i64, count: u64): u64 {
  if (count <= 57) return window(bit) >> (64 - count);
  return ((window(bit) >> 32) << (count - 32)) | (window(bit + 32) >> (96 - count));
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
  return decodeRest(at + bytes, end, timestamps, values, samples, first, delta);
}

/**
 * Whether all samples of the chunk have one value and one distance in (0, 2^36) ms, as nearly all chunks
 * of states have: their bits are all 0. Fills `to` with f64 time of the first sample in ms, f64 distance
 * (0 for a single sample), f64 value. Reads as far as `decodeXorChunk`. Returns the number of samples; 0
 * when they differ, there is none, or the chunk is damaged.
 */
export function readSteadyXorChunk(chunk: usize, length: usize, to: usize): i32 {
  if (length < 2) return 0;
  const samples = (<i32>load<u8>(chunk) << 8) | <i32>load<u8>(chunk, 1);
  const end = chunk + length;
  let at = chunk + 2;
  let bytes = varintBytes(at, end);
  if (samples == 0 || bytes == 0 || at + bytes + 8 > end) return 0;
  const zigzag = varint(at, bytes);
  const first = <i64>(zigzag >> 1) ^ -<i64>(zigzag & 1);
  if (!isExactTime(first)) return 0;
  store<f64>(to, <f64>first);
  store<f64>(to, 0, 8);
  store<u64>(to, bigEndian64(at + bytes), 16);
  if (samples == 1) return 1;

  at += bytes + 8;
  bytes = varintBytes(at, end);
  if (bytes == 0) return 0;
  const delta = <i64>varint(at, bytes);
  if (delta <= 0 || !isExactDelta(delta)) return 0;
  store<f64>(to, <f64>delta, 8);
  at += bytes;
  let left: usize = 2 * samples - 3; // one bit of the second sample, two of each after it
  if (at + ((left + 7) >> 3) > end) return 0;
  for (; left >= 64; left -= 64, at += 8) if (load<u64>(at) != 0) return 0;
  return left == 0 || bigEndian64(at) >> (64 - left) == 0 ? samples : 0;
}

// Doubles hold all times of a chunk: less than 2^16 steps of less than 2^36 from less than 2^52.
@inline function isExactTime(timestamp: i64): bool { return <u64>(timestamp + (1 << 52)) < 1 << 53; }
@inline function isExactDelta(delta: i64): bool { return <u64>(delta + (1 << 36)) < 1 << 37; }

// All samples but the first; `at` is where the second value starts. A sample with another delta, and
// the second one, which has none, are read as if a 0 stood before their value.
@inline function decodeRest(
  at: usize, end: usize, timestamps: usize, values: usize, samples: i32, timestamp: i64, delta: i64,
): i32 {
  const endBit = <i64>end << 3;
  const last = values + (<usize>samples << 3);
  const toTimes = timestamps - values;
  let value = load<u64>(values);
  let leading: u64 = 0, significant: u64 = 64, mask: u64 = -1;
  let bit = (<i64>at << 3) - 1;
  let word = window(bit + 1) >> 1;
  values += 8;
  while (true) {
    if (<i64>word < 0) {
      // Times are written when the delta changes: in most series once a chunk or never.
      for (const before = values + toTimes - 8; timestamps < before;) {
        timestamp += delta;
        timestamps += 8;
        store<f64>(timestamps, <f64>timestamp);
      }
      const ones = clz(~word);
      if (ones == 1) { delta += signed(word << 2, 14); bit += 15; }
      else if (ones == 2) { delta += signed(word << 3, 17); bit += 19; }
      else if (ones == 3) { delta += signed(word << 4, 20); bit += 23; }
      else {
        if (bit + 68 > endBit) return DAMAGED;
        delta += <i64>bits(bit + 4, 64);
        bit += 67;
      }
      if (bit >= endBit) return DAMAGED;
      word = window(bit) & <u64>i64.MAX_VALUE;
    }
    // A separate loop, so that variables for times need no registers.
    do {
      const top = word >> 61;
      if (top == 2) {
        bit += 3;
        if (significant <= 54) value ^= ((word << 3) >> leading) & mask;
        else {
          if (bit + <i64>significant > endBit) return DAMAGED;
          value ^= bits(bit, significant) << (64 - leading - significant);
        }
        bit += <i64>significant;
        store<u64>(values, value);
        values += 8;
      } else if (top == 3) {
        leading = (word << 3) >> 59;
        significant = ((word << 8) >> 58) || 64;
        if (leading + significant > 64) return DAMAGED;
        mask = (<u64>-1 >> leading) & (<u64>-1 << (64 - leading - significant));
        bit += 14;
        if (bit + <i64>significant > endBit) return DAMAGED;
        value ^= bits(bit, significant) << (64 - leading - significant);
        bit += <i64>significant;
        store<u64>(values, value);
        values += 8;
      } else { // A run of samples with the same delta and the same value.
        const run = min(<usize>min<u64>(clz(word), 56) >> 1, (last - values) >> 3);
        writeRun(values, run, value);
        values += run << 3;
        bit += <i64>run << 1;
      }
      if (bit > endBit) return DAMAGED;
      if (values == last) {
        writeTimes(timestamps + 8, last + toTimes, timestamp, delta);
        return samples;
      }
      word = window(bit);
    } while (<i64>word >= 0);
  }
  return DAMAGED;
}

@inline function writeRun(at: usize, run: usize, value: u64): void {
  const end = at + (run << 3);
  const pair = i64x2.splat(value);
  for (; at + 16 <= end; at += 16) v128.store(at, pair);
  if (at < end) store<u64>(at, value);
}

// Writes the times of the samples after one at `timestamp`, from `at` up to `until`.
function writeTimes(at: usize, until: usize, timestamp: i64, delta: i64): void {
  if (isExactTime(timestamp) && isExactDelta(delta)) {
    const two = f64x2.splat(<f64>(delta << 1));
    const four = f64x2.splat(<f64>(delta << 2));
    let first = f64x2.replace_lane(f64x2.splat(<f64>(timestamp + delta)), 1, <f64>(timestamp + (delta << 1)));
    for (; at + 32 <= until; at += 32) {
      v128.store(at, first);
      v128.store(at, f64x2.add(first, two), 16);
      first = f64x2.add(first, four);
      timestamp += delta << 2;
    }
  }
  for (; at < until; at += 8) {
    timestamp += delta;
    store<f64>(at, <f64>timestamp);
  }
}
