/** Sums in parts are exact: the same in any order, and as whole numbers of the least quantum tell. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  partSums,
  rangeOf,
  roundedWithRest,
  splitsOf,
} from '../../../src/storage/clickhouse/exact-sums.ts';
import { exactRest, exactSum } from '../../support/references/exact-sum.ts';
import { ofRuns } from '../../support/property-runs.ts';

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: 0, max: 10 }),
  fc.constantFrom(0, -0, 0.1, 1e-17, -0.1, 2 ** -1074, 2 ** 52 + 1, 1e16, 3),
  fc.integer({ min: -1000, max: 1000 }),
);
const spread = fc
  .tuple(fc.array(number, { maxLength: 60 }), fc.integer({ min: -40, max: 40 }))
  .map(([values, power]) => values.map((value) => value * 2 ** power));

test('parts add up to the exact sum, rounded once, and its rest', () => {
  let split = 0;
  fc.assert(
    fc.property(spread, (values) => {
      const range = rangeOf(Float64Array.from(values));
      assert.ok(range);
      const splits = splitsOf(range, values.length);
      if (splits === undefined) return;
      if (splits.length > 0) split++;
      const sums = partSums(Float64Array.from(values), splits);
      const [sum, rest] = roundedWithRest(sums);
      assert.equal(sum, exactSum(values));
      assert.equal(rest, exactRest(values, sum));
      const turned = partSums(Float64Array.from(values.toReversed()), splits);
      assert.deepEqual(
        turned.map((each) => each + 0),
        sums.map((each) => each + 0),
      );
    }),
    { numRuns: 700 },
  );
  assert.ok(split > ofRuns(30), `${split} were split`);
});

test('a half-way sum is rounded by what lies far below', () => {
  const half = 2 ** -53;
  for (const tiny of [2 ** -120, -(2 ** -120), 0]) {
    const [sum, rest] = roundedWithRest([1, half, tiny, 0]);
    assert.equal(sum, tiny > 0 ? 1 + 2 ** -52 : 1);
    assert.equal(rest, exactRest([1, half, tiny], sum));
  }
});

test('numbers that are not finite have no range, and too many parts are refused', () => {
  for (const odd of [NaN, Infinity, -Infinity])
    assert.equal(rangeOf(Float64Array.of(1, odd)), undefined);
  assert.equal(splitsOf({ top: 0, low: -1074 }, 1e6), undefined);
  assert.equal(splitsOf({ top: 1024, low: 971 }, 4), undefined);
  assert.deepEqual(splitsOf({ top: 20, low: 0 }, 1e6), []);
});
