import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addOverlaps,
  addRated,
  compileKernels,
  createEngine,
  sumOverlaps,
  sumPlaces,
  type NumberColumn,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const [KERNELS, TASK] = [1, 2];
const PLACES = 5;
const { arena, ...rest } = createEngine(compileKernels(), dirtyMemory(64 << 20), KERNELS);
const space = { engine: { arena, ...rest }, owner: TASK };

function column(values: readonly number[]): NumberColumn {
  const address = arena.allocate(8 * values.length + 8, TASK);
  const own = arena.f64(address, values.length);
  own.set(values);
  return { address, values: own };
}

const moment = fc.integer({ min: -50, max: 50 });
const rows = fc.array(
  fc.record({
    place: fc.nat(PLACES - 1),
    start: moment,
    ms: fc.nat(60),
    value: fc.oneof(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), fc.constant(Infinity)),
  }),
  { maxLength: 60 },
);

test('rows without a place are skipped; others are summed and rated by their place', () => {
  const rates = Float64Array.from({ length: PLACES }, (_, place) => place * 0.5);
  fc.assert(
    fc.property(rows, moment, fc.nat(80), (all, from, ms) => {
      arena.release(TASK);
      const until = from + ms;
      const placed = { places: Uint32Array.from(all, ({ place }) => place), count: PLACES };
      const starts = column(all.map(({ start }) => start));
      const ends = column(all.map((row) => row.start + row.ms));
      const times = { starts, ends, from, until };
      const values = column(all.map(({ value }) => value));
      const overlaps = all.map((row) =>
        Math.max(0, Math.min(row.start + row.ms, until) - Math.max(row.start, from)),
      );
      const sumsOf = (of: readonly number[]): number[] =>
        Array.from({ length: PLACES }, (_, place) =>
          all.reduce((sum, row, i) => sum + (place > 0 && row.place === place ? (of[i] ?? 0) : 0), 0),
        );
      const added = (of: readonly number[]): number[] =>
        all.map(({ place }, i) => 1 + (place > 0 ? (rates[place] ?? 0) * (of[i] ?? 0) : 0));
      assert.deepEqual([...sumOverlaps(space, placed, times)], sumsOf(overlaps));
      assert.deepEqual([...sumPlaces(space, placed, values)], sumsOf(all.map(({ value }) => value)));
      assert.deepEqual([...sumPlaces(space, placed, undefined)], sumsOf([]));
      const out = column(all.map(() => 1));
      addOverlaps(space, placed, times, rates, out);
      assert.deepEqual([...out.values], added(overlaps));
      const other = column(all.map(() => 1));
      addRated(space, placed, values, rates, other);
      assert.deepEqual([...other.values], added(all.map(({ value }) => value)));
      addRated(space, placed, undefined, rates, other);
      assert.deepEqual([...other.values], added(all.map(({ value }) => value)));
    }),
  );
}); // prettier-ignore
