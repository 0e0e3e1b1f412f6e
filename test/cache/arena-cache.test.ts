/** Cached values that hold memory of the arena: those in use stay, others within a budget; none is freed twice. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ArenaCache, type Held } from '../../src/cache/index.ts';
import { Arena, Owners, type Owner } from '../../src/columnar/index.ts';
import { dirtyMemory } from '../support/references/dirty-memory.ts';

const PAGE = 65_536;
const KEYS = ['a', 'b', 'c', 'd', 'e'];
const BUDGET = 6;
const ENTRY_MAX = 4;

const arena = new Arena(dirtyMemory(512 * PAGE));
const owners = new Owners(arena);

/** The address of its pages. */
type Value = number;

function opened(): ArenaCache<Value> {
  return new ArenaCache({
    arena,
    owners,
    budgetBytes: BUDGET * PAGE,
    entryMaxBytes: ENTRY_MAX * PAGE,
  });
}

const allocated = (owner: Owner, pages: number): Value => arena.allocate(pages * PAGE, owner);
const usedPages = (): number => arena.usedBytes / PAGE;
/** Lets the handlers of settled promises run. */
const promisesRun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('values that are left after some were opened and released', () => {
  /** A key with pages is opened and released, one with `+` is held to the end, `!` clears. */
  const cases: readonly (readonly [name: string, steps: string, expected: string])[] = [
    ['all that fits', 'a2 b2 c2', 'abc'],
    ['not the one that was used longest ago', 'a2 b2 c2 d2', 'bcd'],
    ['what was opened again, not what was made after it', 'a2 b2 c2 a2 d2', 'acd'],
    ['what is in use, before all that is not', 'a2+ b2 c2 d2 e2', 'ade'],
    ['nothing but what is in use, where that is beyond the budget', 'a4+ b4+ c2', 'ab'],
    ['none that is large', 'a1 b5', 'a'],
    ['one that is large as long as it is in use', 'b5+', 'b'],
    ['only what is in use after all was given back', 'a1 b1+ c1 !', 'b'],
  ];
  for (const [name, steps, expected] of cases) {
    test(`${name}: ${steps}`, async () => {
      const cache = opened();
      const held: Held<Value>[] = [];
      for (const [key = '', pages, isHeld] of steps.split(' ')) {
        if (key === '!') {
          cache.clear();
          continue;
        }
        const each = await cache.open(key, async (owner) => allocated(owner, Number(pages)));
        if (isHeld) held.push(each);
        else each.release();
      }
      assert.equal(KEYS.filter((key) => cache.has(key)).join(''), expected);
      for (const { release } of held) release();
      cache.clear();
      assert.equal(usedPages(), 0);
    });
  }
});

test('a forgotten value is made again for the next caller, and freed with its last user', async () => {
  const cache = opened();
  const open = (): Promise<Held<Value>> => cache.open('a', async (owner) => allocated(owner, 1));
  const [first, second] = await Promise.all([open(), open()]);
  first.forget();
  const anew = await open();
  assert.notEqual(anew.value, second.value);
  for (const { release } of [first, first, anew]) release();
  assert.equal(arena.u8(second.value, PAGE).length, PAGE);
  second.release();
  second.measure();
  second.forget();
  assert.equal(usedPages(), 1);
  cache.clear();
  assert.equal(usedPages(), 0);
});

test('memory that a user adds counts once it is measured, and is freed with the value', async () => {
  const cache = opened();
  const open = (key: string): Promise<Held<Owner>> =>
    cache.open(key, (owner) => Promise.resolve(owner).then(() => (allocated(owner, 2), owner)));
  (await open('a')).release();
  const held = await open('b');
  allocated(held.value, 3);
  held.measure();
  assert.deepEqual([cache.has('a'), usedPages()], [false, 5]);
  held.release();
  assert.deepEqual([cache.has('b'), usedPages()], [false, 0]);
});

test('all callers get the error of a making that fails at once or later, and no memory is held', async () => {
  const cache = opened();
  const later = async (owner: Owner): Promise<Value> => {
    allocated(owner, 1);
    await promisesRun();
    throw new Error('no');
  };
  const atOnce = (owner: Owner): Promise<Value> => {
    allocated(owner, 1);
    throw new Error('no');
  };
  for (const make of [later, atOnce]) {
    const both = await Promise.allSettled([cache.open('a', make), cache.open('a', make)]);
    for (const { status } of both) assert.equal(status, 'rejected');
    assert.deepEqual([usedPages(), cache.has('a')], [0, false]);
  }
});
