/** Columns gathered from rows of others: each kernel against a loop over rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addShared,
  compileKernels,
  createEngine,
  createFrame,
  gatherRows,
  mapField,
  mapFieldSum,
  mapNumbers,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const TASK = 2;
const STRIDE = 6;
const RECORDS = 8;
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);
const { arena, kernels } = engine;
const space = { engine, owner: TASK };

const number = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, NaN, 1e300));
const input = fc.record({
  rows: fc.array(fc.nat(RECORDS - 1), { maxLength: 40 }),
  values: fc.array(number, { minLength: STRIDE * RECORDS, maxLength: STRIDE * RECORDS }),
  divisor: fc.constantFrom(1, 1000, 3_600_000),
});

function numbers(values: readonly number[]): Float64Array {
  const own = arena.f64(arena.allocate(8 * values.length + 8, TASK), values.length);
  own.set(values);
  return own;
}

function codes(values: readonly number[]): Uint32Array {
  const own = arena.u32(arena.allocate(4 * values.length + 4, TASK), values.length);
  own.set(values);
  return own;
}

test('numbers, fields and sums of fields are those of the listed rows', () => {
  fc.assert(
    fc.property(input, ({ rows, values, divisor }) => {
      const records = numbers(values);
      const at = codes(rows);
      const of = { address: records.byteOffset, bytes: 8 * STRIDE };
      const out = numbers(rows);
      const value = (row: number, field: number): number => values[STRIDE * row + field] ?? 0;
      mapNumbers(space, at, records, out);
      assert.deepEqual(
        [...out],
        rows.map((row) => values[row]),
      );
      mapField(space, at, of, { field: 8 * 4, divisor }, out);
      assert.deepEqual(
        [...out],
        rows.map((row) => value(row, 4) / divisor),
      );
      mapFieldSum(space, at, of, { field: 8 * 1, other: 8 * 3, divisor }, out);
      assert.deepEqual(
        [...out],
        rows.map((row) => (value(row, 1) + value(row, 3)) / divisor),
      );
      arena.release(TASK);
    }),
  );
});

test('a share of a field is added to rows with a record', () => {
  const given = fc.tuple(input, fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }));
  fc.assert(
    fc.property(given, ([{ rows, values, divisor }, isNone]) => {
      const placed = rows.map((row, i) => (isNone[i] === true ? -1 : row));
      const own = codes(rows);
      const records = {
        rows: arena.i32(own.byteOffset, rows.length),
        shares: numbers(rows.map((_, i) => 1 / (i + 1))),
        address: numbers(values).byteOffset,
        bytes: 8 * STRIDE,
      };
      records.rows.set(placed);
      const out = numbers(rows.map((_, i) => i));
      addShared(space, records, { field: 8 * 2, divisor }, out);
      const expected = placed.map((row, i) =>
        row < 0 ? i : i + ((1 / (i + 1)) * (values[STRIDE * row + 2] ?? 0)) / divisor,
      );
      assert.deepEqual([...out], expected);
      arena.release(TASK);
    }),
  );
});

test('gathered rows have each column, of any type', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 30 }), (rows) => {
      const frame = createFrame(
        arena,
        [
          { name: 'code', type: 'u32' },
          { name: 'signed', type: 'i32' },
          { name: 'number', type: 'f64' },
        ],
        10,
        TASK,
      );
      for (let row = 0; row < 10; row++) {
        frame.u32('code')[row] = 7 * row;
        frame.i32('signed')[row] = -row;
        frame.f64('number')[row] = row / 3;
      }
      const gathered = gatherRows(space, frame, Uint32Array.from(rows));
      assert.deepEqual(
        [...gathered.u32('code')],
        rows.map((row) => 7 * row),
      );
      assert.deepEqual(
        [...gathered.i32('signed')],
        rows.map((row) => 0 - row),
      );
      assert.deepEqual(
        [...gathered.f64('number')],
        rows.map((row) => row / 3),
      );
      arena.release(TASK);
    }),
  );
});

test('a column is multiplied by another', () => {
  const [out, by] = [numbers([1, -2, NaN, 0.1]), numbers([3, 0.5, 1, 0.2])];
  kernels.multiplyColumn(by.byteOffset, 4, out.byteOffset);
  assert.deepEqual([...out], [3, -1, NaN, 0.1 * 0.2]);
  arena.release(TASK);
});
