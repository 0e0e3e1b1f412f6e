/** Integer programs: the cheapest integer counts that meet all rows, within a limit of work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { solve, type IntegerProgram } from '../../src/cluster-sizing/integer-program.ts';
import { Unavailable } from '../../src/query/index.ts';

/** At least 10 units; nodes have 4 units for 3 USD, or 3 units for 2 USD. */
const PROGRAM: IntegerProgram = {
  costs: [3, 2],
  most: [10, 10],
  rows: [{ least: 10, gains: [4, 3] }],
  kindsMax: 2,
  start: undefined,
};

const KINDS = Array.from({ length: 24 }, (_, i) => i);
const part = (kind: number, step: number): number => ((kind * step) % 101) / 101;

/** Prices follow what kinds gain, so that many mixes cost nearly the same: many iterations. */
const LONG: IntegerProgram = {
  costs: KINDS.map((kind) => 20 + 10 * part(kind, 37) + 10 * part(kind, 59) + part(kind, 7)),
  most: KINDS.map(() => 50),
  rows: [37, 59].map((step) => ({
    least: 299.7,
    gains: KINDS.map((kind) => 10 + 10 * part(kind, step)),
  })),
  kindsMax: 4,
  start: undefined,
};

const ENOUGH = 1_000_000;

test('the cheapest counts that meet all rows are found, with a bound that equals their cost', async () => {
  const { counts, costBound } = await solve(PROGRAM, ENOUGH);
  assert.deepEqual(counts, [1, 2]);
  assert.ok(Math.abs(costBound - 7) < 1e-6, `${costBound}`);
});

test('rows that no counts meet give no counts', async () => {
  assert.equal((await solve({ ...PROGRAM, most: [1, 1] }, ENOUGH)).counts, undefined);
});

test('a search that its iterations stop has the same counts and bound each time', async () => {
  const whole = await solve(LONG, ENOUGH);
  const stopped = await solve(LONG, 100);
  assert.ok(stopped.iterations < whole.iterations, `${stopped.iterations}, ${whole.iterations}`);
  assert.ok(stopped.costBound < whole.costBound, `${stopped.costBound}, ${whole.costBound}`);
  assert.deepEqual(await solve(LONG, 100), stopped);
});

test('a search that the clock stops is an error, not another answer', async () => {
  await assert.rejects(
    () => solve(LONG, ENOUGH, 1),
    (error) =>
      error instanceof Unavailable && error.status === 503 && /did not end/.test(error.message),
  );
});
