// Formulas for columns that are shown and not stored: one f64 a row, each kernel one step for all rows.
// Sums begin at 0 and grow in the order given, so that they have the same bits as a loop over rows.

const HOUR_MS: f64 = 3600000;

/** out = (end - start) in hours, of Unix ms */
export function hoursBetween(starts: usize, ends: usize, rows: usize, out: usize): void {
  for (let at: usize = 0; at < rows << 3; at += 8) {
    store<f64>(out + at, (load<f64>(ends + at) - load<f64>(starts + at)) / HOUR_MS);
  }
}

/** out = value x by */
export function scaleColumn(values: usize, by: f64, rows: usize, out: usize): void {
  for (let at: usize = 0; at < rows << 3; at += 8) store<f64>(out + at, load<f64>(values + at) * by);
}

/** out += value */
export function addColumn(values: usize, rows: usize, out: usize): void {
  for (let at: usize = 0; at < rows << 3; at += 8) {
    store<f64>(out + at, load<f64>(out + at) + load<f64>(values + at));
  }
}

/** out *= value */
export function multiplyColumn(values: usize, rows: usize, out: usize): void {
  for (let at: usize = 0; at < rows << 3; at += 8) {
    store<f64>(out + at, load<f64>(out + at) * load<f64>(values + at));
  }
}

/** out /= divisor */
export function divideColumn(divisors: usize, rows: usize, out: usize): void {
  for (let at: usize = 0; at < rows << 3; at += 8) {
    store<f64>(out + at, load<f64>(out + at) / load<f64>(divisors + at));
  }
}

/** out = value / hours, 0 where hours are not above 0 */
export function averageColumn(values: usize, hours: usize, rows: usize, out: usize): void {
  for (let at: usize = 0; at < rows << 3; at += 8) {
    const ran = load<f64>(hours + at);
    store<f64>(out + at, select<f64>(load<f64>(values + at) / ran, 0, ran > 0));
  }
}

/** out = usage / request; without a request 1 for a row with usage and cost, else 0 */
export function efficiencyColumn(used: usize, requests: usize, costs: usize, rows: usize, out: usize): void {
  for (let at: usize = 0; at < rows << 3; at += 8) {
    const amount = load<f64>(used + at), requested = load<f64>(requests + at);
    const isUsed = <i32>(amount > 0) & <i32>(load<f64>(costs + at) > 0);
    store<f64>(out + at, select<f64>(amount / requested, <f64>isUsed, requested > 0));
  }
}

/** sums += value x weight, weightSums += weight */
export function addWeighted(values: usize, weights: usize, rows: usize, sums: usize, weightSums: usize): void {
  for (let at: usize = 0; at < rows << 3; at += 8) {
    const weight = load<f64>(weights + at);
    store<f64>(weightSums + at, load<f64>(weightSums + at) + weight);
    store<f64>(sums + at, load<f64>(sums + at) + load<f64>(values + at) * weight);
  }
}

/** out = sum / weightSum, 0 where the weights add up to 0 or less */
export function meanColumn(weightSums: usize, rows: usize, out: usize): void {
  for (let at: usize = 0; at < rows << 3; at += 8) {
    const weights = load<f64>(weightSums + at);
    store<f64>(out + at, select<f64>(0, load<f64>(out + at) / weights, weights <= 0));
  }
}
