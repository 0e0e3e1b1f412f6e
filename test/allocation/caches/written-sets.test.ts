/** Sets that answers are written from: shared, within a budget, and taken from who stands still. */
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { WrittenSets } from '../../../src/allocation/index.ts';
import type { MakeSet, SharedRows } from '../../../src/allocation/caches/written-sets.ts';
import { Arena, Owners } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const SET_BYTES = 1 << 20;
const never = new AbortController().signal;

// Nothing else keeps the process alive while a reader waits for room.
const alive = setInterval(() => undefined, 1000);
after(() => clearInterval(alive));

let arena: Arena;
let sets: WrittenSets;
let made: string[];
let rows: number;
let lacking: string[];

beforeEach(() => {
  arena = new Arena(dirtyMemory(16 << 20));
  [made, rows, lacking] = [[], 7, []];
  sets = new WrittenSets({
    arena,
    owners: new Owners(arena),
    budgetBytes: 2 * SET_BYTES,
    idleMs: 50,
  });
});

/** A set of one MiB. */
function make(key: string): MakeSet {
  return async (owner) => {
    await Promise.resolve();
    made.push(key);
    const address = arena.allocate(SET_BYTES, owner);
    return { kind: 'program', address, rows, holds: [], warnings: [key, ...lacking] };
  };
}

const open = (key: string, signal: AbortSignal = never): Promise<SharedRows> =>
  sets.open(key, make(key), signal);
const use = (reader: SharedRows): Promise<number> =>
  reader.use(({ address }) => Promise.resolve(address));

test('readers of one set share it, and the last gives it back', async () => {
  const readers = await Promise.all(Array.from({ length: 20 }, () => open('a')));
  assert.deepEqual(made, ['a']);
  assert.deepEqual([readers[0]?.rows, readers[0]?.warnings], [7, ['a']]);
  for (const reader of readers.slice(1)) reader.release();
  assert.equal(arena.usedBytes, SET_BYTES);
  readers[0]?.release();
  readers[0]?.release();
  assert.equal(arena.usedBytes, 0);
});

test('one reader who stands still loses the set to one who waits, and gets it again', async () => {
  const still = await open('a');
  const other = await open('b');
  const third = await open('c');
  assert.deepEqual(made, ['a', 'b', 'c']);
  assert.equal(arena.usedBytes, 2 * SET_BYTES);
  other.release();
  await Promise.all([use(still), use(still)]);
  assert.deepEqual(made, ['a', 'b', 'c', 'a']);
  still.release();
  third.release();
  assert.equal(arena.usedBytes, 0);
});

test('a set made anew that lacks a day fails, also where it has as many rows', async () => {
  const still = await open('a');
  const [other, third] = [await open('b'), await open('c')];
  other.release();
  lacking = ['a day is damaged'];
  await assert.rejects(use(still), /was damaged while it was read: a; a day is damaged/);
  assert.deepEqual(made, ['a', 'b', 'c', 'a'], 'it had lost the set');
  still.release();
  third.release();
  assert.equal(arena.usedBytes, 0);
});

test('a set that is in use is not taken, whoever waits', async () => {
  const [first, second] = [await open('a'), await open('b')];
  let finish = (): void => undefined;
  const held = [first, second].map((reader) =>
    reader.use(() => new Promise<void>((resolve) => (finish = both(finish, resolve)))),
  );
  const abort = new AbortController();
  const waiting = open('c', abort.signal);
  setTimeout(() => abort.abort(new Error('gone')), 200);
  await assert.rejects(waiting, /gone/);
  finish();
  await Promise.all(held);
  first.release();
  second.release();
  assert.deepEqual([made, arena.usedBytes], [['a', 'b'], 0]);
});

test('a set that comes out otherwise when it is made anew is not written on with', async () => {
  const still = await open('a');
  const others = [await open('b'), await open('c')];
  rows = 6;
  for (const other of others) other.release();
  await assert.rejects(use(still), /damaged/);
  still.release();
  assert.equal(arena.usedBytes, 0);
});

test('what fails fails for all who wait, and leaves nothing', async () => {
  const failing: MakeSet = (owner) => {
    arena.allocate(SET_BYTES, owner);
    return Promise.reject(new Error('torn'));
  };
  const all = Array.from({ length: 3 }, () => sets.open('a', failing, never));
  for (const one of all) await assert.rejects(one, /torn/);
  assert.equal(arena.usedBytes, 0);
  (await open('a')).release();
  assert.equal(arena.usedBytes, 0);
});

function both(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}
