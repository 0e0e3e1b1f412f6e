// Records of groups (grouped-sums.ts) as columns: one f64 a group.
//
//   records   address of a field of the first group's record, each record `stride` bytes long
//   out       one f64 a group

import { EXTREMES_BYTES, MAXIMA_AT } from "./grouped-sums";

/** out[group] = sum + error. error: bytes from a sum to its error; 0: there is none. */
export function sumsOfRecords(records: usize, stride: usize, error: usize, groups: usize, out: usize): void {
  for (let i: usize = 0; i < groups; i++, records += stride) {
    const sum = load<f64>(records);
    // The error of an infinite sum is NaN and ignored.
    const isExact = error == 0 || sum - sum != 0;
    store<f64>(out + (i << 3), isExact ? sum : sum + load<f64>(records + error));
  }
}

/** Initializes records of 4 minima and 4 maxima. */
export function clearExtremes(records: usize, groups: usize): void {
  const end = records + groups * EXTREMES_BYTES;
  for (; records < end; records += EXTREMES_BYTES) {
    v128.store(records, f64x2.splat(Infinity));
    v128.store(records, f64x2.splat(Infinity), 16);
    v128.store(records, f64x2.splat(-Infinity), MAXIMA_AT);
    v128.store(records, f64x2.splat(-Infinity), MAXIMA_AT + 16);
  }
}

/** Lowers out[group] to the record's field. */
export function leastOfRecords(records: usize, stride: usize, groups: usize, out: usize): void {
  for (let i: usize = 0; i < groups; i++, records += stride) {
    const at = out + (i << 3);
    store<f64>(at, min<f64>(load<f64>(at), load<f64>(records)));
  }
}

/** Raises out[group] to the record's field. */
export function greatestOfRecords(records: usize, stride: usize, groups: usize, out: usize): void {
  for (let i: usize = 0; i < groups; i++, records += stride) {
    const at = out + (i << 3);
    store<f64>(at, max<f64>(load<f64>(at), load<f64>(records)));
  }
}
