import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  compileKernels,
  createEngine,
  groupedCounts,
  extremesBytes,
  groupedExtremes,
  groupedSums,
  groupLayout,
  sumsOfColumn,
  type GroupLayout,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { exactSum } from '../../support/references/exact-sum.ts';

const OWNER = 1;
const TASK = 2;
const engine = createEngine(compileKernels(), dirtyMemory(256 << 20), OWNER);
const { arena } = engine;

interface Rows {
  readonly groups: number;
  readonly keys: Int32Array;
  readonly columns: readonly Float64Array[];
}

/** Copies the rows to the arena, each column 8 bytes off the alignment of the one before. */
function store({ keys, columns }: Rows): { keys: number; columns: number[]; rows: number } {
  const keysAt = arena.allocate(keys.byteLength, TASK);
  arena.i32(keysAt, keys.length).set(keys);
  const columnsAt = columns.map((column, i) => {
    const at = arena.allocate(column.byteLength + 64, TASK) + (i % 8) * 8;
    arena.f64(at, column.length).set(column);
    return at;
  });
  return { keys: keysAt, columns: columnsAt, rows: keys.length };
}

function sums(rows: Rows, compensated: boolean, groups: number = rows.groups): Float64Array[] {
  const layout = groupLayout(groups, rows.columns.length, compensated);
  const out = arena.allocateZeroed(layout.bytes, TASK);
  groupedSums(engine, layout, store(rows), out);
  const result = sumsIn(layout, out, rows);
  arena.release(TASK);
  return result;
}

/** Copies of the sums of all columns. */
function sumsIn(layout: GroupLayout, out: number, rows: Rows): Float64Array[] {
  return rows.columns.map((_, column) => {
    const sums = arena.f64(arena.allocate(8 * rows.groups, TASK), rows.groups);
    sumsOfColumn(engine, layout, out, column, sums);
    return sums.slice();
  });
}

/** As plain arrays, in which every NaN equals every other. */
function numbers(columns: readonly Float64Array[]): number[][] {
  return columns.map((column) => [...column]);
}

/** The reference: one row after the other. */
function sumsByRow({ groups, keys, columns }: Rows): Float64Array[] {
  return columns.map((column) => {
    const result = new Float64Array(groups);
    keys.forEach((key, row) => (result[key] = (result[key] ?? 0) + (column[row] ?? 0)));
    return result;
  });
}

function valuesOf(rows: Rows, column: number, group: number): number[] {
  return [...(rows.columns[column] ?? [])].filter((_, row) => rows.keys[row] === group);
}

function rowsOf(count: number, columns: number, groups: number): Rows {
  let state = count + columns;
  const next = (): number => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32;
  return {
    groups,
    keys: Int32Array.from({ length: count }, () => next() * groups),
    columns: Array.from({ length: columns }, () =>
      Float64Array.from({ length: count }, () => next() * 1000),
    ),
  };
}

const anyRows = fc
  .record({
    count: fc.nat(40),
    columns: fc.integer({ min: 1, max: 17 }),
    groups: fc.integer({ min: 1, max: 9 }),
    value: fc.constantFrom(fc.double(), fc.double({ noNaN: true, min: -1e9, max: 1e9 })),
  })
  .chain(({ count, columns, groups, value }) =>
    fc.record({
      groups: fc.constant(groups),
      keys: fc
        .array(fc.nat(groups - 1), { minLength: count, maxLength: count })
        .map((keys) => Int32Array.from(keys)),
      columns: fc.array(
        fc
          .array(value, { minLength: count, maxLength: count })
          .map((values) => Float64Array.from(values)),
        { minLength: columns, maxLength: columns },
      ),
    }),
  );

test('groupedSums adds the rows of each group', () => {
  const rows: [string, number[], number[], number[]][] = [
    ['no rows', [], [], [0, 0, 0]],
    ['one row', [2], [1.5], [0, 0, 1.5]],
    ['an odd number of rows', [0, 2, 0], [1, 2, 4], [5, 0, 2]],
    ['NaN, in its group alone', [0, 1, 0], [1, 2, NaN], [NaN, 2, 0]],
    [
      'infinities',
      [0, 0, 1, 2, 2],
      [Infinity, 1, -Infinity, Infinity, -Infinity],
      [Infinity, -Infinity, NaN],
    ],
  ];
  for (const [name, keys, values, expected] of rows) {
    for (const compensated of [false, true]) {
      const input = {
        groups: 3,
        keys: Int32Array.from(keys),
        columns: [Float64Array.from(values)],
      };
      assert.deepEqual(numbers(sums(input, compensated)), [expected], name);
    }
  }
});

test('groupedSums equals the reference for any rows, bit for bit, in 1 to 17 columns', () => {
  fc.assert(
    fc.property(anyRows, fc.boolean(), (rows, isWide) => {
      // Enough groups for the wide kernel.
      const groups = isWide ? 600 : rows.groups;
      assert.deepEqual(numbers(sums(rows, false, groups)), numbers(sumsByRow(rows)));
    }),
    { numRuns: 200 },
  );
});

test('groupedSums of a million rows equals the reference', () => {
  for (const [columns, groups] of [
    [5, 200],
    [1, 50_000],
  ] as const) {
    const rows = rowsOf(1_000_001, columns, groups);
    assert.deepEqual(sums(rows, false), sumsByRow(rows));
  }
});

