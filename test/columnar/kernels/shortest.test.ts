/** Doubles written by the kernels, against V8's `String(x)`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { written } from '../../support/references/number-rows.ts';

function assertShortest(values: Float64Array): void {
  written(values).forEach((text, i) => {
    const value = values[i] ?? NaN;
    const expected = Number.isFinite(value) ? String(value) : '-';
    if (text !== expected) assert.equal(text, expected);
  });
}

/** Each value, its neighbours on both sides, and the negatives of all. */
function withNeighbours(values: readonly number[]): Float64Array {
  const bits = new BigInt64Array(Float64Array.from(values).buffer);
  const near = [-2n, -1n, 0n, 1n, 2n].flatMap((by) => Array.from(bits, (each) => each + by));
  const all = new Float64Array(BigInt64Array.from(near).buffer);
  return Float64Array.of(...all, ...all.map((value) => -value));
}

/** Bits of any double, finite or not, from a seeded xorshift. */
function randomDoubles(count: number, seed: number): Float64Array {
  const words = new Uint32Array(2 * count);
  let state = seed;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
  return new Float64Array(words.buffer);
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

/** Doubles c x 2^q, 1e-6 to 1e16, with the smallest and largest c. */
function endsOfMantissas(): number[] {
  const mantissas = range(0, 200).flatMap((i) => [2 ** 52 + 5 * i, 2 ** 53 - 1 - 5 * i]);
  return range(-73, 2).flatMap((q) => mantissas.map((c) => c * 2 ** q));
}

/**
 * Doubles c x 2^q, 1e-5 to 1e14, with last digits that are only just rounded. With n places before the
 * last, c x 5^n / 2^(-q-n) has the fraction that decides, and 5^n an inverse: each fraction has its c.
 */
function hanging(): number[] {
  return range(-69, -3).flatMap((q) => {
    const n = -(Math.floor(q * Math.log10(2)) + 1);
    const modulus = 1n << BigInt(-q - n);
    const factor = inverse(5n ** BigInt(n), modulus);
    const half = 5n ** BigInt(n) / 2n;
    const tenths = range(0, 10).map((i) => (BigInt(2 * i + 1) * modulus) / 20n);
    const least = modulus >> 34n || 1n;
    return [half, modulus - half, ...tenths].flatMap((limit) =>
      range(-12, 13).map((i) => {
        const residue = ((limit + BigInt(i) * least) * factor) & (modulus - 1n);
        const c = (1n << 52n) + ((residue - (1n << 52n)) & (modulus - 1n));
        return Number(c) * 2 ** q;
      }),
    );
  });
}

/** The inverse of an odd number, by a power of two: each step doubles the bits that are right. */
function inverse(odd: bigint, modulus: bigint): bigint {
  let x = odd;
  for (let i = 0; i < 6; i++) x = (x * (2n - odd * x)) & (modulus - 1n);
  return x;
}

const CASES: readonly (readonly [name: string, values: () => Float64Array])[] = [
  ['zeros, NaN and infinities', () => Float64Array.of(0, -0, NaN, Infinity, -Infinity)],
  ['all powers of two', () => withNeighbours(range(-1074, 1024).map((e) => 2 ** e))],
  ['all powers of ten', () => withNeighbours(range(-323, 309).map((e) => Number(`1e${e}`)))],
  ['halves of powers of ten', () => withNeighbours(range(-322, 308).map((e) => Number(`5e${e}`)))],
  ['the least numbers', () => withNeighbours(range(2, 5000).map((i) => i * Number.MIN_VALUE))],
  ['where the form changes', () => withNeighbours([1e-7, 1e-6, 1e15, 1e16, 1e20, 1e21, 2 ** 53])],
  ['whole numbers', () => Float64Array.from(range(0, 100_000), (i) => i * 7919 * (1 + (i % 9)))],
  ['great whole numbers', () => Float64Array.from(range(0, 20_000), (i) => 2 ** 52 + i * 1e12)],
  ['cents and mills', () => Float64Array.from(range(0, 200_000), (i) => (i - 100_000) / 1000)],
  ['sums of cents', () => Float64Array.from(range(0, 100_000), (i) => i * 0.01 + 0.1)],
  ['quotients', () => Float64Array.from(range(1, 100_000), (i) => 1 / i)],
  [
    'the least and greatest mantissas of numbers around 1',
    () => Float64Array.from(endsOfMantissas()),
  ],
  ['digits that hang by less than a billionth', () => Float64Array.from(hanging())],
  ['a million random bit patterns', () => randomDoubles(1_000_000, 88_172_645)],
];

for (const [name, values] of CASES)
  test(`${name} are written as V8 writes them`, () => {
    assertShortest(values());
  });

test('any double is written as V8 writes it', () => {
  fc.assert(fc.property(fc.float64Array({ maxLength: 200 }), assertShortest), { numRuns: 500 });
});
