/** What sets came to is made once, kept while there is room, and freed when nobody uses it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arena, Owners, type Owner } from '../../src/columnar/index.ts';
import type { FoundDemand } from '../../src/request-sizing/demand/demand-tasks.ts';
import { CachedDemand } from '../../src/request-sizing/demand/cached-demand.ts';
import { dirtyMemory } from '../support/references/dirty-memory.ts';
import { dayKey } from '../support/stores/stored-sets.ts';

const PAGE = 65_536;
const DEMAND = { rows: 0, records: 0, tuples: 0, dictionary: 0, sketches: [], clusters: [] };
const DAMAGED: FoundDemand['damaged'] = [
  { stored: { key: dayKey(0), place: { path: 'x' }, directory: [0, 0, 0] }, message: 'damaged' },
];

function keeping(pages: number) {
  const arena = new Arena(dirtyMemory(64 * PAGE));
  const kept = new CachedDemand({ arena, owners: new Owners(arena), budgetBytes: pages * PAGE });
  const made: string[] = [];
  /** Of a page each. */
  const make =
    (id: string, damaged: FoundDemand['damaged'] = []) =>
    async (keeper: Owner): Promise<FoundDemand> => {
      made.push(id);
      arena.allocate(PAGE, keeper);
      await Promise.resolve();
      return { demand: DEMAND, damaged };
    };
  return { arena, kept, made, make };
}

test('those who ask at the same time, and later, get what was made once', async () => {
  const { arena, kept, made, make } = keeping(1);
  const both = await Promise.all([kept.open('a', make('a')), kept.open('a', make('a'))]);
  for (const { release } of both) release();
  (await kept.open('a', make('a'))).release();
  assert.deepEqual(made, ['a']);
  assert.equal(arena.usedBytes, PAGE);
});

test('what was not used for longest goes where there is no room, but not what is in use', async () => {
  const { arena, kept, made, make } = keeping(2);
  const a = await kept.open('a', make('a'));
  for (const id of ['b', 'c', 'd']) (await kept.open(id, make(id))).release();
  assert.equal(arena.usedBytes, 2 * PAGE);
  (await kept.open('a', make('a'))).release();
  (await kept.open('d', make('d'))).release();
  a.release();
  (await kept.open('b', make('b'))).release();
  assert.deepEqual(made, ['a', 'b', 'c', 'd', 'b']);
  assert.equal(arena.usedBytes, 2 * PAGE);
});

test('without room nothing is kept', async () => {
  const { arena, kept, made, make } = keeping(0);
  for (let i = 0; i < 2; i++) (await kept.open('a', make('a'))).release();
  assert.deepEqual(made, ['a', 'a']);
  assert.equal(arena.usedBytes, 0);
});

test('what lacks a damaged set, or failed, is made anew and holds nothing', async () => {
  const { arena, kept, made, make } = keeping(9);
  const fail = async (keeper: Owner): Promise<FoundDemand> => {
    await make('failed')(keeper);
    throw new Error('no');
  };
  const failed = await Promise.allSettled([kept.open('a', fail), kept.open('a', fail)]);
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  const damaged = await Promise.all([0, 1].map(() => kept.open('a', make('a', DAMAGED))));
  for (const { release } of damaged) release();
  assert.equal(arena.usedBytes, 0);
  (await kept.open('a', make('a'))).release();
  assert.deepEqual(made, ['failed', 'a', 'a']);
  assert.equal(arena.usedBytes, PAGE);
});