test('groupedSums adds to a table, and two calls equal one', () => {
  const rows = rowsOf(1001, 9, 7);
  const layout = groupLayout(rows.groups, rows.columns.length, true);
  const out = arena.allocateZeroed(layout.bytes, TASK);
  const input = store(rows);
  groupedSums(engine, layout, { ...input, rows: 500 }, out);
  groupedSums(
    engine,
    layout,
    { keys: input.keys + 2000, columns: input.columns.map((at) => at + 4000), rows: 501 },
    out,
  );
  const halves = sumsIn(layout, out, rows);
  arena.release(TASK);
  assert.deepEqual(halves, sums(rows, true));
});

test('groupedSums refuses another number of columns than its table has', () => {
  const layout = groupLayout(1, 2, false);
  assert.throws(
    () => groupedSums(engine, layout, { keys: 0, columns: [0], rows: 0 }, 0),
    /BUG: 1 columns for a table of 2/,
  );
});

test('compensated sums are exact to two units in the last place where plain sums are lost', () => {
  const small = Array.from({ length: 1000 }, () => 2 ** -53);
  const rows: [string, number[]][] = [
    ['a large number that goes again', [1, 1e100, 1, -1e100]],
    ['many small ones beside a large one', [1, ...small]],
    ['tenths', Array.from({ length: 10_000 }, () => 0.1)],
    ['alternating', Array.from({ length: 9_999 }, (_, i) => (i % 2 ? -1e16 : 1e16 + i))],
  ];
  for (const [name, values] of rows) {
    const input = {
      groups: 1,
      keys: new Int32Array(values.length),
      columns: [Float64Array.from(values)],
    };
    const exact = exactSum(values);
    const error = Math.abs((sums(input, true)[0]?.[0] ?? NaN) - exact);
    assert.ok(error <= Math.abs(exact) * 2 * Number.EPSILON, `${name}: off by ${error}`);
  }
});

test('compensated sums of money equal the exact sum for any rows', () => {
  const money = fc.double({ noNaN: true, min: 1e-9, max: 1e9 });
  fc.assert(
    fc.property(
      fc.array(money, { maxLength: 300 }),
      fc.integer({ min: 1, max: 12 }),
      (values, columns) => {
        const rows = {
          groups: 3,
          keys: Int32Array.from(values, (_, i) => i % 3),
          columns: Array.from({ length: columns }, () => Float64Array.from(values)),
        };
        sums(rows, true).forEach((column, i) =>
          column.forEach((sum, group) => {
            const exact = exactSum(valuesOf(rows, i, group));
            assert.ok(Math.abs(sum - exact) <= exact * Number.EPSILON, `${sum}, exactly ${exact}`);
          }),
        );
      },
    ),
  );
});

test('groupedExtremes gives the least and the greatest of each group, ignoring NaN', () => {
  fc.assert(
    fc.property(anyRows, (rows) => {
      const scratch = arena.allocate(extremesBytes(rows.groups), TASK);
      const bounds = (value: number): Float64Array =>
        arena.f64(arena.allocate(8 * rows.groups, TASK), rows.groups).fill(value);
      const extremes = rows.columns.map(() => {
        return { least: bounds(Infinity), greatest: bounds(-Infinity) };
      });
      groupedExtremes(engine, rows.groups, store(rows), scratch, extremes);
      extremes.forEach(({ least, greatest }, column) => {
        for (let group = 0; group < rows.groups; group++) {
          const values = valuesOf(rows, column, group).filter((value) => !Number.isNaN(value));
          assert.ok(least[group] === Math.min(...values), `minimum of ${values.join()}`);
          assert.ok(greatest[group] === Math.max(...values), `maximum of ${values.join()}`);
        }
      });
      arena.release(TASK);
    }),
  );
});

test('groupedExtremes widens earlier extremes, for the given columns and groups only', () => {
  const columns = [1, 2, 3, 4, 5].map((n) => Float64Array.from([n, 10 * n, -n]));
  const rows = { groups: 2, keys: Int32Array.from([0, 0, 1]), columns };
  const scratch = arena.allocate(extremesBytes(rows.groups), TASK);
  const least = arena.f64(arena.allocate(8, TASK), 1).fill(4);
  const greatest = arena.f64(arena.allocate(8, TASK), 1).fill(49);
  const extremes = [{}, {}, {}, { greatest }, { least }];
  groupedExtremes(engine, rows.groups, store(rows), scratch, extremes);
  assert.deepEqual([...least, ...greatest], [4, 49]);
  greatest.fill(39);
  groupedExtremes(engine, rows.groups, store(rows), scratch, extremes);
  assert.deepEqual([...greatest], [40]);
  arena.release(TASK);
});

test('sumsOfColumn and groupedExtremes write only to the arena', () => {
  const layout = groupLayout(1, 1, true);
  const outside = new Float64Array(1);
  assert.throws(() => sumsOfColumn(engine, layout, 0, 0, outside), /BUG: .* outside the arena/);
});

test('groupedCounts counts the rows of each group', () => {
  const rows = rowsOf(9999, 0, 13);
  const out = arena.allocateZeroed(rows.groups * 4, TASK);
  groupedCounts(engine, store(rows).keys, rows.keys.length, out);
  const counts = [...arena.i32(out, rows.groups)];
  arena.release(TASK);
  assert.deepEqual(
    counts,
    counts.map((_, group) => rows.keys.filter((key) => key === group).length),
  );
});
