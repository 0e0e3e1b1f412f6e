// Quantile sketches: counts of values with a relative error of 1 %, in space that grows
// with the spread of values and not with their number. DDSketch (Masson, Rim, Lee: "DDSketch", VLDB
// 2019, https://www.vldb.org/pvldb/vol12/p2195-masson.pdf), algorithms 1, 2 and 4, never collapsed:
//
//   g = 1.01 / 0.99    key(x) = ceil(ln x / ln g)    a bucket is (g^(key-1), g^key]
//
// and stands for 2 g^key / (g + 1), at most 1 % from each of its values. Values below LEAST are
// zeros; values above GREATEST count as it. Merging adds counts. Counts lie in a pool: a sketch has
// `room` of them from `place` on, for keys from `first` on, and moves to twice the room when a key
// is outside. Its old counts stay behind, at most as many as it has. Bytes of a sketch (LEB128):
//
//   empty: none      zeros u      then for each bucket in use, by key: key i (the first; later its
//                                 distance u), count u

const LEAST: f64 = 1e-9;
const GREATEST: f64 = 1e18;
const LN_G: f64 = 0.020000666706669435; // ln(1.01 / 0.99)
/** 2 / (g + 1) = 1 - 0.01 */
const MIDDLE: f64 = 0.99;
/** Keys of LEAST and of GREATEST: no room reaches beyond them, but one for all keys. */
const KEY_LEAST: i32 = -1036;
const KEY_MOST: i32 = 2073;
/** There are fewer than 4,096 keys, so this many counts hold a sketch and all that it leaves behind. */
export const COUNTS_MOST: u32 = 8192;

@unmanaged
export class Sketch {
  zeros: u32;
  /** key of the first count */
  first: i32;
  room: u32;
  /** first count's place in the pool */
  place: u32;
}
const SKETCH_BYTES: u32 = <u32>offsetof<Sketch>();

/** Sketches, and the pool that their counts are in. */
@unmanaged
export class SketchTable {
  sketches: u32;
  /** u32 each, zeroed */
  pool: u32;
  used: u32;
  room: u32;
  /** counts that a sketch begins with: a power of two */
  least: u32;
}

@inline export function sketchAt(table: SketchTable, i: u32): Sketch {
  return changetype<Sketch>(<usize>(table.sketches + i * SKETCH_BYTES));
}

/** Whether the pool has room for any values in this many sketches. */
@inline export function hasRoom(table: SketchTable, sketches: u32): bool {
  return <u64>table.used + <u64>sketches * COUNTS_MOST <= <u64>table.room;
}

/** Counts a value, >= 0. The pool must have room. */
export function countValue(table: SketchTable, sketch: Sketch, value: f64): void {
  if (!(value >= LEAST)) sketch.zeros++;
  else countKey(table, sketch, keyOf(value), 1);
}

@inline function keyOf(value: f64): i32 { return <i32>Math.ceil(Math.log(min(value, GREATEST)) / LN_G); }

@inline function countKey(table: SketchTable, sketch: Sketch, key: i32, count: u32): void {
  if (<u32>(key - sketch.first) >= sketch.room) widen(table, sketch, key);
  const at = table.pool + ((sketch.place + <u32>(key - sketch.first)) << 2);
  store<u32>(at, load<u32>(at) + count);
}

/** Moves the sketch to room for its keys and this one, with as much spare room on either side. */
function widen(table: SketchTable, sketch: Sketch, key: i32): void {
  const old = sketch.room;
  const low = old == 0 ? key : min(key, sketch.first);
  const high = old == 0 ? key : max(key, sketch.first + <i32>old - 1);
  const span = <u32>(high - low + 1);
  let room = table.least;
  while (room < span) room <<= 1;
  const middle = low - <i32>((room - span) >> 1);
  const first = max(KEY_LEAST, min(middle, KEY_MOST + 1 - <i32>room));
  const place = table.used;
  if (old != 0) {
    const to = table.pool + ((place + <u32>(sketch.first - first)) << 2);
    memory.copy(to, table.pool + (sketch.place << 2), old << 2);
  }
  table.used += room;
  sketch.first = first;
  sketch.room = room;
  sketch.place = place;
}

/**
 * Counts values[i] in the sketch ids[i], from the i-th on. @returns the first i for which the pool
 * had no room, or `count`
 */
export function countValues(t: SketchTable, ids: u32, values: u32, i: u32, count: u32): u32 {
  for (; i < count && hasRoom(t, 1); i++) {
    countValue(t, sketchAt(t, load<u32>(ids + (i << 2))), load<f64>(values + (i << 3)));
  }
  return i;
}

/**
 * Adds the sketches of a column of bytes: the one of row i, bytes [offsets[i], offsets[i + 1]), to the
 * sketch ids[i], from the i-th row on. @returns the first row for which the pool had no room, or `rows`
 */
export function mergeSketches(
  t: SketchTable, ids: u32, offsets: u32, bytes: u32, i: u32, rows: u32,
): u32 {
  for (; i < rows && hasRoom(t, 1); i++) {
    const at = bytes + load<u32>(offsets + (i << 2));
    mergeOne(t, sketchAt(t, load<u32>(ids + (i << 2))), at, bytes + load<u32>(offsets + (i << 2), 4));
  }
  return i;
}

