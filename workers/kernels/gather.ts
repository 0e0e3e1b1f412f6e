// Columns of f64 by the rows that they are taken from, one u32 each. `records` have `stride` f64 a row.

/** out[i] = values[rows[i]] */
export function mapNumbers(rows: usize, count: usize, values: usize, out: usize): void {
  for (let i: usize = 0; i < count; i++) {
    store<f64>(out + (i << 3), load<f64>(values + (<usize>load<u32>(rows + (i << 2)) << 3)));
  }
}

/** out[i] = a field of record rows[i] / divisor */
export function mapField(
  rows: usize, count: usize, records: usize, stride: usize, field: usize, divisor: f64, out: usize,
): void {
  const at = records + (field << 3);
  for (let i: usize = 0; i < count; i++) {
    const value = load<f64>(at + ((<usize>load<u32>(rows + (i << 2)) * stride) << 3));
    store<f64>(out + (i << 3), value / divisor);
  }
}

/** out[i] = the sum of two fields of record rows[i] / divisor */
export function mapFieldSum(
  rows: usize, count: usize, records: usize, stride: usize, field: usize, other: usize, divisor: f64,
  out: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const at = records + ((<usize>load<u32>(rows + (i << 2)) * stride) << 3);
    const sum = load<f64>(at + (field << 3)) + load<f64>(at + (other << 3));
    store<f64>(out + (i << 3), sum / divisor);
  }
}

/** out[i] += shares[i] x a field of record rows[i] / divisor; a row of -1 has no record */
export function addShared(
  rows: usize, count: usize, records: usize, stride: usize, field: usize, shares: usize, divisor: f64,
  out: usize,
): void {
  const at = records + (field << 3);
  for (let i: usize = 0; i < count; i++) {
    const row = load<i32>(rows + (i << 2));
    if (row < 0) continue;
    const value = load<f64>(at + ((<usize>row * stride) << 3));
    const place = out + (i << 3);
    store<f64>(place, load<f64>(place) + load<f64>(shares + (i << 3)) * value / divisor);
  }
}
