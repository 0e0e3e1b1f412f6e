// Sums, extremes and counts of rows by group, several f64 columns a pass.
//
//   keys      one i32 a row, the row's group, in [0, groups): not checked here
//   columns   4 or 8 u32 addresses of columns, each of one f64 a row, any alignment
//   out       one record a group, added to: the caller clears it, and may go on with more rows
//
//   record of groupedSums4, 8              4 or 8 sums
//   record of groupedSumsCompensated4, 8   4 or 8 sums, then as many errors: the total is sum + error
//   record of groupedExtremes4             EXTREMES_BYTES: 4 minima, then 4 maxima; NaN is passed over
//   record of groupedCounts                one i32
//
// Two columns share a vector, and a record is read, added to and written for each row, in the order
// of the rows: a group's sum has the same bits whatever other groups there are.

// The values of one row in two columns.
@inline function pair(a: usize, b: usize): v128 {
  return v128.load64_lane(b, v128.load64_zero(a), 1);
}

// Two rows of each of two columns, turned to the first and the second row of both.
@inline function firstOf(a: v128, b: v128): v128 {
  return v128.shuffle<f64>(a, b, 0, 2);
}

@inline function secondOf(a: v128, b: v128): v128 {
  return v128.shuffle<f64>(a, b, 1, 3);
}

@inline function column(columns: usize, index: usize): usize {
  return <usize>load<u32>(columns + (index << 2));
}

@inline function add(sums: usize, x: v128): void {
  v128.store(sums, f64x2.add(v128.load(sums), x));
}

// Knuth's TwoSum (TAOCP 4.2.2, theorem B): the error of `total`, the rounded sum of both.
@inline function errorOf(sum: v128, x: v128, total: v128): v128 {
  const part = f64x2.sub(total, sum);
  return f64x2.add(f64x2.sub(sum, f64x2.sub(total, part)), f64x2.sub(x, part));
}

@inline function addCompensated(sums: usize, errors: usize, x: v128): void {
  const sum = v128.load(sums);
  const total = f64x2.add(sum, x);
  v128.store(sums, total);
  v128.store(errors, f64x2.add(v128.load(errors), errorOf(sum, x, total)));
}

/**
 * Adds `rows` rows of 4 columns to records of 32 bytes, two rows at a time. Two rows of one group
 * are added in registers: sorted rows would else wait twice as often for each other's stores.
 */
export function groupedSums4(keys: usize, columns: usize, rows: usize, out: usize): void {
  const a = column(columns, 0), b = column(columns, 1), c = column(columns, 2), d = column(columns, 3);
  let row: usize = 0;
  for (; row + 1 < rows; row += 2) {
    const first = out + (<usize>load<i32>(keys + (row << 2)) << 5);
    const second = out + (<usize>load<i32>(keys + (row << 2), 4) << 5);
    const at = row << 3;
    const va = v128.load(a + at), vb = v128.load(b + at), vc = v128.load(c + at), vd = v128.load(d + at);
    const s = f64x2.add(v128.load(first), firstOf(va, vb));
    const t = f64x2.add(v128.load(first, 16), firstOf(vc, vd));
    if (first == second) {
      v128.store(first, f64x2.add(s, secondOf(va, vb)));
      v128.store(first, f64x2.add(t, secondOf(vc, vd)), 16);
    } else {
      v128.store(first, s);
      v128.store(first, t, 16);
      add(second, secondOf(va, vb));
      add(second + 16, secondOf(vc, vd));
    }
  }
  if (row < rows) {
    const record = out + (<usize>load<i32>(keys + (row << 2)) << 5);
    const at = row << 3;
    add(record, pair(a + at, b + at));
    add(record + 16, pair(c + at, d + at));
  }
}

/** Adds `rows` rows of 8 columns to records of 64 bytes, two rows at a time. */
export function groupedSums8(keys: usize, columns: usize, rows: usize, out: usize): void {
  const a = column(columns, 0), b = column(columns, 1), c = column(columns, 2), d = column(columns, 3);
  const e = column(columns, 4), f = column(columns, 5), g = column(columns, 6), h = column(columns, 7);
  let row: usize = 0;
  for (; row + 1 < rows; row += 2) {
    const first = out + (<usize>load<i32>(keys + (row << 2)) << 6);
    const second = out + (<usize>load<i32>(keys + (row << 2), 4) << 6);
    const at = row << 3;
    const va = v128.load(a + at), vb = v128.load(b + at), vc = v128.load(c + at), vd = v128.load(d + at);
    const ve = v128.load(e + at), vf = v128.load(f + at), vg = v128.load(g + at), vh = v128.load(h + at);
    add(first, firstOf(va, vb));
    add(first + 16, firstOf(vc, vd));
    add(first + 32, firstOf(ve, vf));
    add(first + 48, firstOf(vg, vh));
    add(second, secondOf(va, vb));
    add(second + 16, secondOf(vc, vd));
    add(second + 32, secondOf(ve, vf));
    add(second + 48, secondOf(vg, vh));
  }
  if (row < rows) {
    const record = out + (<usize>load<i32>(keys + (row << 2)) << 6);
    const at = row << 3;
    add(record, pair(a + at, b + at));
    add(record + 16, pair(c + at, d + at));
    add(record + 32, pair(e + at, f + at));
    add(record + 48, pair(g + at, h + at));
  }
}

