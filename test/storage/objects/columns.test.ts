/** Columns of sets in a bucket: how much comes over the wire, and what stays here. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { bytesOf, cut, joined, missing, type Range } from '../../../src/storage/objects/ranges.ts';
import { openTable } from '../../../src/columnar/index.ts';
import { startObjectWorld } from '../../support/stores/object-stores.ts';
import { dayKey, encoded, newArena, plain } from '../../support/stores/stored-sets.ts';

const world = await startObjectWorld();
after(() => world.stop());
const ROWS = 6000;

/** 26 columns of numbers, and one of texts. */
function columnsOf(day: number): Record<string, number[] | string[]> {
  const names = Array.from('abcdefghijklmnopqrstuvwxyz');
  const valuesOf = (i: number): number[] =>
    Array.from({ length: ROWS }, (_, row) => row / 3 + i + day);
  const numbers = names.map((name, i): [string, number[]] => [name, valuesOf(i)]);
  const namespace = Array.from({ length: ROWS }, (_, row) => `ns-${row % 40}`);
  return { ...Object.fromEntries(numbers), namespace };
}

test('a question reads the columns that it needs, once, and together where they are near', async () => {
  const arena = newArena(64 << 20);
  const sets = await world.open(arena, { prefix: 'columns/' });
  const days = [0, 1, 2];
  for (const day of days) await sets.write([await encoded(dayKey(day), columnsOf(day))]);
  const wanted = ['b', 'c', 'namespace'];
  const like = (day: number): Record<string, number[] | string[]> => {
    const all = columnsOf(day);
    return Object.fromEntries(wanted.map((name) => [name, all[name] ?? []]));
  };
  for (const day of days) {
    const stored = sets.locate(dayKey(day)) ?? assert.fail();
    // Two threads' wishes at one time, and the main thread's.
    const [one, two, own] = await Promise.all([
      world.threads.read(arena, stored, 1, wanted),
      world.threads.read(arena, stored, 2, wanted),
      sets.read(dayKey(day), 3, wanted),
    ]);
    assert.deepEqual(plain(openTable(arena, one), like(day)), like(day));
    assert.deepEqual(plain(openTable(arena, two), like(day)), like(day));
    assert.deepEqual(own && plain(own.table, like(day)), like(day));
  }
  const stored = sets.list('allocations').reduce((sum, { bytes }) => sum + bytes, 0);
  const { read, cache } = sets.state;
  assert.ok(read.bytes < 0.15 * stored, `${read.bytes} of ${stored} bytes were read`);
  assert.equal(read.requests, 4 * days.length, 'directory, numbers, codes and texts');
  assert.equal(cache.bytes, read.bytes);
  const before = read.requests;
  assert.equal((await sets.read(dayKey(1), 4, ['c']))?.table.rows, ROWS);
  assert.equal(sets.state.read.requests, before, 'what is here is not fetched again');
  await sets.close();
});

test('copies stay within their budget, the one used longest ago goes first', async () => {
  const arena = newArena(64 << 20);
  const sets = await world.open(arena, { prefix: 'columns/', cacheBytes: 220_000 });
  const cost = async (day: number): Promise<number | undefined> => {
    const read = await sets.read(dayKey(day), 9, ['a', 'b']);
    const value = read?.table.numbers('b')?.values[3];
    arena.release(9);
    return value;
  };
  for (const day of [0, 1, 0, 2, 0, 1, 2]) assert.equal(await cost(day), 2 + day);
  const { cache, read } = sets.state;
  assert.ok(cache.bytes <= 220_000, `${cache.bytes} bytes are kept`);
  // 0, 1 and 2 are fetched; 1 goes for 2, 2 for 1 again, and 0 for 2.
  assert.equal(read.requests, 2 * 5);
  await sets.close();
});

const RANGE = fc
  .tuple(fc.nat(60), fc.nat(60))
  .map(([a, b]): Range => [Math.min(a, b), Math.max(a, b)]);
const bytesIn = (ranges: readonly Range[]): Set<number> =>
  new Set(ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i)));

test('ranges that are missing are those that are wanted and not there', () => {
  fc.assert(
    fc.property(
      fc.array(RANGE),
      fc.array(RANGE),
      fc.integer({ min: 1, max: 9 }),
      (wanted, there, most) => {
        // prettier-ignore
        const parts = missing(wanted, joined(there));
        const [had, all] = [bytesIn(there), bytesIn(wanted)];
        const absent = new Set([...all].filter((at) => !had.has(at)));
        assert.deepEqual(bytesIn(parts), absent);
        assert.equal(bytesOf(parts), bytesIn(parts).size, 'none twice');
        const pieces = cut(parts, most);
        assert.deepEqual(bytesIn(pieces), bytesIn(parts));
        assert.ok(pieces.every(([from, to]) => to > from && to - from <= most));
        const near = joined(wanted, 5);
        assert.ok([...all].every((at) => bytesIn(near).has(at)));
      },
    ),
  );
});
