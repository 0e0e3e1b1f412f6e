/** Demand is computed once, cached while there is room, and freed when nobody uses it. */
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

function caching(pages: number) {
  const arena = new Arena(dirtyMemory(64 * PAGE));
  const cache = new CachedDemand({ arena, owners: new Owners(arena), budgetBytes: pages * PAGE });
  const made: string[] = [];
  /** Makes demand of a page. */
  const make =
    (id: string, damaged: FoundDemand['damaged'] = []) =>
    async (keeper: Owner): Promise<FoundDemand> => {
      made.push(id);
      arena.allocate(PAGE, keeper);
      await Promise.resolve();
      return { demand: DEMAND, damaged };
    };
  return { arena, cache, made, make };
}

test('requests at the same time, and later ones, share one computation', async () => {
  const { arena, cache, made, make } = caching(1);
  const both = await Promise.all([cache.open('a', make('a')), cache.open('a', make('a'))]);
  for (const { release } of both) release();
  (await cache.open('a', make('a'))).release();
  assert.deepEqual(made, ['a']);
  assert.equal(arena.usedBytes, PAGE);
});

test('the demand that was used longest ago goes first, but never one in use', async () => {
  const { arena, cache, made, make } = caching(2);
  const a = await cache.open('a', make('a'));
  for (const id of ['b', 'c', 'd']) (await cache.open(id, make(id))).release();
  assert.equal(arena.usedBytes, 2 * PAGE);
  (await cache.open('a', make('a'))).release();
  (await cache.open('d', make('d'))).release();
  a.release();
  (await cache.open('b', make('b'))).release();
  assert.deepEqual(made, ['a', 'b', 'c', 'd', 'b']);
  assert.equal(arena.usedBytes, 2 * PAGE);
});

test('without room nothing is cached', async () => {
  const { arena, cache, made, make } = caching(0);
  for (let i = 0; i < 2; i++) (await cache.open('a', make('a'))).release();
  assert.deepEqual(made, ['a', 'a']);
  assert.equal(arena.usedBytes, 0);
});

test('demand that lacks a damaged set, or failed, is computed again and holds no memory', async () => {
  const { arena, cache, made, make } = caching(9);
  const fail = async (keeper: Owner): Promise<FoundDemand> => {
    await make('failed')(keeper);
    throw new Error('no');
  };
  const failed = await Promise.allSettled([cache.open('a', fail), cache.open('a', fail)]);
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  const damaged = await Promise.all([0, 1].map(() => cache.open('a', make('a', DAMAGED))));
  for (const { release } of damaged) release();
  assert.equal(arena.usedBytes, 0);
  (await cache.open('a', make('a'))).release();
  assert.deepEqual(made, ['failed', 'a', 'a']);
  assert.equal(arena.usedBytes, PAGE);
});
