/** Fixed places written by the kernels, against V8's `toFixed`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { written } from '../../support/references/number-rows.ts';

/** `toFixed`, but zero has no sign, and numbers beyond 1e21 have all digits. */
function reference(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return '-';
  const text = value.toFixed(decimals);
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
}

function assertFixed(values: Float64Array, decimals: number): void {
  written(values, decimals).forEach((text, i) => {
    const expected = reference(values[i] ?? NaN, decimals);
    if (text !== expected) assert.equal(text, expected, `${values[i]}.toFixed(${decimals})`);
  });
}

const DECIMALS = Array.from({ length: 21 }, (_, i) => i);
const range = (length: number): number[] => Array.from({ length }, (_, i) => i);

const CASES: readonly (readonly [name: string, values: readonly number[]])[] = [
  ['zeros and what is no number', [0, -0, NaN, Infinity, -Infinity]],
  ['ties', range(2000).map((i) => (2 * i + 1) / 2 ** (1 + (i % 21)))],
  [
    'just below and above a whole',
    range(60).flatMap((i) => [1 - 2 ** -i, 1 + 2 ** -i, -(2 ** -i)]),
  ],
  ['nines', range(25).flatMap((i) => [1 - 10 ** -i, 10 - 10 ** -i, 99.5 - 10 ** -i])],
  ['powers of two', range(1100).map((i) => 2 ** (i - 1030))],
  ['powers of ten', range(46).map((i) => Number(`-1e${i - 25}`))],
  [
    'great numbers',
    range(500)
      .map((i) => (2 ** 53 - 1 - i) * 2 ** (i % 18))
      .concat(1e21, 1e300),
  ],
  ['the least numbers', [5e-324, 2.5e-320, 2 ** -1022, 5e-21, 4.999999999999999e-21]],
  ['thousandths', range(3000).map((i) => (i - 1500) / 1000 + 0.0005)],
];

for (const [name, values] of CASES)
  test(`${name} have the places of toFixed, 0 to 20 of them`, () => {
    for (const decimals of DECIMALS) assertFixed(Float64Array.from(values), decimals);
  });

const anyDouble = fc.oneof(
  fc.double(),
  fc.double({ min: -1e6, max: 1e6 }),
  fc.double({ min: -1e-10, max: 1e-10 }),
  fc.double({ min: -1e21, max: 1e21 }),
);

test('any double has the places of toFixed', () => {
  const values = fc.array(anyDouble, { maxLength: 200 });
  const property = fc.property(values, fc.integer({ min: 0, max: 20 }), (list, decimals) =>
    assertFixed(Float64Array.from(list), decimals),
  );
  fc.assert(property, { numRuns: 500 });
});
