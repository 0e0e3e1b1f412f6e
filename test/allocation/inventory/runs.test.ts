import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Runs } from '../../../src/allocation/inventory/runs.ts';

type Pair = readonly [atMs: number, value: number];

/** What several series say, each in order of time. */
const added = fc.array(
  fc
    .array(fc.tuple(fc.nat(12), fc.nat(3)), { maxLength: 6 })
    .map((pairs): Pair[] => pairs.toSorted(([a], [b]) => a - b)),
  { maxLength: 5 },
);

function runsOf(series: readonly (readonly Pair[])[]): Runs {
  const runs = new Runs();
  for (const pairs of series) runs.add(pairs.flat());
  return runs;
}

/** The value at a time: the last that came of the latest times at or before it. */
function valueAt(pairs: readonly Pair[], atMs: number): number | undefined {
  let latest: Pair | undefined;
  for (const pair of pairs) {
    if (pair[0] <= atMs && pair[0] >= (latest?.[0] ?? -Infinity)) latest = pair;
  }
  return latest?.[1];
}

function pairsOf(flat: readonly number[]): Pair[] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [
    flat[2 * i] ?? NaN,
    flat[2 * i + 1] ?? NaN,
  ]);
}

test('merged runs hold at every time what was said last of the latest time', () => {
  fc.assert(
    fc.property(added, (series) => {
      const merged = pairsOf(runsOf(series).merged());
      for (let atMs = -1; atMs <= 13; atMs++)
        assert.equal(valueAt(merged, atMs), valueAt(series.flat(), atMs));
    }),
  );
});

test('merged runs ascend, and neighbours differ', () => {
  fc.assert(
    fc.property(added, (series) => {
      const merged = pairsOf(runsOf(series).merged());
      for (const [i, [atMs, value]] of merged.entries()) {
        const before = merged[i - 1];
        if (before) assert.ok(before[0] < atMs && before[1] !== value, String(merged));
      }
    }),
  );
});

test('merging again changes nothing, and adding goes on', () => {
  fc.assert(
    fc.property(added, added, (first, second) => {
      const runs = runsOf(first);
      assert.deepEqual(runs.merged(), runs.merged());
      for (const pairs of second) runs.add(pairs.flat());
      assert.deepEqual(runs.merged(), runsOf([...first, ...second]).merged());
    }),
  );
});

test('the smallest value is that of all pairs, NaN when there are none', () => {
  fc.assert(
    fc.property(added, (series) => {
      const values = series.flat().map(([, value]) => value);
      const runs = runsOf(series);
      assert.equal(runs.isEmpty, values.length === 0);
      assert.equal(runs.smallest(), values.length === 0 ? NaN : Math.min(...values));
    }),
  );
});
