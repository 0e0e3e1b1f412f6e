/** Integer programs: the cheapest integer counts that meet all rows, within a time limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { solve, type IntegerProgram } from '../../src/cluster-sizing/integer-program.ts';

/** At least 10 units; nodes have 4 units for 3 USD, or 3 units for 2 USD. */
const PROGRAM: IntegerProgram = {
  costs: [3, 2],
  most: [10, 10],
  rows: [{ least: 10, gains: [4, 3] }],
  kindsMax: 2,
  start: undefined,
};

test('the cheapest counts that meet all rows are found, with a bound that equals their cost', async () => {
  const { counts, costBound } = (await solve(PROGRAM, performance.now() + 10_000)) ?? {};
  assert.deepEqual(counts, [1, 2]);
  assert.ok(Math.abs((costBound ?? 0) - 7) < 1e-6, `${costBound}`);
});

test('rows that no counts meet give no solution', async () => {
  const impossible = { ...PROGRAM, most: [1, 1] };
  assert.equal(await solve(impossible, performance.now() + 10_000), undefined);
});

for (const agoMs of [0, 0.001, 5000]) {
  test(`a time limit that ended ${agoMs} ms ago gives no solution and no error`, async () => {
    assert.equal(await solve(PROGRAM, performance.now() - agoMs), undefined);
  });
}
