/** Sketches against the sorted list of counted values. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addSketches,
  compileKernels,
  createEngine,
  createSketches,
  mergeSketches,
  sketchQuantiles,
  type Sketches,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import {
  bytesOf as bytesIn,
  sketchesOf as sketchesIn,
} from '../../support/arbitraries/sketches.ts';

const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);
const { arena } = engine;
const TASK = 2;
const QUANTILES = [0, 0.01, 0.25, 0.5, 0.8, 0.95, 0.99, 1];

const sketchesOf = (lists: readonly (readonly number[])[]): Sketches => sketchesIn(engine, lists);
const bytesOf = (sketches: Sketches, first?: number, stride?: number): Buffer[] =>
  bytesIn(engine, sketches, first, stride);

/** One sketch of all rows of bytes, in order. */
function merged(rows: readonly Buffer[]): Sketches {
  const sketches = createSketches(arena, TASK, 1);
  const all = Buffer.concat(rows);
  const bytes = arena.allocate(all.length, TASK);
  arena.u8(bytes, all.length).set(all);
  const offsets = arena.allocate(4 * (rows.length + 1), TASK);
  let end = 0;
  arena.u32(offsets, rows.length + 1).set([0, ...rows.map((row) => (end += row.length))]);
  const ids = arena.allocateZeroed(4 * rows.length, TASK);
  const column = { offsets: arena.u32(offsets, rows.length + 1), bytes: arena.u8(bytes, end) };
  mergeSketches(engine, TASK, sketches, column, ids);
  return sketches;
}

function assertWithin(list: readonly number[], found: readonly number[]): void {
  const sorted = list.toSorted((a, b) => a - b);
  QUANTILES.forEach((q, i) => {
    const exact = sorted[Math.floor(q * (sorted.length - 1))] ?? NaN;
    const error = Math.abs((found[i] ?? NaN) - exact);
    assert.ok(
      error <= 0.01 * (1 + 1e-9) * exact,
      `${q} of ${list.join()}: ${found[i]}, not ${exact}`,
    );
  });
}

function quantilesOf(sketches: Sketches, i = 0): number[] {
  return QUANTILES.map((q) => sketchQuantiles(engine, TASK, sketches, q)[i] ?? NaN);
}

const usage = fc.oneof(
  fc.double({ min: 0.001, max: 64, noNaN: true }),
  fc.constantFrom(0, 1, 2 ** 30, 1e-9, 1e18),
  fc.integer({ min: -29, max: 59 }).map((exponent) => 2 ** exponent),
);
const usages = fc.array(usage, { maxLength: 200, size: 'max' });
const RUNS = { numRuns: 300 };

function isolated(use: () => void): void {
  try {
    use();
  } finally {
    arena.release(TASK);
  }
}

test('any quantile is within 1 % of the one of the sorted list, zeros exactly', () => {
  const lists = fc.array(fc.array(usage, { minLength: 1, maxLength: 100 }), { minLength: 1 });
  const property = fc.property(lists, (all) =>
    isolated(() => {
      const sketches = sketchesOf(all);
      all.forEach((list, i) => assertWithin(list, quantilesOf(sketches, i)));
    }),
  );
  fc.assert(property, RUNS);
});

test('an empty sketch has no quantiles and no bytes', () => {
  isolated(() => {
    const sketches = sketchesOf([[], [5]]);
    assert.ok(quantilesOf(sketches).every(Number.isNaN), 'quantiles of nothing are NaN');
    assert.equal(bytesOf(sketches)[0]?.length, 0);
  });
});

const SMALL: readonly (readonly [name: string, list: readonly number[], bytes: number])[] = [
  ['one value', [0.25], 4],
  ['zeros alone', [0, 0, 0], 1],
  ['less than a billionth is zero', [1e-10, 1e-300], 1],
  ['a day of one value', Array.from({ length: 1440 }, () => 0.5), 5],
  ['a day around one value', Array.from({ length: 1440 }, (_, i) => 1 + (i % 10) / 100), 20],
];

for (const [name, list, bytes] of SMALL) {
  test(`bytes are few: ${name}`, () => {
    isolated(() => {
      const [row = Buffer.alloc(0)] = bytesOf(sketchesOf([list]));
      assert.ok(row.length <= bytes, `${row.length} bytes`);
      assert.deepEqual(bytesOf(merged([row])), [row]);
    });
  });
}

test('the sketch of all values is the one merged of parts, in any order and grouping', () => {
  const property = fc.property(usages, usages, usages, (a, b, c) =>
    isolated(() => {
      const [x, y, z] = bytesOf(sketchesOf([a, b, c]));
      assert.ok(x && y && z, 'three sketches have bytes');
      const [whole] = bytesOf(sketchesOf([[...a, ...b, ...c]]));
      const one = (rows: readonly Buffer[]): Buffer => bytesOf(merged(rows))[0] ?? Buffer.alloc(0);
      assert.deepEqual(one([x, y, z]), whole);
      assert.deepEqual(one([z, x, y]), whole);
      assert.deepEqual(one([one([x, y]), z]), whole);
      assert.deepEqual(one([x, one([z, y])]), whole);
    }),
  );
  fc.assert(property, RUNS);
});

test('sketches of another table are added as their bytes would be', () => {
  const property = fc.property(fc.array(usages, { maxLength: 20 }), usages, (lists, own) =>
    isolated(() => {
      const from = sketchesOf(lists);
      const ids = arena.allocate(4 * (lists.length + 1), TASK);
      arena.u32(ids, lists.length).set(lists.map((_, i) => (i * 7) % 3));
      const to = sketchesOf([own, own, own]);
      addSketches(engine, TASK, to, from, ids);
      const of = (id: number): readonly number[] =>
        lists.filter((_, i) => (i * 7) % 3 === id).flat();
      const whole = sketchesOf([0, 1, 2].map((id) => [...own, ...of(id)]));
      assert.deepEqual(bytesOf(to), bytesOf(whole));
    }),
  );
  fc.assert(property, RUNS);
});

test('values above the greatest count as the greatest', () => {
  isolated(() => assertWithin([1e18], quantilesOf(sketchesOf([[1e300]]))));
});

test('each second sketch can be written alone', () => {
  isolated(() => {
    const sketches = sketchesOf([[1], [2], [3], [4], [5]]);
    const all = bytesOf(sketches);
    assert.deepEqual(bytesOf(sketches, 1, 2), [all[1], all[3]]);
    assert.deepEqual(bytesOf(sketches, 0, 2), [all[0], all[2], all[4]]);
  });
});

test('more sketches than the pool had room for at first are merged without mixing', () => {
  isolated(() => {
    const lists = Array.from({ length: 300 }, (_, i) =>
      Array.from({ length: 60 }, (__, j) => (i + 1) * 1.5 ** (j - 30)),
    );
    const sketches = sketchesOf(lists);
    lists.forEach((list, i) => {
      if (i % 50 === 0) assertWithin(list, quantilesOf(sketches, i));
    });
    const [whole] = bytesOf(sketchesOf([lists.flat()]));
    assert.deepEqual(bytesOf(merged(bytesOf(sketches))), [whole]);
  });
});
