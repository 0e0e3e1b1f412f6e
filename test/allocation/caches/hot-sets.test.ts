/** Columns of sets that are requested again: each is read once, and failed or evicted sets hold nothing. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { HotSets } from '../../../src/allocation/index.ts';
import { Arena, ArenaFull, Owners } from '../../../src/columnar/index.ts';
import type { StoredSet } from '../../../src/storage/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { dayKey } from '../../support/stores/stored-sets.ts';

const PAGE = 65_536;

let arena: Arena;
let hot: HotSets;
let read: (string | null)[];
let failures: Error[];

beforeEach(() => {
  arena = new Arena(dirtyMemory(16 * PAGE));
  [read, failures] = [[], []];
  hot = new HotSets({
    arena,
    owners: new Owners(arena),
    budgetBytes: 3 * PAGE,
    read: async (_, owner, columns) => {
      read.push(columns?.join('+') ?? null);
      const frame = arena.allocate(PAGE, owner);
      await Promise.resolve();
      const failure = failures.shift();
      if (failure === undefined) return { frame, dictionaries: {}, bytes: {} };
      arena.free(frame, PAGE);
      throw failure;
    },
  });
});

function stored(index: number): StoredSet {
  return { key: dayKey(index), place: { path: `${index}` }, directory: [0, 0, 0] };
}

/** Opens a set that was opened before. */
async function again(
  index: number,
  columns: readonly string[] | null,
): ReturnType<HotSets['open']> {
  hot.isFirst(stored(index));
  return await hot.open(stored(index), columns);
}

test('a set that is opened for the first time is freed when it is released', async () => {
  const first = await hot.open(stored(0), ['a']);
  assert.equal(arena.usedBytes, PAGE);
  first.release();
  first.release();
  assert.equal(arena.usedBytes, 0);
});

test('a set that is opened again is read only in the missing columns', async () => {
  const all = await Promise.all(
    [['a'], ['a', 'b'], ['b'], null, ['c']].map((names) => again(0, names)),
  );
  assert.deepEqual(read, ['a', 'b', null]);
  for (const { tables } of all) assert.ok(tables.length > 0);
  for (const { release } of all) release();
  assert.equal(arena.usedBytes, 3 * PAGE);
  hot.clear();
  assert.equal(arena.usedBytes, 0);
});

test('a set that had to go for lack of room is read for its query alone the next time', async () => {
  (await again(0, ['a'])).release();
  hot.clear();
  assert.equal(hot.isFirst(stored(0)), true);
  hot.clear();
  const first = await hot.open(stored(0), ['a']);
  first.release();
  assert.equal(arena.usedBytes, 0, 'it stayed');
});

test('beyond the budget, what was not used for longest goes, and nothing in use', async () => {
  const held = await again(0, ['a']);
  for (const index of [1, 2, 3]) (await again(index, ['a'])).release();
  assert.equal(arena.usedBytes, 3 * PAGE);
  read = [];
  for (const index of [0, 2, 3, 1]) (await again(index, ['a'])).release();
  assert.deepEqual(read, ['a'], 'only what had gone');
  held.release();
});

test('a set that cannot be read fails its request, and holds nothing', async () => {
  failures = [new Error('damaged')];
  const both = await Promise.allSettled([again(0, ['a']), again(0, ['a'])]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
  for (const each of both) if (each.status === 'fulfilled') each.value.release();
  assert.equal(arena.usedBytes, 0, 'who asks next makes it anew');
});

test('where there is no room, what nobody uses makes some', async () => {
  (await again(0, ['a'])).release();
  failures = [new ArenaFull(PAGE, 0)];
  const other = await again(1, ['a']);
  assert.equal(arena.usedBytes, PAGE);
  other.release();
});