function mergeOne(table: SketchTable, sketch: Sketch, at: u32, end: u32): void {
  if (at == end) return;
  let next = readNumber(at);
  sketch.zeros += <u32>next;
  at = <u32>(next >> 32);
  if (at == end) return;
  next = readNumber(at);
  let key = <i32>(<u32>next >> 1) ^ -<i32>(<u32>next & 1);
  next = readNumber(<u32>(next >> 32));
  countKey(table, sketch, key, <u32>next);
  at = <u32>(next >> 32);
  let counts = table.pool + ((sketch.place - sketch.first) << 2);
  let room = sketch.first + <i32>sketch.room;
  while (at < end) {
    let count: u32;
    // Key and count nearly always take one byte each.
    const both = at + 2 <= end ? load<u16>(at) : <u16>0xffff;
    if ((both & 0x8080) == 0) {
      key += both & 127;
      count = both >> 8;
      at += 2;
    } else {
      next = readNumber(at);
      key += <i32>next;
      next = readNumber(<u32>(next >> 32));
      count = <u32>next;
      at = <u32>(next >> 32);
    }
    if (key >= room) {
      widen(table, sketch, key);
      counts = table.pool + ((sketch.place - sketch.first) << 2);
      room = sketch.first + <i32>sketch.room;
    }
    const place = counts + (key << 2);
    store<u32>(place, load<u32>(place) + count);
  }
}

/**
 * Adds the i-th of `count` sketches of another table to the sketch ids[i], from the i-th on.
 * @returns the first i for which the pool had no room, or `count`
 */
export function addSketches(t: SketchTable, from: SketchTable, ids: u32, i: u32, count: u32): u32 {
  for (; i < count && hasRoom(t, 1); i++) {
    const sketch = sketchAt(t, load<u32>(ids + (i << 2)));
    const other = sketchAt(from, i);
    sketch.zeros += other.zeros;
    const counts = from.pool + (other.place << 2);
    for (let k: u32 = 0; k < other.room; k++) {
      const n = load<u32>(counts + (k << 2));
      if (n != 0) countKey(t, sketch, other.first + <i32>k, n);
    }
  }
  return i;
}

/** LEB128. @returns where it ends << 32 | the number */
@inline function readNumber(at: u32): u64 {
  let byte = load<u8>(at++);
  let value = <u32>byte & 127;
  for (let shift = 7; byte > 127; shift += 7) {
    byte = load<u8>(at++);
    value |= (<u32>byte & 127) << shift;
  }
  return <u64>at << 32 | value;
}

@inline function writeNumber(at: u32, value: u32): u32 {
  for (; value > 127; value >>>= 7) store<u8>(at++, <u8>(value | 128));
  store<u8>(at, <u8>value);
  return at + 1;
}

/** The most bytes of a count; distances of keys take one or two. */
const BUCKET_BYTES: u32 = 10;

/**
 * Writes the sketches first, first + stride, … one after the other at `out`, and rows + 1 u32 offsets
 * from there. @returns bytes written; the room needed, before anything is written, where out is 0
 */
export function encodeSketches(
  t: SketchTable, first: u32, stride: u32, rows: u32, offsets: u32, out: u32,
): u32 {
  let at = out;
  for (let i: u32 = 0; i < rows; i++) {
    const sketch = sketchAt(t, first + i * stride);
    if (out == 0) at += encodedMost(t, sketch);
    else {
      store<u32>(offsets + (i << 2), at - out);
      at = encodeOne(t, sketch, at);
    }
  }
  if (out != 0) store<u32>(offsets + (rows << 2), at - out);
  return at - out;
}

function encodedMost(table: SketchTable, sketch: Sketch): u32 {
  let used: u32 = 0;
  for (let i: u32 = 0; i < sketch.room; i++) {
    if (load<u32>(table.pool + ((sketch.place + i) << 2)) != 0) used++;
  }
  return (used + 1) * BUCKET_BYTES;
}

function encodeOne(table: SketchTable, sketch: Sketch, out: u32): u32 {
  const start = out;
  out = writeNumber(out, sketch.zeros);
  let before: i32 = 0;
  let isFirst = true;
  for (let i: u32 = 0; i < sketch.room; i++) {
    const count = load<u32>(table.pool + ((sketch.place + i) << 2));
    if (count == 0) continue;
    const key = sketch.first + <i32>i;
    out = writeNumber(out, isFirst ? <u32>((key << 1) ^ (key >> 31)) : <u32>(key - before));
    out = writeNumber(out, count);
    before = key;
    isFirst = false;
  }
  return isFirst && sketch.zeros == 0 ? start : out;
}

/**
 * The q-quantile, q in [0, 1], of each of `count` sketches: of n values in order, the one at
 * floor(q (n - 1)), within 1 %. NaN for an empty sketch. `out` is count f64.
 */
export function sketchQuantiles(t: SketchTable, count: u32, q: f64, out: u32): void {
  for (let i: u32 = 0; i < count; i++) store<f64>(out + (i << 3), quantile(t, sketchAt(t, i), q));
}

function quantile(table: SketchTable, sketch: Sketch, q: f64): f64 {
  const counts = table.pool + (sketch.place << 2);
  let total = <u64>sketch.zeros;
  for (let i: u32 = 0; i < sketch.room; i++) total += load<u32>(counts + (i << 2));
  if (total == 0) return NaN;
  const rank = <u64>floor(q * <f64>(total - 1));
  let seen = <u64>sketch.zeros;
  if (seen > rank) return 0;
  for (let i: u32 = 0; i < sketch.room; i++) {
    seen += load<u32>(counts + (i << 2));
    if (seen > rank) return Math.exp(<f64>(sketch.first + <i32>i) * LN_G) * MIDDLE;
  }
  return NaN;
}
