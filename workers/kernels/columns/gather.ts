// Columns of f64 by the rows that they are taken from, one u32 each.
//
//   field     address of a field of the first row's record, each record `stride` bytes long

/** out[i] = values[rows[i]] */
export function mapNumbers(rows: usize, count: usize, values: usize, out: usize): void {
  for (let i: usize = 0; i < count; i++) {
    store<f64>(out + (i << 3), load<f64>(values + (<usize>load<u32>(rows + (i << 2)) << 3)));
  }
}

/** out[i] = a field of record rows[i] / divisor */
export function mapField(
  rows: usize, count: usize, field: usize, stride: usize, divisor: f64, out: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const value = load<f64>(field + <usize>load<u32>(rows + (i << 2)) * stride);
    store<f64>(out + (i << 3), value / divisor);
  }
}

/** out[i] = the sum of two fields of record rows[i] / divisor */
export function mapFieldSum(
  rows: usize, count: usize, field: usize, other: usize, stride: usize, divisor: f64, out: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const at = <usize>load<u32>(rows + (i << 2)) * stride;
    store<f64>(out + (i << 3), (load<f64>(field + at) + load<f64>(other + at)) / divisor);
  }
}

/** out[i] += shares[i] x a field of record rows[i] / divisor; a row of -1 has no record */
export function addShared(
  rows: usize, count: usize, field: usize, stride: usize, shares: usize, divisor: f64, out: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const row = load<i32>(rows + (i << 2));
    if (row < 0) continue;
    const value = load<f64>(field + <usize>row * stride);
    const place = out + (i << 3);
    store<f64>(place, load<f64>(place) + load<f64>(shares + (i << 3)) * value / divisor);
  }
}
