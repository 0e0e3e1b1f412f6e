/** Moments written by the kernels, against `Date`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { moments } from '../../support/references/number-rows.ts';

function reference(ms: number): string {
  if (!(Math.abs(ms) <= 8.64e15)) return '';
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

function assertMoments(values: Float64Array): void {
  assert.deepEqual(moments(values), Array.from(values, reference));
}

const DAY_MS = 86_400_000;

test('each day of eight centuries is written like by Date', () => {
  const from = Date.UTC(1600, 0, 1);
  assertMoments(Float64Array.from({ length: 800 * 366 }, (_, i) => from + i * DAY_MS));
});

test('unusual moments are written like by Date', () => {
  assertMoments(Float64Array.of(0, -0, -1, 1, 999.9, -999.9, 8.64e15, -8.64e15, 8.65e15, NaN));
  assertMoments(Float64Array.of(Infinity, -Infinity, -62_198_755_200_000, 253_402_300_800_000));
});

test('any moment is written like by Date', () => {
  const ms = fc.oneof(
    fc.integer({ min: 0, max: 4_102_444_800_000 }),
    fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }),
  );
  const property = fc.property(fc.array(ms, { maxLength: 100 }), (list) =>
    assertMoments(Float64Array.from(list)),
  );
  fc.assert(property, { numRuns: 300 });
});
