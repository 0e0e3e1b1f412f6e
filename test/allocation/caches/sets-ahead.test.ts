/** Sets that are begun before they are opened. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SetsAhead } from '../../../src/allocation/caches/sets-ahead.ts';

interface Held {
  readonly place: number;
  readonly release: () => void;
}

/** Sets of which every third fails, with what became of them. */
function sets(most: number) {
  const begun: number[] = [];
  const released: number[] = [];
  const ahead = new SetsAhead<Held>(most, (place) => {
    begun.push(place);
    if (place % 3 === 2) return Promise.reject(new Error(`set ${place} fails`));
    return Promise.resolve({ place, release: () => released.push(place) });
  });
  return { ahead, begun, released };
}

test('each set is begun once at most, at most so many ahead, and released if nobody took it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 12 }),
      fc.nat(12),
      fc.array(fc.nat(11)),
      async (most, count, opened, crowded) => {
        const { ahead, begun, released } = sets(most);
        const taken: number[] = [];
        for (let place = 0; place < Math.min(count, opened); place++) {
          const held = await ahead.take(place)?.catch(() => undefined);
          if (held !== undefined) taken.push(held.place);
          ahead.beginAfter(place, count, (next) => !crowded.includes(next));
          assert.ok(begun.every((next) => next <= place + most));
        }
        ahead.close();
        await Promise.resolve();
        assert.equal(new Set(begun).size, begun.length);
        assert.ok(begun.every((place) => place > 0 && place < count && !crowded.includes(place)));
        const made = begun.filter((place) => place % 3 !== 2);
        assert.deepEqual([...taken, ...released].sort(byNumber), made.sort(byNumber));
        assert.equal(ahead.take(1), undefined, 'nothing is left');
      },
    ),
  );
});

function byNumber(a: number, b: number): number {
  return a - b;
}
