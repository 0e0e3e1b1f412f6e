/** The sum of finite numbers without any rounding until the end, in units of 2^-1074. */
export function exactSum(values: readonly number[]): number {
  return nearest(values.reduce((sum, value) => sum + units(value), 0n));
}

const view = new DataView(new ArrayBuffer(8));

/** The number as a whole number of units of 2^-1074: its significand, shifted by its exponent. */
function units(value: number): bigint {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & ((1n << 52n) - 1n);
  const size = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return bits >> 63n === 1n ? -size : size;
}

/** To the nearest double: the top 54 bits rounded half to even by `Number`, with a sticky bit. */
function nearest(sum: bigint): number {
  const size = sum < 0n ? -sum : sum;
  const shift = Math.max(0, size.toString(2).length - 60);
  const top = size >> BigInt(shift);
  const isInexact = top << BigInt(shift) !== size;
  const scaled = Number(isInexact ? top | 1n : top);
  const value = scaled * 2 ** Math.max(-1022, shift - 1074) * 2 ** Math.min(0, shift - 1074 + 1022);
  return sum < 0n ? -value : value;
}
