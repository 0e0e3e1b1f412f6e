import { test } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fc from 'fast-check';
import {
  Arena,
  createFrame,
  Frame,
  frameBytes,
  type ColumnSpec,
  type ColumnType,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { typescriptWorker } from '../../support/servers/typescript-worker.ts';
import { anyUnicode } from '../../support/arbitraries/unicode.ts';

const OWNER = 1;
const memory = dirtyMemory(8 << 20);
const arena = new Arena(memory);

const anyColumns = fc.uniqueArray(
  fc.record({
    name: fc.oneof(anyUnicode(), fc.constantFrom('__proto__', 'größe')),
    type: fc.constantFrom<ColumnType>('f64', 'i32', 'u32', 'bits'),
  }),
  { selector: ({ name }) => name, maxLength: 20 },
);

function write(frame: Frame, { name, type }: ColumnSpec, seed: number): void {
  if (type === 'bits') {
    for (let row = seed % 3; row < frame.rows; row += 3) frame.bits(name).add(row);
  } else {
    frame[type](name)
      .fill(seed)
      .fill(seed + 1, 1);
  }
}

function read(frame: Frame, { name, type }: ColumnSpec): number[] {
  return [...(type === 'bits' ? frame.bits(name).indices() : frame[type](name))];
}

function expected(rows: number, type: ColumnType, seed: number): number[] {
  const all = Array.from({ length: rows }, (_, row) => row);
  if (type === 'bits') return all.filter((row) => row % 3 === seed % 3);
  return all.map((row) => (row === 0 ? seed : seed + 1));
}

test('another thread reads all columns of a frame by its address', () => {
  fc.assert(
    fc.property(anyColumns, fc.nat(100), (columns, rows) => {
      // Earlier content of the memory must not matter.
      arena.u8(arena.allocate(1 << 20, OWNER), 1 << 20).fill(255);
      arena.release(OWNER);
      const frame = createFrame(arena, columns, rows, OWNER);
      columns.forEach((column, seed) => write(frame, column, seed));
      const opened = new Frame(new Arena(memory), frame.address);
      assert.equal(opened.rows, rows);
      assert.deepEqual(
        [...opened.columns.keys()],
        columns.map(({ name }) => name),
      );
      columns.forEach((column, seed) =>
        assert.deepEqual(read(opened, column), expected(rows, column.type, seed)),
      );
      assert.ok(
        [...opened.columns.values()].every(({ address }) => address % 64 === 0),
        'a column is not aligned',
      );
      assert.equal(opened.bytes, frameBytes(columns, rows));
      arena.release(OWNER);
    }),
  );
});

test('a frame crosses to a worker as a number and comes back doubled', async () => {
  const frame = createFrame(arena, [{ name: 'costUsd', type: 'f64' }], 1000, OWNER);
  frame.f64('costUsd').forEach((_, row, costs) => (costs[row] = row / 8));
  const entry = new URL('../../support/references/double-costs.ts', import.meta.url);
  const worker = typescriptWorker(entry, { memory, address: frame.address });
  await once(worker, 'exit');
  assert.deepEqual(
    [...frame.f64('costUsd')],
    Array.from({ length: 1000 }, (_, row) => row / 4),
  );
  arena.release(OWNER);
});

test('a frame may be copied as bytes', () => {
  const frame = createFrame(arena, [{ name: 'node', type: 'u32' }], 3, OWNER);
  frame.u32('node').set([1, 0, 2]);
  const at = arena.allocate(frame.bytes, OWNER);
  arena.u8(at, frame.bytes).set(arena.u8(frame.address, frame.bytes));
  assert.deepEqual([...new Frame(arena, at).u32('node')], [1, 0, 2]);
  arena.release(OWNER);
});

test('a column that is not there, of another type or there twice is a bug', () => {
  const frame = createFrame(arena, [{ name: 'a', type: 'f64' }], 1, OWNER);
  assert.throws(() => frame.f64('b'), /BUG: no column 'b' of f64: there are a/);
  assert.throws(() => frame.u32('a'), /BUG: no column 'a' of u32: it is f64/);
  const twice: ColumnSpec[] = [
    { name: 'a', type: 'f64' },
    { name: 'a', type: 'u32' },
  ];
  assert.throws(() => createFrame(arena, twice, 1, OWNER), /BUG: a name twice in a, a/);
  assert.throws(() => new Frame(arena, arena.allocateZeroed(64, OWNER)), /BUG: no frame at/);
  arena.release(OWNER);
});
