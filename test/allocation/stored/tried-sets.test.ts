/** Which sets are made once before an answer begins. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTry } from '../../../src/allocation/stored/tried-sets.ts';

const MIB = 2 ** 20;
const DAY = 50_000;

const CASES: readonly [
  name: string,
  rows: readonly number[],
  arenaMib: number,
  places: readonly number[],
  marginMib: number,
][] = [
  ['no set', [], 48, [], 0],
  ['one set, which fails before the first byte or not at all', [DAY], 48, [], 0],
  ['small sets in much memory', [500, 500], 600, [], 0],
  ['small sets in little memory: each', [500, 400, 500], 24, [0, 1, 2], 1],
  ['small sets in some memory: the one with most rows', [400, 500, 500], 240, [1], 40],
  ['large sets in much memory: the one with most rows', [DAY, DAY + 1, 10], 600, [1], 100],
  ['large sets in much memory, the first the largest', [DAY, 10, DAY], 600, [0], 100],
  ['large sets in some memory: each', [10, DAY, 10], 240, [0, 1, 2], 1],
];
for (const [name, rows, arenaMib, places, marginMib] of CASES) {
  test(`${name}: ${places.length} tried of ${rows.length} in ${arenaMib} MiB`, () => {
    assert.deepEqual(toTry(rows, arenaMib * MIB), { places, marginBytes: marginMib * MIB });
  });
}
