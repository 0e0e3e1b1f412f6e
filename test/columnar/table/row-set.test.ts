import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RowSet } from '../../../src/columnar/index.ts';

const twoSets = fc
  .nat(200)
  .chain((rows) => fc.tuple(fc.constant(rows), subset(rows), subset(rows)));

function subset(rows: number): fc.Arbitrary<number[]> {
  return rows === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(rows - 1));
}

function setOf(rows: number, members: readonly number[]): RowSet {
  const set = new RowSet(rows);
  for (const row of members) set.add(row);
  return set;
}

test('a row set has the rows that were added and not deleted', () => {
  const set = setOf(70, [0, 31, 32, 69]);
  set.delete(32);
  assert.deepEqual([...set.indices()], [0, 31, 69]);
  assert.deepEqual([set.has(31), set.has(32), set.has(68)], [true, false, false]);
});

test('and, or, not and count are those of sets, for any rows', () => {
  fc.assert(
    fc.property(twoSets, ([rows, a, b]) => {
      const all = Array.from({ length: rows }, (_, row) => row);
      const [inA, inB] = [new Set(a), new Set(b)];
      const cases: [RowSet, number[]][] = [
        [setOf(rows, a), all.filter((row) => inA.has(row))],
        [setOf(rows, a).and(setOf(rows, b)), all.filter((row) => inA.has(row) && inB.has(row))],
        [setOf(rows, a).or(setOf(rows, b)), all.filter((row) => inA.has(row) || inB.has(row))],
        [setOf(rows, a).not(), all.filter((row) => !inA.has(row))],
        [setOf(rows, a).not().not(), all.filter((row) => inA.has(row))],
        [setOf(rows, a).addAll(), all],
        [setOf(rows, a).clear(), []],
      ];
      for (const [set, expected] of cases) {
        assert.deepEqual([...set.indices()], expected);
        assert.equal(set.count(), expected.length);
      }
    }),
  );
});

test('sets of different numbers of rows do not mix', () => {
  assert.throws(() => new RowSet(10).and(new RowSet(11)), /BUG: sets of 10 and 11 rows/);
  assert.throws(() => new RowSet(33, new Uint32Array(1)), /BUG: 1 words for 33 rows/);
});
