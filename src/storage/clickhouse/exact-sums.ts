/**
 * Sums that have the same bits in whatever order they are added. A number is split into parts, each a whole
 * multiple of a quantum so coarse that all rows together stay below 2^53 of it: no addition rounds.
 *
 *   x = q1 + q2 + … + r        q1 = (x + M1) − M1, exact; then the same with M2 for x − q1, and so on
 *
 * M = 1.5 · 2^(t + 52) rounds to multiples of 2^t what is not above 2^(t + 51), and what it takes off, at most
 * 2^(t − 1), is a Float64 again (Ogita, Rump, Oishi: Accurate sum and dot product, 2005; Knuth: TwoSum).
 */

/** What is known of the numbers of a column. */
export interface NumberRange {
  /** All are below 2^top. */
  readonly top: number;
  /** All are whole multiples of 2^low. */
  readonly low: number;
}

const BITS = 53;
/** A column that would take more parts is read by its rows. */
const SPLITS_MAX = 4;
const TOP_MAX = 1000;

/**
 * @param rows that are added up, at most
 * @returns the numbers M, one fewer than there are parts; undefined where it would take too many
 */
export function splitsOf({ top, low }: NumberRange, rows: number): number[] | undefined {
  const more = Math.max(2, Math.ceil(Math.log2(Math.max(1, rows))));
  if (top + more > TOP_MAX) return undefined;
  const splits: number[] = [];
  for (let above = top; above + more - low > BITS;) {
    const quantum = above + more - BITS;
    if (splits.length === SPLITS_MAX) return undefined;
    splits.push(1.5 * 2 ** (quantum + 52));
    above = quantum - 1;
  }
  return splits;
}

/** The range of finite numbers; undefined where one is not, or where all are zero: then any will do. */
export function rangeOf(values: Float64Array): NumberRange | undefined {
  const seen = new Float64Array(1);
  const [lower, upper] = [new Uint32Array(seen.buffer, 0, 1), new Uint32Array(seen.buffer, 4, 1)];
  let [most, low] = [0, Infinity];
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? 0;
    if (value === 0) continue;
    seen[0] = value;
    const exponent = ((upper[0] ?? 0) >>> 20) & 0x7ff;
    if (exponent === 0x7ff) return undefined;
    if (exponent > most) most = exponent;
    // Subnormal numbers are multiples of 2^-1074, as are those of the least exponent.
    const unit = (exponent === 0 ? 1 : exponent) - 1075;
    if (unit >= low) continue;
    const [down, up] = [lower[0] ?? 0, upper[0] ?? 0];
    const zeros = down === 0 ? 32 + trailingZeros((up & 0xfffff) | 0x100000) : trailingZeros(down);
    if (unit + zeros < low) low = unit + zeros;
  }
  if (low === Infinity) return { top: 0, low: 0 };
  return { top: Math.max(1, most) - 1022, low };
}

function trailingZeros(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

/** The sum of each part. */
export function partSums(values: Float64Array, splits: readonly number[]): number[] {
  const sums = new Float64Array(splits.length + 1);
  for (let row = 0; row < values.length; row++) {
    let rest = values[row] ?? 0;
    for (let i = 0; i < splits.length; i++) {
      const split = splits[i] ?? 0;
      const part = rest + split - split;
      sums[i] = (sums[i] ?? 0) + part;
      rest -= part;
    }
    sums[splits.length] = (sums[splits.length] ?? 0) + rest;
  }
  return [...sums];
}

/** A number of SQL, to the bit: decimals are not read to the last digit by all versions. */
export function exactLiteral(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return `reinterpretAsFloat64(unhex('${bytes.toString('hex').toUpperCase()}'))`;
}

/**
 * The exact sum of few numbers as the nearest Float64, and what is left of it as the nearest.
 * (Shewchuk: Adaptive precision floating-point arithmetic, 1997, as Python's `fsum` rounds.)
 */
export function roundedWithRest(parts: readonly number[]): [sum: number, rest: number] {
  const [first = 0, second = 0, third = 0] = parts;
  if (parts.length === 1) return [first, 0];
  const [low, lost] = twoSum(second, third);
  const [high, rest] = twoSum(first, low);
  if (parts.length <= 3 && lost === 0) return [high, rest];
  const exact = expansion(parts);
  const sum = rounded(exact);
  return [sum, rounded(expansion([...exact, -sum]))];
}

function twoSum(a: number, b: number): [sum: number, error: number] {
  const sum = a + b;
  const part = sum - a;
  return [sum, a - (sum - part) + (b - part)];
}

/** Numbers of the same exact sum that do not overlap, the smallest first. */
function expansion(parts: readonly number[]): number[] {
  const partials: number[] = [];
  for (const part of parts) {
    let carried = part;
    let count = 0;
    for (const partial of partials) {
      const [sum, error] = twoSum(carried, partial);
      if (error !== 0) partials[count++] = error;
      carried = sum;
    }
    partials.length = count;
    partials.push(carried);
  }
  return partials;
}

/** Half-way cases look at what is below them. */
function rounded(partials: readonly number[]): number {
  let at = partials.length - 1;
  let [sum, error] = [partials[at] ?? 0, 0];
  while (at > 0 && error === 0) [sum, error] = twoSum(sum, partials[--at] ?? 0);
  const below = partials[at - 1] ?? 0;
  if (at === 0 || error === 0 || below === 0 || error > 0 !== below > 0) return sum;
  const doubled = sum + 2 * error;
  return doubled - sum === 2 * error ? doubled : sum;
}