/** Adds `rows` rows of 4 columns, compensated, to records of 64 bytes, two rows at a time. */
export function groupedSumsCompensated4(keys: usize, columns: usize, rows: usize, out: usize): void {
  const a = column(columns, 0), b = column(columns, 1), c = column(columns, 2), d = column(columns, 3);
  let row: usize = 0;
  for (; row + 1 < rows; row += 2) {
    const first = out + (<usize>load<i32>(keys + (row << 2)) << 6);
    const second = out + (<usize>load<i32>(keys + (row << 2), 4) << 6);
    const at = row << 3;
    const va = v128.load(a + at), vb = v128.load(b + at), vc = v128.load(c + at), vd = v128.load(d + at);
    addCompensated(first, first + 32, firstOf(va, vb));
    addCompensated(first + 16, first + 48, firstOf(vc, vd));
    addCompensated(second, second + 32, secondOf(va, vb));
    addCompensated(second + 16, second + 48, secondOf(vc, vd));
  }
  if (row < rows) {
    const record = out + (<usize>load<i32>(keys + (row << 2)) << 6);
    const at = row << 3;
    addCompensated(record, record + 32, pair(a + at, b + at));
    addCompensated(record + 16, record + 48, pair(c + at, d + at));
  }
}

/** Adds `rows` rows of 8 columns, compensated, to records of 128 bytes, two rows at a time. */
export function groupedSumsCompensated8(keys: usize, columns: usize, rows: usize, out: usize): void {
  const a = column(columns, 0), b = column(columns, 1), c = column(columns, 2), d = column(columns, 3);
  const e = column(columns, 4), f = column(columns, 5), g = column(columns, 6), h = column(columns, 7);
  let row: usize = 0;
  for (; row + 1 < rows; row += 2) {
    const first = out + (<usize>load<i32>(keys + (row << 2)) << 7);
    const second = out + (<usize>load<i32>(keys + (row << 2), 4) << 7);
    const at = row << 3;
    const va = v128.load(a + at), vb = v128.load(b + at), vc = v128.load(c + at), vd = v128.load(d + at);
    const ve = v128.load(e + at), vf = v128.load(f + at), vg = v128.load(g + at), vh = v128.load(h + at);
    addCompensated(first, first + 64, firstOf(va, vb));
    addCompensated(first + 16, first + 80, firstOf(vc, vd));
    addCompensated(first + 32, first + 96, firstOf(ve, vf));
    addCompensated(first + 48, first + 112, firstOf(vg, vh));
    addCompensated(second, second + 64, secondOf(va, vb));
    addCompensated(second + 16, second + 80, secondOf(vc, vd));
    addCompensated(second + 32, second + 96, secondOf(ve, vf));
    addCompensated(second + 48, second + 112, secondOf(vg, vh));
  }
  if (row < rows) {
    const record = out + (<usize>load<i32>(keys + (row << 2)) << 7);
    const at = row << 3;
    addCompensated(record, record + 64, pair(a + at, b + at));
    addCompensated(record + 16, record + 80, pair(c + at, d + at));
    addCompensated(record + 32, record + 96, pair(e + at, f + at));
    addCompensated(record + 48, record + 112, pair(g + at, h + at));
  }
}

export const EXTREMES_BYTES: usize = 64;
/** Offset of the maxima. */
export const MAXIMA_AT: usize = 32;

// Takes x where it is less (greater): so that NaN changes nothing.
@inline function extend(minima: usize, maxima: usize, x: v128): void {
  v128.store(minima, f64x2.pmin(v128.load(minima), x));
  v128.store(maxima, f64x2.pmax(v128.load(maxima), x));
}

/** Widens records of EXTREMES_BYTES by `rows` rows of 4 columns. */
export function groupedExtremes4(keys: usize, columns: usize, rows: usize, out: usize): void {
  const a = column(columns, 0), b = column(columns, 1), c = column(columns, 2), d = column(columns, 3);
  for (let row: usize = 0; row < rows; row++) {
    const record = out + <usize>load<i32>(keys + (row << 2)) * EXTREMES_BYTES;
    const at = row << 3;
    extend(record, record + MAXIMA_AT, pair(a + at, b + at));
    extend(record + 16, record + MAXIMA_AT + 16, pair(c + at, d + at));
  }
}

/** Adds the number of rows of each group to records of one i32. */
export function groupedCounts(keys: usize, rows: usize, out: usize): void {
  for (let row: usize = 0; row < rows; row++) {
    const record = out + (<usize>load<i32>(keys + (row << 2)) << 2);
    store<i32>(record, load<i32>(record) + 1);
  }
}

/** Reads eight columns of `bytes` (a multiple of 16) each and little else, to measure the bandwidth. */
export function readColumns8(columns: usize, bytes: usize): f64 {
  const a = column(columns, 0), b = column(columns, 1), c = column(columns, 2), d = column(columns, 3);
  const e = column(columns, 4), f = column(columns, 5), g = column(columns, 6), h = column(columns, 7);
  let s = f64x2.splat(0), t = s, u = s, v = s;
  for (let at: usize = 0; at < bytes; at += 16) {
    s = f64x2.add(s, f64x2.add(v128.load(a + at), v128.load(e + at)));
    t = f64x2.add(t, f64x2.add(v128.load(b + at), v128.load(f + at)));
    u = f64x2.add(u, f64x2.add(v128.load(c + at), v128.load(g + at)));
    v = f64x2.add(v, f64x2.add(v128.load(d + at), v128.load(h + at)));
  }
  s = f64x2.add(f64x2.add(s, t), f64x2.add(u, v));
  return f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
}
