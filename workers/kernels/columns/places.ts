// Amounts of rows by place: sums for each place, and amounts that a place divides among its rows.
//
//   places               one u32 a row, 0 for rows that have none
//   starts, ends, values one f64 a row; starts <= ends
//   sums, rates          one f64 a place, places 0 to the greatest of `places`
//   out                  one f64 a row, added to
//
// Rows without a place are skipped: their values may be infinite.

/** sums[place] += |[start, end) of the row ∩ [from, until)| */
export function sumOverlaps(
  starts: usize, ends: usize, places: usize, rows: usize, from: f64, until: f64, sums: usize,
): void {
  for (let row: usize = 0; row < rows; row++) {
    const place = <usize>load<u32>(places + (row << 2));
    if (place == 0) continue;
    const overlap = within(load<f64>(starts + (row << 3)), load<f64>(ends + (row << 3)), from, until);
    const at = sums + (place << 3);
    store<f64>(at, load<f64>(at) + overlap);
  }
}

/** out += rates[place] · |[start, end) of the row ∩ [from, until)| */
export function addOverlaps(
  starts: usize, ends: usize, places: usize, rows: usize, from: f64, until: f64, rates: usize, out: usize,
): void {
  for (let row: usize = 0; row < rows; row++) {
    const place = <usize>load<u32>(places + (row << 2));
    if (place == 0) continue;
    const overlap = within(load<f64>(starts + (row << 3)), load<f64>(ends + (row << 3)), from, until);
    const at = out + (row << 3);
    store<f64>(at, load<f64>(at) + load<f64>(rates + (place << 3)) * overlap);
  }
}

/** sums[place] += value */
export function sumPlaces(values: usize, places: usize, rows: usize, sums: usize): void {
  for (let row: usize = 0; row < rows; row++) {
    const place = <usize>load<u32>(places + (row << 2));
    if (place == 0) continue;
    const at = sums + (place << 3);
    store<f64>(at, load<f64>(at) + load<f64>(values + (row << 3)));
  }
}

/** out += rates[place] · value */
export function addRated(values: usize, places: usize, rows: usize, rates: usize, out: usize): void {
  for (let row: usize = 0; row < rows; row++) {
    const place = <usize>load<u32>(places + (row << 2));
    if (place == 0) continue;
    const at = out + (row << 3);
    const rate = load<f64>(rates + (place << 3));
    store<f64>(at, load<f64>(at) + rate * load<f64>(values + (row << 3)));
  }
}

function within(start: f64, end: f64, from: f64, until: f64): f64 {
  return max<f64>(0, min<f64>(end, until) - max<f64>(start, from));
}
