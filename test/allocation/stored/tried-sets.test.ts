/** Which sets are made once before an answer begins. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arena, ArenaFull, Owners } from '../../../src/columnar/index.ts';
import { beside, toTry } from '../../../src/allocation/stored/tried-sets.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

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

test('the margin is what is free in all, in however many pieces, and is given back', async () => {
  const arena = new Arena(dirtyMemory(17 * MIB, false));
  const owners = new Owners(arena);
  const holders = Array.from({ length: 15 }, () => owners.take());
  for (const holder of holders) arena.allocate(MIB, holder);
  for (const [i, holder] of holders.entries()) if (i % 3 !== 0) owners.clear(holder);
  const own = owners.take();
  const heldBytes = arena.usedBytes;
  assert.throws(() => arena.allocate(6 * MIB, own), ArenaFull);
  const work = (): Promise<number> => Promise.resolve(arena.usedBytes - heldBytes);
  assert.equal(await beside(arena, own, 6 * MIB, work), 6 * MIB);
  assert.equal(arena.usedBytes, heldBytes);
  await assert.rejects(beside(arena, own, 16 * MIB, work), ArenaFull);
});
