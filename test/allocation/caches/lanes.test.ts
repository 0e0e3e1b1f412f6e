/** Work a few at once: in order, and one at a time where there is no room for more. */
import assert from 'node:assert/strict';
import { setImmediate as soon } from 'node:timers/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { inLanes } from '../../../src/allocation/caches/lanes.ts';
import { ArenaFull } from '../../../src/columnar/index.ts';

/** Work that needs room while it goes on. */
function roomOf(capacity: number) {
  let [used, most] = [0, 0];
  return {
    most: () => most,
    used: () => used,
    async take(size: number): Promise<number> {
      if (used + size > capacity) throw new ArenaFull(size, capacity - used);
      used += size;
      most = Math.max(most, used);
      for (let i = 0; i < size; i++) await soon();
      used -= size;
      return 10 * size;
    },
  };
}

test('whatever fits alone is worked on, however little room there is, in the order of the items', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 8, max: 40 }), async (items, capacity) => {
      const room = roomOf(capacity);
      const results = await inLanes(items, (size) => room.take(size));
      assert.deepEqual(
        results,
        items.map((size) => 10 * size),
      );
      assert.ok(room.most() <= capacity);
    }),
    { numRuns: 60 },
  );
});

const FAILURES: readonly (readonly [string, readonly number[], object])[] = [
  ['one that does not fit alone', [1, 2, 9, 1], { name: 'ArenaFull', wantedBytes: 9 }],
  ['an only one that does not fit', [9], { name: 'ArenaFull', wantedBytes: 9 }],
  ['another failure', [1, NaN, 2, 3], { message: 'damaged' }],
];

for (const [name, items, expected] of FAILURES)
  test(`${name} is thrown once nothing runs any more`, async () => {
    const room = roomOf(8);
    const work = inLanes(items, async (size) => {
      if (Number.isNaN(size)) throw new Error('damaged');
      return await room.take(size);
    });
    await assert.rejects(work, expected);
    assert.equal(room.used(), 0);
  });

test('work that does not fit though it is the only one is not tried twice', async () => {
  let tries = 0;
  const work = inLanes([1], () => {
    tries++;
    return Promise.reject(new ArenaFull(2, 1));
  });
  await assert.rejects(work, ArenaFull);
  assert.equal(tries, 1);
});
