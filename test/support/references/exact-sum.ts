/** Exact sums of numbers, as whole multiples of the least number there is. */

/** The number as a multiple of 2^-1074. */
function unitsOf(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const units = exponent === 0 ? fraction : (fraction | 0x10000000000000n) << BigInt(exponent - 1);
  return value < 0 ? -units : units;
}

/** The nearest Float64; half-way ones go to the even one. */
function nearest(units: bigint): number {
  const size = units < 0n ? -units : units;
  const more = Math.max(0, size.toString(2).length - 53);
  const shift = BigInt(more);
  let kept = size >> shift;
  const left = size - (kept << shift);
  const half = more === 0 ? 0n : 1n << (shift - 1n);
  if (more > 0 && (left > half || (left === half && kept % 2n === 1n))) kept += 1n;
  const value = Number(kept) * 2 ** (more - 1074);
  return units < 0n ? -value : value;
}

export function exactSum(values: readonly number[]): number {
  return nearest(values.reduce((sum, value) => sum + unitsOf(value), 0n));
}

/** What is left of the exact sum without `taken`. */
export function exactRest(values: readonly number[], taken: number): number {
  return nearest(values.reduce((sum, value) => sum + unitsOf(value), 0n) - unitsOf(taken));
}
